#include "work/pgbench.hpp"

#include <fmt/format.h>

namespace wakelab::work {

using sim::SocketEnd;
using sim::Sys;
using sim::Workload;

Pgbench::Pgbench(const PgbenchCosts& costs, std::uint32_t clients)
    : costs_(costs), clients_(clients), connections_(clients) {
    shared_.lines = costs.shared_lines + costs.snapshot_lines_per_client * clients;
}

namespace {

// CPU on which backend i last ran before the run: the other cache first, since the fork balancer and the
// postmaster's own CPU put the first backend there (the published single-client cells of unpinned runs
// are pairs on two caches: roles.csv E04, E05), then round robin.
CpuId first_cpu(const topo::Machine& machine, std::uint32_t i) {
    return CpuId{(machine.cpus / 2 + i) % machine.cpus};
}

}  // namespace

void Pgbench::build(sim::Engine& engine, TaskChoices& choices) {
    engine.caches().reserve_shared(costs_.shared_hot_bytes);
    const topo::CpuMask everywhere = topo::CpuMask::first_n(engine.machine().cpus);
    sim::Engine::TaskSpec driver_spec{
        .name = "pgbench",
        .cpu = CpuId{0},
        .allowed = everywhere,
        .footprint_bytes = costs_.driver_bytes + costs_.driver_bytes_per_client * clients_};
    choices.apply(driver_spec);
    driver_spec.start = Time{1'000'000};     // the backends wait for their first query by then
    sim::Task& driver_task = engine.add_task(driver_spec);
    set_ = std::make_unique<sim::SelectSet>(driver_task, clients_);
    for (std::uint32_t i = 0; i < clients_; ++i) {
        set_->add(connections_[i].a);
        sim::Engine::TaskSpec spec{.name = fmt::format("postgres-{}", i),
                                   .cpu = first_cpu(engine.machine(), i),
                                   .allowed = everywhere,
                                   .footprint_bytes = costs_.backend_bytes};
        choices.apply(spec);
        sim::Task& task = engine.add_task(spec);
        engine.set_program(task, backend(*task.sys, *this, connections_[i].b));
    }
    engine.set_program(driver_task, driver(*driver_task.sys, *this));
    if (costs_.server_processes != 0) add_server_processes(engine, choices);
}

// Sends one query on every connection, then serves the ready ones in index order: take the reply, send
// the next query at once, go on to the next connection (workloads.md 2.1).
Workload Pgbench::driver(Sys& sys, Pgbench& bench) {
    const PgbenchCosts& c = bench.costs_;
    const std::int64_t loop = c.driver_loop + c.driver_loop_per_client * bench.clients_;
    for (sim::SocketPair& connection : bench.connections_)
        co_await sys.send(connection.a, c.query_bytes);
    while (true) {
        sys.run({sys.random().jitter(loop, c.jitter_permille)});
        co_await sys.select(*bench.set_);
        for (std::uint32_t i = 0; i < bench.clients_; ++i) {
            if (!bench.set_->was_ready(i)) continue;
            SocketEnd& end = bench.connections_[i].a;
            co_await sys.recv(end);
            sys.run({sys.random().jitter(c.driver_reply, c.jitter_permille)});
            sys.work_done(1);
            co_await sys.send(end, c.query_bytes);
        }
    }
}

Workload Pgbench::backend(Sys& sys, Pgbench& bench, SocketEnd& end) {
    const PgbenchCosts& c = bench.costs_;
    const std::int64_t tail = c.backend_execute * c.tail_permille / 1000;
    const bool reports = c.server_processes != 0;
    Time next_report{};
    if (reports) next_report = Time{} + random_phase(sys, c.report_period);
    while (true) {
        co_await sys.recv(end);
        sys.run({sys.random().jitter(c.backend_execute - tail, c.jitter_permille) +
                 sys.random().exponential(tail)});
        sys.use(bench.shared_);
        sys.fetch_cold(c.cold_lines);
        co_await sys.send(end, c.reply_bytes);
        if (!reports || sys.engine().now() < next_report) continue;
        next_report = sys.engine().now() + Duration{c.report_period};
        co_await sys.send(bench.reports_.a, c.report_bytes);
    }
}

}  // namespace wakelab::work
