// Worlds whose outcome can be computed by hand.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "policy/registry.hpp"
#include "property/world_machines.hpp"
#include "sim/sys.hpp"
#include "support/fifo_sched.hpp"

namespace wakelab::property {
namespace {

struct World {
    World(const topo::Machine& machine, const policy::SchedulerInfo& info)
        : engine(machine, {.scheduler = &info,
                           .config = *policy::configure(info, machine, {}, {}),
                           .seed = 1,
                           .sink = nullptr}) {}

    sim::Task& task(const std::string& name, const topo::CpuMask& allowed, std::int8_t nice = 0) {
        return engine.add_task({.name = name,
                                .cpu = allowed.first(),
                                .allowed = allowed,
                                .policy = policy::SchedPolicy::kNormal,
                                .nice = nice,
                                .rt_priority = 0,
                                .footprint_bytes = 0,
                                .start = Time{}});
    }
    sim::Engine engine;
};

const policy::SchedulerInfo& scheduler(std::string_view name) {
    return **policy::find_scheduler(name);
}

topo::CpuMask only_cpu(std::uint32_t cpu) {
    return topo::CpuMask::of_word(1ull << cpu);
}

// --- ping-pong
// --------------------------------------------------------------------------------------------

sim::Workload ping(sim::Sys& sys, sim::Pipe& out, sim::Pipe& in,
                   std::vector<std::int64_t>& rounds) {
    for (;;) {
        co_await sys.write(out, 1);
        co_await sys.read(in, 1);
        rounds.push_back(co_await sys.now());
    }
}

sim::Workload pong(sim::Sys& sys, sim::Pipe& in, sim::Pipe& out) {
    for (;;) {
        co_await sys.read(in, 1);
        co_await sys.write(out, 1);
    }
}

// Half a round, from one switch to the next on the only CPU: switch 1500 + refill 3500, re-check
// after the wake-up 800, return of read 300, write 500 + wake-up 900 + return 300, read 500, block
// 800: 9100 ns. Both tasks advance alike, so no wake-up preempts.
TEST(ClosedForm, PingPongOnOneCpuCostsTheSumOfItsParts) {
    topo::Machine machine = test::free_machine(1);
    machine.costs.switch_direct = 1500;
    machine.costs.switch_refill = 3500;
    machine.costs.wake = 900;
    machine.costs.pipe_before = 500;
    machine.costs.pipe_after = 300;
    machine.costs.block = 800;
    World world(machine, scheduler("cfs-2.6.26"));
    sim::Pipe there, back;
    std::vector<std::int64_t> rounds;
    sim::Task& a = world.task("ping", only_cpu(0));
    sim::Task& b = world.task("pong", only_cpu(0));
    world.engine.set_program(a, ping(*a.sys, there, back, rounds));
    world.engine.set_program(b, pong(*b.sys, there, back));
    world.engine.run_until(Time{100'000'000});
    ASSERT_GT(rounds.size(), 5000u);
    for (std::size_t i = 2; i < rounds.size(); ++i)
        ASSERT_EQ(rounds[i] - rounds[i - 1], 2 * 9100) << i;
}

// --- hogs
// -------------------------------------------------------------------------------------------------

sim::Workload hog(sim::Sys& sys) {
    for (;;) {
        sys.run(1_ms);
        co_await sys.now();
    }
}

std::vector<std::int64_t> run_hogs(World& world, const std::vector<sim::Task*>& hogs,
                                   Duration warmup, Duration counted) {
    for (sim::Task* t : hogs) world.engine.set_program(*t, hog(*t->sys));
    EXPECT_TRUE(world.engine.run_until(Time{} + warmup)) << world.engine.exit_message();
    world.engine.reset_counters();
    EXPECT_TRUE(world.engine.run_until(Time{} + warmup + counted)) << world.engine.exit_message();
    world.engine.settle_times();
    std::vector<std::int64_t> ran;
    for (const sim::Task* t : hogs) ran.push_back(t->stats.cpu_ns);
    return ran;
}

// Round robin: three equal hogs on one CPU have a third each, up to one round of slices: at most 3
// x 100 ms in 10 s (the slice of O(1); 150 ms in 2.5.21), 60 ms under CFS. 5 % of 3333 ms is 167
// ms.
TEST(ClosedForm, EqualHogsShareOneCpuEqually) {
    for (const policy::SchedulerInfo& info : policy::schedulers()) {
        World world(test::free_machine(1), info);
        std::vector<sim::Task*> hogs;
        for (int i = 0; i < 3; ++i)
            hogs.push_back(&world.task(fmt::format("hog-{}", i), only_cpu(0)));
        const auto ran = run_hogs(world, hogs, 10_s, 10_s);
        for (const std::int64_t ns : ran)
            EXPECT_NEAR(static_cast<double>(ns), 10e9 / 3, 167e6) << info.name;
    }
}

// CFS gives CPU time by weight: nice 0 against nice 5 is 1024 : 335, 75.35 % : 24.65 %.
TEST(ClosedForm, CfsSharesByWeight) {
    for (const policy::SchedulerInfo& info : policy::schedulers()) {
        if (!info.name.starts_with("cfs")) continue;
        World world(test::free_machine(1), info);
        const std::vector<sim::Task*> hogs = {&world.task("nice0", only_cpu(0)),
                                              &world.task("nice5", only_cpu(0), 5)};
        const auto ran = run_hogs(world, hogs, 1_s, 10_s);
        EXPECT_NEAR(static_cast<double>(ran[0]) / 10e9, 0.7535, 0.01) << info.name;
    }
}

// Work conservation for as many hogs as CPUs: they start on one CPU and the balancer spreads them.
TEST(ClosedForm, OneHogPerCpuEndsOnACpuOfItsOwn) {
    for (const policy::SchedulerInfo& info : policy::schedulers()) {
        for (const std::string_view name : kMachineNames) {
            const topo::Machine machine = machine_called(name);
            World world(machine, info);
            std::vector<sim::Task*> hogs;
            for (std::uint32_t i = 0; i < machine.cpus; ++i)
                hogs.push_back(
                    &world.task(fmt::format("hog-{}", i), topo::CpuMask::first_n(machine.cpus)));
            const auto ran = run_hogs(world, hogs, 3_s, 1_s);
            for (std::size_t i = 0; i < ran.size(); ++i)
                EXPECT_GT(ran[i], 950'000'000) << info.name << " on " << name << ", hog-" << i;
        }
    }
}

// --- M/M/1
// ------------------------------------------------------------------------------------------------

struct Queue {
    sim::Pipe pipe;
    std::deque<std::int64_t> arrivals;  // instants of the customers in the system
    std::int64_t sojourn_ns = 0;        // of all who left
    std::int64_t left = 0;
};

sim::Workload arrive(sim::Sys& sys, Queue& queue, Duration mean_gap) {
    Time next{};
    for (;;) {
        next = next + Duration{sys.random().exponential(mean_gap.ns)};
        co_await sys.sleep_until(next);
        queue.arrivals.push_back(next.ns);
        co_await sys.write(queue.pipe, 1);
    }
}

sim::Workload serve(sim::Sys& sys, Queue& queue, Duration mean_service) {
    for (;;) {
        co_await sys.read(queue.pipe, 1);
        sys.run(Duration{sys.random().exponential(mean_service.ns)});
        const std::int64_t now = co_await sys.now();
        queue.sojourn_ns += now - queue.arrivals.front();
        queue.arrivals.pop_front();
        ++queue.left;
    }
}

// Poisson arrivals at rate 1/2 per ms, exponential service of 1 ms, one server that no other task
// disturbs: mean time in the system 1 ms / (1 - 1/2) = 2 ms.
TEST(ClosedForm, QueueWithOneServerHasTheKnownSojournTime) {
    const topo::Machine machine = test::free_machine(2);
    World world(machine, scheduler("cfs-2.6.26"));
    Queue queue;
    sim::Task& source = world.task("source", only_cpu(1));
    sim::Task& server = world.task("server", only_cpu(0));
    world.engine.set_program(source, arrive(*source.sys, queue, 2_ms));
    world.engine.set_program(server, serve(*server.sys, queue, 1_ms));
    world.engine.run_until(Time{} + 400_s);
    ASSERT_NEAR(static_cast<double>(queue.left), 200'000, 2000);
    EXPECT_NEAR(static_cast<double>(queue.sojourn_ns) / static_cast<double>(queue.left), 2e6,
                0.08e6);
}

}  // namespace
}  // namespace wakelab::property
