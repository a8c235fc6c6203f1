#include <fmt/format.h>

#include <array>
#include <toml++/toml.h>

#include "base/data_dir.hpp"
#include "base/text.hpp"
#include "work/pgbench.hpp"

namespace wakelab::work {

namespace {

struct Field {
    std::string_view name;
    std::int64_t PgbenchCosts::*member;
};

constexpr auto kFields = std::to_array<Field>({
    {"driver_loop", &PgbenchCosts::driver_loop},
    {"driver_loop_per_client", &PgbenchCosts::driver_loop_per_client},
    {"driver_reply", &PgbenchCosts::driver_reply},
    {"driver_bytes", &PgbenchCosts::driver_bytes},
    {"driver_bytes_per_client", &PgbenchCosts::driver_bytes_per_client},
    {"backend_execute", &PgbenchCosts::backend_execute},
    {"backend_bytes", &PgbenchCosts::backend_bytes},
    {"shared_hot_bytes", &PgbenchCosts::shared_hot_bytes},
    {"shared_lines", &PgbenchCosts::shared_lines},
    {"snapshot_lines_per_client", &PgbenchCosts::snapshot_lines_per_client},
    {"cold_lines", &PgbenchCosts::cold_lines},
    {"query_bytes", &PgbenchCosts::query_bytes},
    {"reply_bytes", &PgbenchCosts::reply_bytes},
    {"jitter_permille", &PgbenchCosts::jitter_permille},
    {"tail_permille", &PgbenchCosts::tail_permille},
});

}  // namespace

Status set_pgbench_value(PgbenchCosts& costs, std::string_view key, std::int64_t value) {
    std::vector<std::string> names;
    for (const Field& f : kFields) {
        names.emplace_back(f.name);
        if (f.name != key) continue;
        if (value < 0) return Error{fmt::format("workload pgbench: {}: {} is negative", key, value)};
        costs.*f.member = value;
        return {};
    }
    return Error{fmt::format("workload pgbench has no value '{}'; did you mean {}?", key,
                             nearest(key, names))};
}

Result<PgbenchCosts> load_pgbench_costs() {
    const std::string path = data_dir() + "/workloads/pgbench.toml";
    toml::table root;
    try {
        root = toml::parse_file(path);
    } catch (const toml::parse_error& e) {
        return Error{fmt::format("{}:{}: {}", path, e.source().begin.line, e.description())};
    }
    PgbenchCosts costs;
    for (const auto& [key, node] : root) {
        const auto value = node.value_exact<std::int64_t>();
        if (!value)
            return Error{fmt::format("{}:{}: {}: expected an integer", path, node.source().begin.line,
                                     key.str())};
        if (Status s = set_pgbench_value(costs, key.str(), *value); !s)
            return Error{fmt::format("{}:{}: {}", path, node.source().begin.line, s.error().message)};
    }
    for (const Field& f : kFields)
        if (root.get(f.name) == nullptr) return Error{fmt::format("{}: {} is missing", path, f.name)};
    return costs;
}

}  // namespace wakelab::work
