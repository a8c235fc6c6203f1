// schedule(): the cases of goodness.md 10 (S, H, F), on CPU 0.
#include "policy/goodness/schedule.hpp"

#include <gtest/gtest.h>

#include <string>

#include "policy/goodness/test_world.hpp"

namespace wakelab::policy::goodness {
namespace {

using test::counter;
using test::TestWorld;

constexpr CpuId kCpu{0};

SchedTask* next_of(TestWorld& w) {
    return w.schedule(0);
}

TEST(Schedule, S1EqualsGoToTheOneNearerTheHead) {
    for (const auto& [x, version, prev_wins] :
         {std::tuple{6, "goodness-2.4.17", true},     // 41 < 42
          std::tuple{7, "goodness-2.4.17", false},    // 42 = 42
          std::tuple{7, "goodness-2.4.14", true}}) {  // prev is looked at first
        TestWorld w(4, version);
        SchedTask& first = w.add_queued(x, 0, 2);
        SchedTask& prev = w.add_running(6, 0, 1);
        EXPECT_EQ(next_of(w), prev_wins ? &prev : &first) << version << ", counter " << x;
    }
}

TEST(Schedule, S2LastCpuCountsMoreThanTheCounter) {  // 11 + 20 = 31 against 1 + 20 + 15 = 36
    TestWorld w;
    w.add_queued(11, 1, 2);
    SchedTask& z = w.add_queued(1, 0, 3);
    w.add_running(6, 0, 1);
    EXPECT_EQ(w.block(0), &z);
}

TEST(Schedule, S3RecalculatesForSleepersToo) {
    TestWorld w;
    SchedTask& candidate = w.add_queued(0, 0, 2);
    SchedTask& prev = w.add_running(4, 0, 1);
    EXPECT_EQ(w.block(0), &candidate);
    EXPECT_EQ(counter(candidate), 6);
    EXPECT_EQ(counter(prev), 8);  // 4 / 2 + 6, asleep
}

TEST(Schedule, S4YieldToAnExhaustedTaskRecalculates) {
    TestWorld w;
    SchedTask& prev = w.add_running(6, 0, 1);
    SchedTask& other = w.add_queued(0, 0, 1);
    w.sched.yield(kCpu);
    EXPECT_EQ(next_of(w), &other);
    EXPECT_EQ(counter(other), 6);
    EXPECT_EQ(counter(prev), 9);
    EXPECT_FALSE(entity_of(prev).yielding);
}

TEST(Schedule, S4YieldWithNobodyWaitingDoesNothing) {
    TestWorld w;
    SchedTask& prev = w.add_running(6, 0, 1);
    w.sched.yield(kCpu);
    EXPECT_FALSE(w.host.marked[0]);
    EXPECT_FALSE(entity_of(prev).yielding);
}

// Two CPUs, A on 0, B on 1, C queued: 3 - 2 = 1 waits, so A is flagged and goes to the tail.
TEST(Schedule, S5YieldCountsWhoWaits) {
    TestWorld w(2);
    SchedTask& a = w.add_running(6, 0, 1);
    w.add_running(6, 1, 2);
    SchedTask& c = w.add_queued(6, 0, 3);
    w.sched.yield(kCpu);
    EXPECT_TRUE(w.host.marked[0]);
    EXPECT_TRUE(entity_of(a).yielding);
    EXPECT_EQ(entity_of(c).next, &entity_of(a));
    EXPECT_EQ(next_of(w), &c);
}

TEST(Schedule, S5YieldWhenEveryTaskHasACpu) {
    TestWorld w(2);
    SchedTask& a = w.add_running(6, 0, 1);
    w.add_running(6, 1, 2);
    w.sched.yield(kCpu);
    EXPECT_FALSE(w.host.marked[0]);
    EXPECT_FALSE(entity_of(a).yielding);
}

TEST(Schedule, YieldKeepsItsPlaceUpTo2_4_14) {
    TestWorld w(1, "goodness-2.4.14");
    SchedTask& a = w.add_running(6, 0, 1);
    w.add_queued(6, 0, 2);
    w.sched.yield(kCpu);
    EXPECT_EQ(w.state().queue.head(), &entity_of(a));
    EXPECT_TRUE(entity_of(a).yielding);
}

TEST(Schedule, S6FifoIsAskedAtEveryTickAndChosenAgain) {
    TestWorld w(1);
    SchedTask& p = w.add_running(2, 0, 1);
    p.policy = SchedPolicy::kFifo;
    p.rt_priority = 50;
    w.add_queued(6, 0, 2);
    w.sched.tick(kCpu);
    EXPECT_FALSE(w.host.marked[0]);
    for (int i = 0; i < 3; ++i) {
        w.sched.tick(kCpu);
        EXPECT_TRUE(w.host.marked[0]);
        EXPECT_EQ(next_of(w), &p);
    }
}

TEST(Schedule, S6RoundRobinEverySixTicks) {
    TestWorld w(1);
    SchedTask& a = w.add_running(6, 0, 1);
    SchedTask& b = w.add_queued(6, 0, 2);
    for (SchedTask* p : {&a, &b}) {
        p->policy = SchedPolicy::kRr;
        p->rt_priority = 50;
    }
    for (int tick = 1; tick <= 24; ++tick) {
        w.tick(0);
        EXPECT_EQ(w.sched.curr(kCpu), tick / 6 % 2 == 0 ? &a : &b) << tick;
    }
}

TEST(Schedule, S7KickedForATaskThatIsGone) {
    TestWorld w;
    w.cpu(0).last_schedule = Time{100};
    w.host.time = Time{900};
    w.host.marked[0] = true;
    EXPECT_EQ(next_of(w), nullptr);
    EXPECT_EQ(w.cpu(0).last_schedule, Time{100});
}

// cpus_runnable: a task that runs elsewhere is no candidate.
TEST(Schedule, RunningTasksBelongToTheirCpu) {
    TestWorld w;
    w.add_running(20, 1, 2);
    SchedTask& prev = w.add_running(1, 0, 1);
    EXPECT_EQ(next_of(w), &prev);
    EXPECT_EQ(w.block(0), nullptr);
}

// The tail: a preempted task is pushed to the idle CPU 2.
TEST(Schedule, PreemptedTasksAreOffered) {
    TestWorld w(3);
    w.add_running(6, 1, 2);
    SchedTask& prev = w.add_running(4, 0, 1);
    SchedTask& better = w.add_queued(11, 0, 3);
    EXPECT_EQ(next_of(w), &better);
    EXPECT_TRUE(w.host.marked[2]);
    EXPECT_EQ(w.schedule(2), &prev);
    EXPECT_EQ(prev.cpu, CpuId{2});
}

// The idle task still has the address space of its predecessor loaded.
TEST(Schedule, IdleCpuRemembersTheAddressSpace) {
    TestWorld w(1);
    w.add_running(6, 0, 1);
    EXPECT_EQ(w.block(0), nullptr);
    w.add_queued(6, 0, 2);
    SchedTask& same = w.add_queued(6, 0, 1);
    EXPECT_EQ(next_of(w), &same);
}

TEST(Schedule, WakeUpsInsertAtTheTailFrom2_4_20) {
    for (const auto& [version, at_head] :
         {std::pair{"goodness-2.4.17", true}, std::pair{"goodness-2.4.20", false}}) {
        TestWorld w(1, version);
        w.add_running(6, 0, 1);
        SchedTask& p = w.add(6, 0, 2);
        w.wake(p);
        EXPECT_EQ(w.state().queue.head() == &entity_of(p), at_head) << version;
    }
}

// Run lengths in ticks: "A6 B12 ..".
std::string hogs(std::uint32_t count, bool same_mm, int runs) {
    TestWorld w(1);
    for (std::uint32_t i = 0; i < count; ++i) {
        if (i == 0)
            w.add_running(6, 0, 0);
        else
            w.add_queued(6, 0, same_mm ? 0 : i);
    }
    std::string text;
    while (runs-- > 0) {
        const SchedTask* const running = w.sched.curr(kCpu);
        int ticks = 0;
        while (w.sched.curr(kCpu) == running) {
            w.tick(0);
            ++ticks;
        }
        text += static_cast<char>('A' + running->id.v) + std::to_string(ticks) + " ";
    }
    return text;
}

// After each recalculation the running one keeps the + 1 for its address space.
TEST(Hogs, TakeTurns) {
    EXPECT_EQ(hogs(2, false, 4), "A6 B12 A12 B12 ");
    EXPECT_EQ(hogs(2, true, 4), "A6 B6 A6 B6 ");
    EXPECT_EQ(hogs(3, false, 8), "A6 B6 C12 A6 B12 A6 C12 A6 ");
}

TEST(Hogs, ShareByTheirTicks) {
    for (const auto& [nice_a, nice_b, share_a, share_b] :
         {std::tuple{0, 19, 6, 1}, std::tuple{0, 10, 2, 1}, std::tuple{-20, 0, 11, 6}}) {
        TestWorld w(1);
        SchedTask& a = w.add_running(6, 0, 1, nice_a);
        w.add_queued(6, 0, 2, nice_b);
        int ticks_a = 0;
        constexpr int kTicks = 10'000;
        for (int i = 0; i < kTicks; ++i) {
            ticks_a += w.sched.curr(kCpu) == &a ? 1 : 0;
            w.tick(0);
        }
        EXPECT_NEAR(ticks_a, kTicks * share_a / (share_a + share_b), 20) << nice_a << " " << nice_b;
    }
}

struct Family {
    explicit Family(int ticks) : parent(w.add_running(ticks, 0, 1)) {
        child.id = TaskId{99};
        child.cpu = kCpu;
        child.mm = TaskId{2};
        child.allowed = parent.allowed;
        child.state = TaskState::kRunning;
        w.sched.fork(&parent, child, kCpu);
    }
    TestWorld w{1};
    SchedTask& parent;
    SchedTask child;
};

TEST(Fork, SharesTheTicks) {
    for (const auto& [ticks, child, parent, resched] :
         {std::tuple{6, 3, 3, false}, std::tuple{5, 3, 2, false}, std::tuple{1, 1, 0, true},
          std::tuple{0, 0, 0, true}}) {
        Family f(ticks);
        EXPECT_EQ(counter(f.child), child) << ticks;
        EXPECT_EQ(counter(f.parent), parent) << ticks;
        EXPECT_EQ(f.w.host.marked[0], resched) << ticks;
    }
}

// Parent 5 -> 2, child 3: 3 - 2 - 1 = 0 for a process, 1 for a thread.
TEST(Fork, ThreadPreemptsItsCreatorWhereAProcessDoesNot) {
    Family process(5);
    process.w.sched.wake_up_new(process.child, &process.parent, kCpu);
    EXPECT_FALSE(process.w.host.marked[0]);
    Family thread(5);
    thread.child.mm = thread.parent.mm;
    thread.w.sched.wake_up_new(thread.child, &thread.parent, kCpu);
    EXPECT_TRUE(thread.w.host.marked[0]);
}

TEST(Exit, ReturnsTheTicksUpToTwenty) {
    for (const auto& [parent, child, after] : {std::tuple{9, 3, 12}, std::tuple{15, 8, 20}}) {
        Family f(6);
        entity_of(f.parent).counter = parent;
        entity_of(f.child).counter = child;
        f.w.sched.exit(f.child, &f.parent);
        EXPECT_EQ(counter(f.parent), after);
    }
}

TEST(SetPolicy, MovesToTheHeadUpTo2_4_19AndNiceDoesNothing) {
    for (const auto& [version, moves] :
         {std::pair{"goodness-2.4.17", true}, std::pair{"goodness-2.4.20", false}}) {
        TestWorld w(1, version);
        SchedTask& first = w.add_queued(6, 0, 2);
        SchedTask& p = w.add_running(6, 0, 1);
        w.sched.set_policy(p, SchedPolicy::kNormal, 5, 0);
        EXPECT_FALSE(w.host.marked[0]);
        EXPECT_EQ(counter(p), 6);
        w.sched.set_policy(p, SchedPolicy::kFifo, 5, 50);
        EXPECT_TRUE(w.host.marked[0]);
        EXPECT_EQ(w.state().queue.head(), moves ? &entity_of(p) : &entity_of(first));
    }
}

}  // namespace
}  // namespace wakelab::policy::goodness
