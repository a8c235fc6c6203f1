// Which CPU is told: the cases of goodness.md 10 (R, Y) on four CPUs. R6 needs a kernel booted with
// idle=poll, which is not modelled; its other half, an idle CPU that was told already, is here.
#include "policy/goodness/reschedule_idle.hpp"

#include <gtest/gtest.h>

#include "policy/goodness/schedule.hpp"
#include "policy/goodness/test_world.hpp"

namespace wakelab::policy::goodness {
namespace {

using test::TestWorld;
using Cpus = std::vector<std::uint32_t>;

Cpus marked(const TestWorld& w) {
    Cpus cpus;
    for (std::uint32_t c = 0; c < w.host.marked.size(); ++c)
        if (w.host.marked[c]) cpus.push_back(c);
    return cpus;
}

// Step A: p's last CPU is taken although CPU 3 is idle for longer.
TEST(RescheduleIdle, R1PreviousCpuFirst) {
    TestWorld w;
    w.add_running(6, 0, 1);
    w.add_running(6, 1, 2);
    w.cpu(2).last_schedule = Time{500};
    w.cpu(3).last_schedule = Time{300};
    w.reschedule_idle(w.add_queued(6, 2, 3));
    EXPECT_EQ(marked(w), Cpus{2});
    EXPECT_EQ(w.host.ipis, Cpus{2});
}

TEST(RescheduleIdle, R2CpuThatWentIdleFirst) {
    for (const auto& [since2, expected] : {std::pair{500, 3u}, std::pair{300, 2u}}) {
        TestWorld w;
        w.add_running(6, 0, 1);
        w.add_running(6, 1, 2);
        w.cpu(2).last_schedule = Time{since2};
        w.cpu(3).last_schedule = Time{300};
        w.reschedule_idle(w.add_queued(6, 1, 3));
        EXPECT_EQ(marked(w), Cpus{expected});
    }
}

// d = -1, 26, -15, -16: the used-up task of CPU 1 loses.
TEST(RescheduleIdle, R3LargestLead) {
    TestWorld w;
    w.add_running(6, 0, 1);
    w.add_running(0, 1, 1);
    w.add_running(5, 2, 3);
    w.add_running(6, 3, 4);
    const Placement done = w.reschedule_idle(w.add_queued(6, 0, 2));
    EXPECT_EQ(marked(w), Cpus{1});
    EXPECT_EQ(w.host.ipis, Cpus{1});
    EXPECT_EQ(done.examined, 4u);
    EXPECT_TRUE(done.ipi);
}

// The second wake-up finds need_resched of the busy CPU 1 set and sends an IPI all the same.
TEST(RescheduleIdle, R3BusyTargetGetsAnIpiEachTime) {
    TestWorld w;
    w.add_running(6, 0, 1);
    w.add_running(0, 1, 1);
    w.add_running(5, 2, 3);
    w.add_running(6, 3, 4);
    w.reschedule_idle(w.add_queued(6, 0, 2));
    w.reschedule_idle(w.add_queued(6, 0, 2));
    EXPECT_EQ(w.host.ipis, (Cpus{1, 1}));
}

TEST(RescheduleIdle, R4OwnCpuIsFlaggedWithoutIpi) {  // d0 = 8 - 6 - 1 = 1
    TestWorld w;
    w.add_running(6, 0, 1);
    w.add_running(6, 1, 1);
    w.add_running(5, 2, 3);
    w.add_running(6, 3, 4);
    const Placement done = w.reschedule_idle(w.add_queued(8, 0, 2));
    EXPECT_EQ(marked(w), Cpus{0});
    EXPECT_TRUE(w.host.ipis.empty());
    EXPECT_FALSE(done.ipi);
}

// Two wake-ups within the latency of the IPI land on CPU 1, and CPU 2 stays idle: lost parallelism.
TEST(RescheduleIdle, R5SecondWakeUpIsNotRedirected) {
    TestWorld w;
    w.add_running(6, 0, 1);
    w.add_running(6, 3, 2);
    SchedTask& p = w.add(6, 1, 5);
    SchedTask& q = w.add(6, 1, 5);
    w.wake(p);
    w.wake(q);
    EXPECT_EQ(marked(w), Cpus{1});
    EXPECT_EQ(w.host.ipis, Cpus{1});
    EXPECT_EQ(w.schedule(1), &q);  // the head of the list
    EXPECT_EQ(marked(w), Cpus{});
    EXPECT_TRUE(w.state().is_idle(CpuId{2}));
    EXPECT_EQ(w.schedule(2), &p);  // until somebody looks
}

TEST(RescheduleIdle, R6IdleCpuThatWasToldGetsNoSecondIpi) {
    TestWorld w;
    w.add_running(6, 0, 1);
    w.host.marked[2] = true;
    EXPECT_FALSE(w.reschedule_idle(w.add_queued(6, 2, 3)).ipi);
    EXPECT_TRUE(w.host.ipis.empty());
}

// p is still being switched out on CPU 3: nobody else may have it, although CPU 1 is idle. d = 1.
TEST(RescheduleIdle, R7OnlyTheCpuThatStillHoldsIt) {
    TestWorld w;
    w.add_running(6, 0, 1);
    w.add_running(6, 2, 1);
    w.add_running(4, 3, 3);
    SchedTask& p = w.add_queued(6, 3, 2);
    entity_of(p).occupies = CpuId{3};
    w.reschedule_idle(p);
    EXPECT_EQ(marked(w), Cpus{3});
    w.host.marked[3] = false;
    w.host.this_cpu = CpuId{3};
    schedule_tail(w.state(), CpuId{3}, entity_of(p));  // now all of them are looked at
    EXPECT_EQ(marked(w), Cpus{1});
    EXPECT_FALSE(entity_of(p).occupies.valid());
}

TEST(RescheduleIdle, R7UpTo2_4_14OnlyTheTailPlacesIt) {
    TestWorld w(4, "goodness-2.4.14");
    w.add_running(6, 0, 1);
    w.add_running(6, 2, 1);
    w.add_running(4, 3, 3);
    SchedTask& p = w.add_queued(6, 3, 2);
    entity_of(p).occupies = CpuId{3};
    w.reschedule_idle(p);
    EXPECT_EQ(marked(w), Cpus{});
    schedule_tail(w.state(), CpuId{3}, entity_of(p));
    EXPECT_EQ(marked(w), Cpus{1});
}

// Pairs {0,1}, {2,3}: CPU 1 is idle for longest, but its sibling is busy; both of 2, 3 are idle.
TEST(RescheduleIdle, R8IdleCoreBeforeIdleSibling) {
    for (const auto& [version, expected] :
         {std::pair{"goodness-2.4.17", 2u}, std::pair{"goodness-2.4.16", 1u}}) {
        TestWorld w(4, version);
        for (std::uint32_t c = 0; c < 4; ++c) w.cpu(c).sibling = CpuId{c ^ 1};
        w.add_running(6, 0, 1);
        w.cpu(1).last_schedule = Time{100};
        w.cpu(2).last_schedule = Time{900};
        w.cpu(3).last_schedule = Time{800};
        w.reschedule_idle(w.add_queued(6, 0, 2));
        EXPECT_EQ(marked(w), Cpus{expected}) << version;
    }
}

TEST(RescheduleIdle, SiblingsAreThePairsOfTheMachine) {
    topo::Machine machine = test::osdl_box(4);
    machine.smt = {{CpuId{0}, CpuId{2}}};
    test::FakeHost host(4);
    const State s(goodness_version("goodness-2.4.17"), 100, 15, machine, host);
    EXPECT_EQ(s.cpus[0].sibling, CpuId{2});
    EXPECT_EQ(s.cpus[2].sibling, CpuId{0});
    EXPECT_FALSE(s.cpus[1].sibling.valid());
}

TEST(RescheduleIdle, OneCpuComparesOnly) {  // 5.3; mm decides a tie in favour of the running task
    TestWorld w(1);
    w.add_running(5, 0, 1);
    w.reschedule_idle(w.add_queued(6, 0, 2));
    EXPECT_EQ(marked(w), Cpus{});
    w.reschedule_idle(w.add_queued(7, 0, 2));
    EXPECT_EQ(marked(w), Cpus{0});
}

TEST(SyncWakeUp, TellsNobodyAndTheWakerTakesTheWakee) {
    TestWorld w;
    w.add_running(6, 0, 1);
    SchedTask& p = w.add(6, 1, 2);
    w.wake(p, 0, true);
    EXPECT_EQ(marked(w), Cpus{});
    EXPECT_TRUE(w.host.ipis.empty());
    EXPECT_EQ(p.cpu, CpuId{1});
    EXPECT_EQ(w.block(0), &p);
    EXPECT_EQ(p.cpu, CpuId{0});
    EXPECT_EQ(w.host.taken, std::vector<TaskId>{p.id});
}

TEST(SyncWakeUp, OfATaskThatMayNotRunHereIsPlain) {
    TestWorld w;
    w.add_running(6, 0, 1);
    SchedTask& p = w.add(6, 1, 2);
    p.allowed = topo::CpuMask::of_word(0b0110);
    w.wake(p, 0, true);
    EXPECT_EQ(marked(w), Cpus{1});
    EXPECT_EQ(w.host.ipis, Cpus{1});
}

// B: the test is made at the wake-up only. 11 against 6: 11 - 6 - 1 = 4; 6 against 6: -1; 6 against
// 4: 1.
TEST(Sleeper, PreemptsAHogThatHasUsedEnough) {
    for (const auto& [sleeper, hog, preempts] :
         {std::tuple{11, 6, true}, std::tuple{6, 6, false}, std::tuple{6, 4, true}}) {
        TestWorld w(1);
        w.add_running(hog, 0, 1);
        w.wake(w.add(sleeper, 0, 2));
        EXPECT_EQ(w.host.marked[0], preempts) << sleeper << " against " << hog;
    }
}

// Not preempted at 6, the hog keeps the CPU for six ticks; no tick repeats the test.
TEST(Sleeper, WaitsUntilTheHogsTicksAreUsedUp) {
    TestWorld w(1);
    SchedTask& hog = w.add_running(6, 0, 1);
    SchedTask& sleeper = w.add(6, 0, 2);
    w.wake(sleeper);
    for (int ticks = 1; ticks <= 5; ++ticks) {
        w.tick(0);
        EXPECT_EQ(w.sched.curr(CpuId{0}), &hog) << ticks;
    }
    w.tick(0);
    EXPECT_EQ(w.sched.curr(CpuId{0}), &sleeper);
}

}  // namespace
}  // namespace wakelab::policy::goodness
