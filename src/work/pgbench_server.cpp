// The processes a PostgreSQL 8.3 server has besides its backends: the background writer and the WAL writer,
// which look for work five times a second, and the statistics collector, to which every backend reports at
// most twice a second. They use next to no time, but they wake on a machine whose balancers would
// otherwise find the same tasks in the same places for ever (docs/model/misfits.md).
//
// The autovacuum launcher (once a minute) and the postmaster (no connection during a run) are left out. A
// report is a UDP datagram in the original and a message on an AF_UNIX stream here: its wake-up has the same
// hints.
#include <array>
#include <string>
#include <string_view>

#include "work/pgbench.hpp"

namespace wakelab::work {

using sim::Sys;
using sim::Workload;

Duration Pgbench::random_phase(Sys& sys, std::int64_t period) {
    return {static_cast<std::int64_t>(sys.random().below(static_cast<std::uint64_t>(period)))};
}

void Pgbench::add_server_processes(sim::Engine& engine, TaskChoices& choices) {
    // Named as backends are: whoever pins or renices "postgres" means the whole server.
    constexpr std::array kNames = {"postgres-writer", "postgres-walwriter", "postgres-stats"};
    for (const std::string_view name : kNames) {
        sim::Engine::TaskSpec spec{.name = std::string(name),
                                   .cpu = CpuId{0},
                                   .allowed = topo::CpuMask::first_n(engine.machine().cpus),
                                   .footprint_bytes = costs_.server_process_bytes};
        choices.apply(spec);
        sim::Task& task = engine.add_task(spec);
        engine.set_program(task, name == kNames.back() ? collector(*task.sys, *this)
                                                       : writer(*task.sys, *this));
    }
}

Workload Pgbench::writer(Sys& sys, Pgbench& bench) {
    const PgbenchCosts& c = bench.costs_;
    co_await sys.sleep(random_phase(sys, c.writer_period));
    while (true) {
        sys.run({c.writer_run});
        co_await sys.sleep({c.writer_period});
    }
}

Workload Pgbench::collector(Sys& sys, Pgbench& bench) {
    const PgbenchCosts& c = bench.costs_;
    Time next_write = Time{} + random_phase(sys, c.report_period);
    while (true) {
        co_await sys.recv(bench.reports_.b);
        sys.run({c.collector_run});
        if (sys.engine().now() < next_write) continue;
        next_write = sys.engine().now() + Duration{c.report_period};
        sys.run({c.collector_write});
    }
}

}  // namespace wakelab::work
