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

void Pgbench::build(sim::Engine& engine, TaskChoices& choices) {
    engine.caches().reserve_shared(costs_.shared_hot_bytes);
    sim::Engine::TaskSpec spec{
        .name = "pgbench",
        .cpu = CpuId{0},
        .allowed = topo::CpuMask::first_n(engine.machine().cpus),
        .footprint_bytes = costs_.driver_bytes + costs_.driver_bytes_per_client * clients_};
    choices.apply(spec);
    spec.start = Time{1'000'000};            // the server waits for it by then
    sim::Task& driver_task = engine.add_task(spec);
    set_ = std::make_unique<sim::SelectSet>(driver_task, clients_);
    for (Connection& c : connections_) set_->add(c.socket.a);
    add_backends(engine, choices, driver_task.sys->random());
    engine.set_program(driver_task, driver(*driver_task.sys, *this));
    if (costs_.server_processes != 0) add_server_processes(engine, choices);
}

// Sends one query on every connection, then serves the ready ones in index order: take the reply, send
// the next query at once, go on to the next connection (workloads.md 2.1).
Workload Pgbench::driver(Sys& sys, Pgbench& bench) {
    const PgbenchCosts& c = bench.costs_;
    const std::int64_t loop = c.driver_loop + c.driver_loop_per_client * bench.clients_;
    if (bench.connects_)
        for (Connection& connection : bench.connections_) {
            SocketEnd& end = connection.socket.a;
            sys.run({c.connect_run});
            co_await sys.send(bench.listening_.a, 1);
            co_await sys.send(end, c.startup_bytes);
            co_await sys.recv(end);
            co_await sys.send(end, c.startup_bytes);
            co_await sys.recv(end);
        }
    for (Connection& connection : bench.connections_)
        co_await sys.send(connection.socket.a, c.query_bytes);
    while (true) {
        sys.run({sys.random().jitter(loop, c.jitter_permille)});
        co_await sys.select(*bench.set_);
        for (std::uint32_t i = 0; i < bench.clients_; ++i) {
            if (!bench.set_->was_ready(i)) continue;
            SocketEnd& end = bench.connections_[i].socket.a;
            co_await sys.recv(end);
            sys.run({sys.random().jitter(c.driver_reply, c.jitter_permille)});
            sys.work_done(1);
            co_await sys.send(end, c.query_bytes);
        }
    }
}

Workload Pgbench::backend(Sys& sys, void* connection) {
    const sim::Engine::TaskSpec& spec = static_cast<Connection*>(connection)->backend;
    Pgbench& bench = *static_cast<Connection*>(connection)->bench;
    SocketEnd& end = static_cast<Connection*>(connection)->socket.b;
    const PgbenchCosts& c = bench.costs_;
    if (bench.connects_) {
        // A choice for this backend alone; others it has from the postmaster.
        const sim::Task& task = sys.task();
        if (task.allowed != spec.allowed) co_await sys.set_affinity(spec.allowed);
        if (task.policy != spec.policy || task.nice != spec.nice || task.rt_priority != spec.rt_priority)
            co_await sys.set_policy(spec.policy, spec.nice, spec.rt_priority);
        co_await sys.recv(end);
        sys.run({sys.random().jitter(c.backend_start, c.jitter_permille)});
        co_await sys.send(end, c.ready_bytes);
        co_await sys.recv(end);
        sys.run({c.set_run});
        co_await sys.send(end, c.ready_bytes);
    }
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
