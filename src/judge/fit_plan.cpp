#include "judge/fit_plan.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>

#include "base/data_dir.hpp"
#include "base/text.hpp"

namespace wakelab::judge {

namespace {

constexpr std::int64_t kTimeMaxMs = 1'000'000;
constexpr std::int64_t kValueMax = 1'000'000'000'000;

class PlanReader {
 public:
    explicit PlanReader(std::string_view origin) : origin_(origin) {}

    Result<FitPlan> read(const toml::table& root) {
        for (const auto& [key, node] : root)
            if (key != "search" && key != "parameter")
                return error(node,
                             fmt::format("'{}': expected [search] or [[parameter]]", key.str()));
        if (const toml::node* search = root.get("search")) {
            if (!search->is_table()) return error(*search, "search: expected a table");
            if (Status s = read_search(*search->as_table()); !s) return s.error();
        }
        const toml::node* parameters = root.get("parameter");
        if (parameters == nullptr || !parameters->is_array_of_tables())
            return Error{fmt::format("{}:1: expected at least one [[parameter]]", origin_)};
        for (const toml::node& node : *parameters->as_array())
            if (Status s = read_parameter(*node.as_table()); !s) return s.error();
        return std::move(plan_);
    }

 private:
    struct Range {
        std::int64_t lo, hi;
    };

    Error error(const toml::node& node, std::string_view what) const {
        return Error{fmt::format("{}:{}: {}", origin_, node.source().begin.line, what)};
    }

    Result<std::int64_t> integer(const toml::node& node, std::string_view key, Range r) const {
        const std::optional<std::int64_t> value = node.value_exact<std::int64_t>();
        if (!value || *value < r.lo || *value > r.hi)
            return error(node, fmt::format("{}: expected an integer {} .. {}", key, r.lo, r.hi));
        return *value;
    }

    Status read_search(const toml::table& search) {
        for (const auto& [key, node] : search) {
            if (key == "seeds") {
                if (Status s = read_seeds(node); !s) return s;
            } else if (key == "pull") {
                const std::optional<double> pull = node.value<double>();
                if (!pull || !(*pull >= 0) || *pull > 1000)
                    return error(node, "pull: expected a number 0 .. 1000");
                plan_.pull = *pull;
            } else if (key == "warmup_ms" || key == "duration_ms") {
                const bool warmup = key == "warmup_ms";
                const auto ms = integer(node, key.str(), {warmup ? 0 : 1, kTimeMaxMs});
                if (!ms) return ms.error();
                (warmup ? plan_.warmup : plan_.duration) = 1_ms * *ms;
            } else if (key == "rounds_max") {
                const auto rounds = integer(node, "rounds_max", {1, 10'000});
                if (!rounds) return rounds.error();
                plan_.rounds_max = *rounds;
            } else {
                return error(node,
                             fmt::format("'{}': expected seeds, warmup_ms, duration_ms, pull or "
                                         "rounds_max",
                                         key.str()));
            }
        }
        return {};
    }

    Status read_seeds(const toml::node& node) {
        if (!node.is_array() || node.as_array()->empty())
            return error(node, "seeds: expected a list of integers");
        plan_.seeds.clear();
        for (const toml::node& item : *node.as_array()) {
            const auto seed = integer(item, "seeds", {0, kValueMax});
            if (!seed) return seed.error();
            plan_.seeds.push_back(static_cast<std::uint64_t>(*seed));
        }
        return {};
    }

    Result<std::string> text(const toml::table& table, std::string_view key) const {
        const toml::node* node = table.get(key);
        const auto value = node != nullptr ? node->value_exact<std::string>() : std::nullopt;
        if (!value || value->empty())
            return error(node != nullptr ? *node : table, fmt::format("{}: expected a text", key));
        return *value;
    }

    Result<std::int64_t> number(const toml::table& table, std::string_view key, Range r) const {
        if (const toml::node* node = table.get(key)) return integer(*node, key, r);
        return error(table, fmt::format("a [[parameter]] needs {}", key));
    }

    Status read_parameter(const toml::table& table) {
        FitParameter p;
        const Result<std::string> file = text(table, "file");
        if (!file) return file.error();
        const std::vector<std::string> words = split(*file, ' ');
        if (words.size() != 2 || (words[0] != "machine" && words[0] != "workload"))
            return error(*table.get("file"),
                         "file: expected \"machine NAME\" or \"workload NAME\"");
        p.kind =
            words[0] == "machine" ? FitParameter::Kind::kMachine : FitParameter::Kind::kWorkload;
        p.name = words[1];
        const Result<std::string> key = text(table, "key");
        if (!key) return key.error();
        p.key = *key;
        const Result<std::string> why = text(table, "bound_source");
        if (!why) return why.error();
        p.bound_source = *why;
        const auto lo = number(table, "lo", {0, kValueMax - 1});
        if (!lo) return lo.error();
        const auto hi = number(table, "hi", {*lo + 1, kValueMax});
        if (!hi) return hi.error();
        const auto start = number(table, "start", {*lo, *hi});
        if (!start) return start.error();
        p.lo = *lo;
        p.hi = *hi;
        p.start = *start;
        const auto same = [&](const FitParameter& q) { return q.describe() == p.describe(); };
        if (std::ranges::any_of(plan_.parameters, same))
            return error(table, fmt::format("{} is listed twice", p.describe()));
        plan_.parameters.push_back(std::move(p));
        return {};
    }

    std::string_view origin_;
    FitPlan plan_;
};

}  // namespace

std::string FitParameter::override_key() const {
    return (kind == Kind::kMachine ? "machine." : "workload.") + key;
}

std::string FitParameter::describe() const {
    return fmt::format("{} {} {}", kind == Kind::kMachine ? "machine" : "workload", name, key);
}

Result<FitPlan> parse_fit_plan(std::string_view toml, std::string_view origin) {
    try {
        const toml::table root = toml::parse(toml, origin);
        return PlanReader(origin).read(root);
    } catch (const toml::parse_error& e) {
        return Error{fmt::format("{}:{}: {}", origin, e.source().begin.line, e.description())};
    }
}

Result<FitPlan> load_fit_plan(const std::string& name_or_path) {
    const std::string path = name_or_path.ends_with(".toml")
                                 ? name_or_path
                                 : fmt::format("{}/fit/{}.toml", data_dir(), name_or_path);
    std::ifstream in(path, std::ios::binary);
    if (!in) return Error{fmt::format("{}: cannot be read", path)};
    return parse_fit_plan(std::string(std::istreambuf_iterator<char>(in), {}), path);
}

}  // namespace wakelab::judge
