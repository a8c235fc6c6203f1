// The scheduler of 2.4 on the box of 2002, against the arithmetic of its specification and against
// what was measured there (goodness.md 9).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <deque>

#include "policy/registry.hpp"
#include "sim/sys.hpp"

namespace wakelab::property {
namespace {

struct World {
    explicit World(std::string_view scheduler)
        : machine(*topo::load_machine("osdl-4way")),
          engine(machine, {.scheduler = *policy::find_scheduler(scheduler),
                           .config = *policy::configure(**policy::find_scheduler(scheduler),
                                                        machine, {}, {}),
                           .seed = 1,
                           .sink = nullptr}) {}

    sim::Task& task(const std::string& name, std::uint32_t cpu) {
        return engine.add_task(
            {.name = name, .cpu = CpuId{cpu}, .allowed = topo::CpuMask::first_n(machine.cpus)});
    }
    topo::Machine machine;
    sim::Engine engine;
};

struct Pair {
    sim::Pipe there, back;
};

sim::Workload client(sim::Sys& sys, Pair& pair, Duration mean_work) {
    for (;;) {
        sys.run_exactly(Duration{sys.random().exponential(mean_work.ns)});
        co_await sys.write(pair.there, 1);
        co_await sys.read(pair.back, 1);
        sys.work_done(1);
    }
}

sim::Workload server(sim::Sys& sys, Pair& pair, Duration mean_work) {
    for (;;) {
        co_await sys.read(pair.there, 1);
        sys.run_exactly(Duration{sys.random().exponential(mean_work.ns)});
        co_await sys.write(pair.back, 1);
    }
}

// Round trips a second of `n` pairs.
double round_trips(std::string_view scheduler, std::uint32_t n, Duration mean_work) {
    World world(scheduler);
    std::deque<Pair> pairs(n);
    for (std::uint32_t i = 0; i < n; ++i) {
        sim::Task& c = world.task(fmt::format("client-{}", i), i % 4);
        sim::Task& s = world.task(fmt::format("server-{}", i), i % 4);
        world.engine.set_program(c, client(*c.sys, pairs[i], mean_work));
        world.engine.set_program(s, server(*s.sys, pairs[i], mean_work));
    }
    EXPECT_TRUE(world.engine.run_until(Time{} + 2_s)) << world.engine.exit_message();
    world.engine.reset_counters();
    EXPECT_TRUE(world.engine.run_until(Time{} + 4_s)) << world.engine.exit_message();
    return static_cast<double>(world.engine.counters().work_units) / 2;
}

// The model of 9.4: W = 103 us without the lock in each half. Of it the machine itself takes 3.35
// us: switch without its pass 0.9, wake 0.45, two calls of the pipe 1.4, block 0.6.
constexpr Duration kWork = 103_us - 3350_ns;

// The curve of the specification, 100.2, 62.4 and 30.4 MB/s at 184 round trips for a MB, comes from
// a Monte Carlo without wake-ups. Here they preempt, too, and a preempted waker makes the list
// longer: 2, 6 to 8 and 5 to 11 % less, whatever is left of everybody's ticks. Measured: 99.7 ..
// 103.5 at 64, 29.0 .. 29.9 at 192 (X01). O(1) does not care.
TEST(OneLock, FollowsTheCurveOfTheSpecification) {
    for (const auto& [pairs, mb_per_s] :
         {std::pair{64u, 100.2}, std::pair{128u, 62.4}, std::pair{192u, 30.4}}) {
        const double expected = mb_per_s * 184;
        EXPECT_NEAR(round_trips("goodness-2.4", pairs, kWork), expected, expected * 0.12) << pairs;
    }
    EXPECT_NEAR(round_trips("o1-2.5.22", 192, kWork) / round_trips("o1-2.5.22", 64, kWork), 1,
                0.05);
}

// lat_pipe: the waker blocks before the kicked CPU arrives and takes its wakee back, so a pair
// stays on one CPU. Measured 10.7 us a round trip; O(1) of 2.5.21, where it stays apart, 29.5
// to 35.4.
TEST(OneLock, WakerTakesItsWakeeBackBeforeTheKickedCpuArrives) {
    const double goodness_us = 1e6 / round_trips("goodness-2.4", 1, Duration{0});
    EXPECT_GT(goodness_us, 8);
    EXPECT_LT(goodness_us, 13);
}

}  // namespace
}  // namespace wakelab::property
