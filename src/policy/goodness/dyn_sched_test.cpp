// dyn-sched (goodness.md 11): slice and bonus apart.
#include <gtest/gtest.h>

#include "policy/goodness/goodness.hpp"
#include "policy/goodness/schedule.hpp"
#include "policy/goodness/slice.hpp"
#include "policy/goodness/test_world.hpp"

namespace wakelab::policy::goodness {
namespace {

using test::counter;
using test::TestWorld;

constexpr CpuId kCpu{0};

TestWorld dyn_world() {
    return TestWorld(1, "goodness-2.4-dyn");
}

// (10000 + 2051 * 39) * 100 / 10^6 = 8, 48969 / 10^4 = 4, 10000 / 10^4 = 1.
TEST(DynSched, Slices) {
    EXPECT_EQ(dyn_slice(-20, 100), 8);
    EXPECT_EQ(dyn_slice(0, 100), 4);
    EXPECT_EQ(dyn_slice(19, 100), 1);
}

TEST(DynSched, GoodnessCountsTheBonusNotTheSlice) {
    TestWorld w(4, "goodness-2.4-dyn");
    SchedTask& p = w.add(4, 0, 1);
    entity_of(p).dyn_prio = 10;
    EXPECT_EQ(goodness(w.state(), entity_of(p), kCpu, TaskId{1}), 10 + 1 + 20 + 15 + 1);
    entity_of(p).counter = 0;
    EXPECT_EQ(goodness(w.state(), entity_of(p), kCpu, TaskId{1}), 0);
}

TEST(DynSched, SleepersGainOneForEachRecalculationUpToForty) {
    auto w = dyn_world();
    w.add_running(4, 0, 1);
    SchedTask& p = w.add(0, 0, 2);
    w.state().rcl_curr = 7;
    w.wake(p);
    EXPECT_EQ(entity_of(p).dyn_prio, 7);
    EXPECT_EQ(counter(p), 0);  // no new slice before the next recalculation
    SchedTask& q = w.add(0, 0, 2);
    w.state().rcl_curr = 1000;
    w.wake(q);
    EXPECT_EQ(entity_of(q).dyn_prio, 40);
}

TEST(DynSched, UsedUpSliceCostsOne) {
    auto w = dyn_world();
    SchedTask& p = w.add_running(2, 0, 1);
    entity_of(p).dyn_prio = 3;
    w.sched.tick(kCpu);
    EXPECT_FALSE(w.host.marked[0]);
    w.sched.tick(kCpu);
    EXPECT_TRUE(w.host.marked[0]);
    EXPECT_EQ(entity_of(p).dyn_prio, 2);
    w.sched.tick(kCpu);  // still on the CPU: asked again, not charged again
    EXPECT_EQ(entity_of(p).dyn_prio, 2);
}

TEST(DynSched, RecalculationLeavesSleepersAlone) {
    auto w = dyn_world();
    SchedTask& asleep = w.add(1, 0, 3);
    SchedTask& waiting = w.add_queued(0, 0, 2);
    w.add_running(0, 0, 1);
    w.schedule(0);
    EXPECT_EQ(counter(asleep), 1);
    EXPECT_EQ(counter(waiting), 4);
    EXPECT_EQ(w.state().rcl_curr, 1u);
}

TEST(DynSched, YieldRollsToTheTailAndKeepsTheSlice) {
    auto w = dyn_world();
    SchedTask& p = w.add_running(3, 0, 1);
    SchedTask& q = w.add_queued(3, 0, 1);
    w.sched.yield(kCpu);
    EXPECT_EQ(w.state().queue.head(), &entity_of(q));
    EXPECT_EQ(w.schedule(0), &q);
    EXPECT_EQ(counter(p), 3);
}

}  // namespace
}  // namespace wakelab::policy::goodness
