#include "golden/golden_case.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

namespace wakelab::golden {

namespace {

std::vector<std::string> strings(const toml::table& table, std::string_view key) {
    std::vector<std::string> values;
    if (const toml::array* list = table[key].as_array())
        for (const toml::node& node : *list) values.push_back(node.value_or(std::string()));
    return values;
}

lab::RunSpec read_spec(const toml::table& table) {
    lab::RunSpec spec;
    spec.scenario = table["scenario"].value_or(spec.scenario);
    spec.machine = table["machine"].value_or(spec.machine);
    spec.clients = table["clients"].value_or(0);
    spec.seed = static_cast<std::uint64_t>(table["seed"].value_or(std::int64_t{1}));
    spec.features = strings(table, "features");
    spec.batch = strings(table, "batch");
    if (const toml::table* pins = table["pin"].as_table())
        for (const auto& [task, cpus] : *pins)
            spec.pins.emplace_back(std::string(task.str()), cpus.value_or(std::string()));
    spec.warmup = 1_ms * table["warmup_ms"].value_or(std::int64_t{20});
    spec.duration = 1_ms * table["duration_ms"].value_or(std::int64_t{100});
    return spec;
}

}  // namespace

Result<std::vector<GoldenCase>> parse_cases(std::string_view text, std::string_view origin) {
    std::vector<GoldenCase> cases;
    try {
        const toml::table file = toml::parse(text, origin);
        const toml::array* list = file["case"].as_array();
        if (list == nullptr) return Error{fmt::format("{}: expected [[case]] tables", origin)};
        for (const toml::node& node : *list) {
            const toml::table* table = node.as_table();
            if (table == nullptr) return Error{fmt::format("{}: expected [[case]] tables", origin)};
            const std::string name = (*table)["name"].value_or(std::string());
            const std::vector<std::string> schedulers = strings(*table, "schedulers");
            if (name.empty() || schedulers.empty())
                return Error{fmt::format("{}:{}: a case needs a name and schedulers", origin,
                                         table->source().begin.line)};
            for (const std::string& scheduler : schedulers) {
                cases.push_back({name, read_spec(*table)});
                cases.back().spec.scheduler = scheduler;
            }
        }
    } catch (const toml::parse_error& e) {
        return Error{fmt::format("{}:{}: {}", origin, e.source().begin.line, e.description())};
    }
    return cases;
}

}  // namespace wakelab::golden
