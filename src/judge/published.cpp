#include "judge/published.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <system_error>

#include "base/data_dir.hpp"
#include "judge/csv.hpp"

namespace wakelab::judge {

namespace {

constexpr std::array<std::string_view, 13> kRowColumns = {
    "source",  "experiment", "reporter", "machine", "kernel", "variant", "workload",
    "clients", "metric",     "unit",     "value",   "run",    "note"};
constexpr std::array<std::string_view, 6> kRoleColumns = {"experiment", "kernel", "variant",
                                                          "clients",    "role",   "why"};
constexpr std::string_view kRolesFile = "roles.csv";

// Records of a file whose first one must be exactly `columns`, and all of that many fields.
Result<std::vector<CsvRecord>> parse_table(std::string_view csv, std::string_view origin,
                                           std::span<const std::string_view> columns) {
    Result<std::vector<CsvRecord>> records = parse_csv(csv, origin);
    if (!records) return records;
    if (records->empty()) return Error{fmt::format("{}:1: expected a header line", origin)};
    for (const CsvRecord& r : *records)
        if (r.fields.size() != columns.size())
            return Error{fmt::format("{}:{}: expected {} fields, found {}", origin, r.line,
                                     columns.size(), r.fields.size())};
    const CsvRecord& header = records->front();
    for (std::size_t i = 0; i < columns.size(); ++i)
        if (header.fields[i] != columns[i])
            return Error{fmt::format("{}:{}: column {} is '{}', expected '{}'", origin, header.line,
                                     i + 1, header.fields[i], columns[i])};
    records->erase(records->begin());
    return records;
}

// Decimal numbers only; "0:31.49" or "500-800" are none.
std::optional<double> plain_number(const std::string& text) {
    double number = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
    if (error != std::errc{} || stop != end) return {};
    return number;
}

std::optional<Role> role_named(std::string_view name) {
    for (const Role r : {Role::kPredict, Role::kFit, Role::kCopy, Role::kReference})
        if (to_string(r) == name) return r;
    return {};
}

Result<std::string> read_file(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) return Error{fmt::format("{}: cannot be read", path.string())};
    return std::string(std::istreambuf_iterator<char>(in), {});
}

}  // namespace

std::string_view to_string(Role role) {
    switch (role) {
        case Role::kPredict:
            return "predict";
        case Role::kFit:
            return "fit";
        case Role::kCopy:
            return "copy";
        case Role::kReference:
            return "reference";
    }
    return "";
}

bool RoleRule::matches(const PublishedRow& row) const {
    const auto fits = [](const std::string& rule, const std::string& field) {
        return rule.empty() || rule == field;
    };
    return fits(experiment, row.experiment) && fits(kernel, row.kernel) &&
           fits(variant, row.variant) && fits(clients, row.clients);
}

Result<std::vector<PublishedRow>> parse_published(std::string_view csv, std::string_view origin) {
    Result<std::vector<CsvRecord>> records = parse_table(csv, origin, kRowColumns);
    if (!records) return records.error();
    std::vector<PublishedRow> rows;
    for (CsvRecord& r : *records) {
        PublishedRow row;
        std::array<std::string*, kRowColumns.size()> fields = {
            &row.source,  &row.experiment, &row.reporter, &row.machine, &row.kernel,
            &row.variant, &row.workload,   &row.clients,  &row.metric,  &row.unit,
            &row.value,   &row.run,        &row.note};
        for (std::size_t i = 0; i < fields.size(); ++i) *fields[i] = std::move(r.fields[i]);
        row.number = plain_number(row.value);
        row.file = origin;
        row.line = r.line;
        if (row.experiment.empty())
            return Error{fmt::format("{}:{}: the field 'experiment' is empty", origin, r.line)};
        rows.push_back(std::move(row));
    }
    return rows;
}

Result<std::vector<RoleRule>> parse_roles(std::string_view csv, std::string_view origin) {
    Result<std::vector<CsvRecord>> records = parse_table(csv, origin, kRoleColumns);
    if (!records) return records.error();
    std::vector<RoleRule> rules;
    for (CsvRecord& r : *records) {
        const std::optional<Role> role = role_named(r.fields[4]);
        if (!role)
            return Error{fmt::format("{}:{}: role '{}', expected predict, fit, copy or reference",
                                     origin, r.line, r.fields[4])};
        rules.push_back({.experiment = std::move(r.fields[0]),
                         .kernel = std::move(r.fields[1]),
                         .variant = std::move(r.fields[2]),
                         .clients = std::move(r.fields[3]),
                         .role = *role,
                         .why = std::move(r.fields[5]),
                         .line = r.line});
    }
    return rules;
}

Status assign_roles(std::vector<PublishedRow>& rows, const std::vector<RoleRule>& rules,
                    std::string_view origin) {
    for (const RoleRule& rule : rules)
        if (std::ranges::none_of(rows, [&](const PublishedRow& r) { return rule.matches(r); }))
            return Error{fmt::format("{}:{}: matches no published row", origin, rule.line)};
    for (PublishedRow& row : rows) {
        const auto rule =
            std::ranges::find_if(rules, [&](const RoleRule& r) { return r.matches(row); });
        row.role = rule == rules.end() ? Role::kPredict : rule->role;
    }
    return {};
}

Result<std::vector<PublishedRow>> load_published(const std::string& folder) {
    namespace fs = std::filesystem;
    std::error_code failure;
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, failure))
        if (entry.path().extension() == ".csv" && entry.path().filename() != kRolesFile)
            files.push_back(entry.path());
    if (failure) return Error{fmt::format("{}: {}", folder, failure.message())};
    std::ranges::sort(files);

    std::vector<PublishedRow> rows;
    for (const fs::path& file : files) {
        const Result<std::string> text = read_file(file);
        if (!text) return text.error();
        Result<std::vector<PublishedRow>> more = parse_published(*text, file.string());
        if (!more) return more.error();
        std::ranges::move(*more, std::back_inserter(rows));
    }
    const fs::path roles_file = fs::path(folder) / kRolesFile;
    const Result<std::string> text = read_file(roles_file);
    if (!text) return text.error();
    const Result<std::vector<RoleRule>> rules = parse_roles(*text, roles_file.string());
    if (!rules) return rules.error();
    if (Status s = assign_roles(rows, *rules, roles_file.string()); !s) return s.error();
    return rows;
}

Result<std::vector<PublishedRow>> load_published() {
    return load_published(data_dir() + "/published");
}

}  // namespace wakelab::judge
