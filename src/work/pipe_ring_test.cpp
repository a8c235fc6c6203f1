#include "work/pipe_ring.hpp"

#include <gtest/gtest.h>

#include "policy/registry.hpp"
#include "work/scenario.hpp"

namespace wakelab::work {
namespace {

constexpr std::int64_t kBefore = 500, kAfter = 300, kUser = 50;

// Costs of which each is seen in the results below; all else is free.
topo::Machine machine(std::uint32_t cpus) {
    topo::Machine m;
    m.name = "ring";
    m.vendor = "intel";
    m.cpus = cpus;
    m.l1_kib = 32;
    for (std::uint32_t c = 0; c < cpus; ++c) {
        m.caches.push_back({.size_bytes = 4 << 20, .cpus = {CpuId{c}}});
        m.cache_of.push_back(c);
    }
    m.costs.pipe_before = kBefore;
    m.costs.pipe_after = kAfter;
    m.costs.switch_direct = 1'000;
    m.costs.wake = 400;
    return m;
}

struct Reading {
    std::int64_t latency_ns = 0;
    std::string log;
    std::uint64_t units = 0;
};

Reading reading(RingProgram program, std::uint32_t members, const topo::Machine& m,
                const std::vector<std::string>& features = {}) {
    const policy::SchedulerInfo& info = **policy::find_scheduler("cfs-2.6.26");
    PipeRing ring({.token_bytes = 4, .hop_user = kUser, .sample_laps = 20}, program, members);
    auto config = *policy::configure(info, m, features, {});
    config.kernel.no_hz = true;
    sim::Engine engine(m, {.scheduler = &info, .config = config, .seed = 1, .sink = nullptr});
    TaskChoices choices;
    ring.build(engine, choices);
    engine.run_until(Time{20'000'000});
    return {ring.latency_ns(), ring.log_table(), engine.counters().work_units};
}

// One CPU. A hop: write (500 + 300), read (500 + 300), user code 50, and between them one wake-up
// (400) and one switch (1000). The overhead is the calls and the user code: 1650.
TEST(PipeRing, LatCtxIsTheHopLessTheCallsItself) {
    const Reading two = reading(RingProgram::kLatCtx, 2, machine(1));
    EXPECT_EQ(two.latency_ns, 400 + 1'000);
    EXPECT_EQ(two.log, "size=0k ovr=1.65\n2 1.40\n");
}

// In a longer ring a member that is preempted behind its write may not be asleep yet when the token
// is back, which saves its wake-up. Without preemption every hop has its own.
TEST(PipeRing, AHopCostsTheSameInALongerRing) {
    const topo::Machine m = machine(1);
    EXPECT_EQ(reading(RingProgram::kLatCtx, 5, m, {"NO_WAKEUP_PREEMPT"}).latency_ns, 400 + 1'000);
    EXPECT_LE(reading(RingProgram::kLatCtx, 5, m).latency_ns, 400 + 1'000);
}

// A round trip is two hops with everything in them: 2 x (1650 + 1400).
TEST(PipeRing, PipeTestIsTheWholeRoundTrip) {
    const Reading r = reading(RingProgram::kPipeTest, 2, machine(1));
    EXPECT_EQ(r.latency_ns, 2 * (1'650 + 1'400));
    EXPECT_EQ(r.log, "6.10 usecs/loop.\n");
    EXPECT_NEAR(static_cast<double>(r.units), 20e6 / 6'100, 10);
}

// As work units lat_ctx counts hops, pipe-test loops.
TEST(PipeRing, ALapOfNMembersIsNHops) {
    const Reading r = reading(RingProgram::kLatCtx, 4, machine(1));
    EXPECT_EQ(r.units % 4, 0u);
}

TEST(PipeRing, AScenarioRefusesARingThatIsNone) {
    const auto refused = [](std::string workload, std::int32_t clients) {
        Scenario s;
        s.name = s.workload = std::move(workload);
        s.clients = clients;
        const auto made = make_workload(s, machine(2), {});
        return made ? std::string("accepted") : made.error().message;
    };
    EXPECT_EQ(refused("lat_ctx", 1), "lat_ctx: 1 clients: expected at least 2, the ring");
    EXPECT_EQ(refused("pipe-test", 3), "pipe-test: 3 clients: expected 2, the two ends");
    EXPECT_EQ(refused("lat_ctx", 24), "accepted");
}

TEST(PipeRing, ValuesCanBeOverridden) {
    PipeRingCosts costs;
    EXPECT_TRUE(set_pipe_ring_value(costs, "hop_user", 7));
    EXPECT_EQ(costs.hop_user, 7);
    EXPECT_NE(set_pipe_ring_value(costs, "hop_usr", 7).error().message.find("hop_user"),
              std::string::npos);
    EXPECT_TRUE(load_pipe_ring_costs());
}

}  // namespace
}  // namespace wakelab::work
