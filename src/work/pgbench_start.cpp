// How the backends of pgbench come to be. pgbench opens its connections one after the other before the first
// query; the postmaster takes each one and forks a backend, which the kernel places by its own rules
// (sched_fork(), wake_up_new_task()), and client and backend say hello. Where the backends are when the
// load begins is thus a result of the run. What nobody wrote down is where the postmaster was: it starts on
// a CPU that depends on the seed.
#include <fmt/format.h>

#include <algorithm>

#include "work/pgbench.hpp"

namespace wakelab::work {

using sim::Sys;
using sim::Workload;

namespace {

// Backends that are already there: the other cache first, then round robin.
CpuId placed_cpu(const topo::Machine& machine, std::uint32_t i) {
    return CpuId{(machine.cpus / 2 + i) % machine.cpus};
}

}  // namespace

void Pgbench::add_backends(sim::Engine& engine, TaskChoices& choices, Prng& random) {
    const topo::Machine& machine = engine.machine();
    const topo::CpuMask everywhere = topo::CpuMask::first_n(machine.cpus);
    for (std::uint32_t i = 0; i < clients_; ++i) {
        connections_[i].bench = this;
        connections_[i].backend = {.name = fmt::format("postgres-{}", i),
                                   .cpu = placed_cpu(machine, i),
                                   .allowed = everywhere,
                                   .footprint_bytes = costs_.backend_bytes};
        choices.apply(connections_[i].backend);
    }
    if (costs_.connections != 0) {
        sim::Engine::TaskSpec spec{.name = "postgres",
                                   .cpu = CpuId{static_cast<std::uint32_t>(random.below(machine.cpus))},
                                   .allowed = everywhere,
                                   .footprint_bytes = costs_.backend_bytes};
        choices.apply(spec);
        // A child is in its parent's group for life: backends with groups of their own are placed.
        connects_ = std::ranges::all_of(
            connections_, [&](const Connection& c) { return c.backend.group == spec.group; });
        if (connects_) {
            sim::Task& task = engine.add_task(spec);
            engine.set_program(task, postmaster(*task.sys, *this));
            return;
        }
    }
    for (Connection& c : connections_) {
        sim::Task& task = engine.add_task(c.backend);
        engine.set_program(task, backend(*task.sys, &c));
    }
}

Workload Pgbench::postmaster(Sys& sys, Pgbench& bench) {
    for (Connection& connection : bench.connections_) {
        co_await sys.recv(bench.listening_.b);
        sys.run({bench.costs_.accept_run});
        co_await sys.fork(connection.backend.name.c_str(), &Pgbench::backend, &connection);
    }
    co_await sys.recv(bench.listening_.b);  // nobody connects any more
}

}  // namespace wakelab::work
