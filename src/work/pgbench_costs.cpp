#include <array>

#include "work/cost_file.hpp"
#include "work/pgbench.hpp"

namespace wakelab::work {

namespace {

constexpr std::string_view kFile = "pgbench";
constexpr auto kFields = std::to_array<CostField<PgbenchCosts>>({
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
    {"connections", &PgbenchCosts::connections},
    {"connect_run", &PgbenchCosts::connect_run},
    {"accept_run", &PgbenchCosts::accept_run},
    {"backend_start", &PgbenchCosts::backend_start},
    {"set_run", &PgbenchCosts::set_run},
    {"startup_bytes", &PgbenchCosts::startup_bytes},
    {"ready_bytes", &PgbenchCosts::ready_bytes},
    {"server_processes", &PgbenchCosts::server_processes},
    {"writer_period", &PgbenchCosts::writer_period},
    {"writer_run", &PgbenchCosts::writer_run},
    {"report_period", &PgbenchCosts::report_period},
    {"report_bytes", &PgbenchCosts::report_bytes},
    {"collector_run", &PgbenchCosts::collector_run},
    {"collector_write", &PgbenchCosts::collector_write},
    {"server_process_bytes", &PgbenchCosts::server_process_bytes},
});

}  // namespace

Status set_pgbench_value(PgbenchCosts& costs, std::string_view key, std::int64_t value) {
    return set_cost<PgbenchCosts>(kFields, kFile, costs, key, value);
}

Result<PgbenchCosts> load_pgbench_costs() {
    return load_costs<PgbenchCosts>(kFields, kFile);
}

}  // namespace wakelab::work
