// Slices, arrays, interactivity and fork: the single-CPU tests of o1.md 4 and 13.
#include <gtest/gtest.h>

#include <vector>

#include "policy/core.hpp"
#include "policy/o1/fork_exit.hpp"
#include "policy/o1/test_world.hpp"

namespace wakelab::policy::o1::test {
namespace {

constexpr CpuId kCpu{0};
constexpr std::uint64_t kMs = 1'000'000;

// One jiffy later: tick, and schedule() if it asked for that.
void tick(TestWorld& w) {
    ++w.host.jiffy;
    w.host.time = w.host.time + Duration{static_cast<std::int64_t>(w.state().prio.tick_ns)};
    w.sched.tick(kCpu);
    if (!w.host.need_resched(kCpu)) return;
    w.host.resched_marks[kCpu.v] = false;
    schedule(w.sched, kCpu, w.sched.curr(kCpu));
}

TEST(Slices, TwoHogsAlternateEvery100Ms) {
    TestWorld w("o1-2.6.22", private_caches(1), 250);
    w.host.jiffy = 1000;
    const SchedTask* a = &w.add_queued(0);
    const SchedTask* b = &w.add_queued(0);
    for (int turn = 0; turn < 6; ++turn) {
        for (int i = 0; i < 25; ++i) {
            EXPECT_EQ(w.sched.curr(kCpu), turn % 2 == 0 ? a : b) << turn << " " << i;
            tick(w);
        }
    }
}

TEST(Slices, RoundRobinTasksRotateAndFifoTasksDoNot) {
    for (const SchedPolicy policy : {SchedPolicy::kRr, SchedPolicy::kFifo}) {
        TestWorld w("o1-2.6.22", private_caches(1), 250);
        SchedTask& a = w.add_queued(0);
        SchedTask& b = w.add_queued(0);
        for (SchedTask* p : {&a, &b}) w.sched.set_policy(*p, policy, 0, 10);
        EXPECT_EQ(entity_of(a).prio, 89);  // 99 - 10
        for (int i = 0; i < 25; ++i) tick(w);
        EXPECT_EQ(w.sched.curr(kCpu), policy == SchedPolicy::kRr ? &b : &a);
    }
}

// nice 0, 750 ms (bonus 7, prio 118 <= 118), last jiffy of its slice.
TestWorld& interactive_at_slice_end(TestWorld& w) {
    SchedTask& p = w.add_queued(0, 750 * kMs);
    w.host.jiffy = 10'000;
    entity_of(p).time_slice = 1;
    return w;
}

TEST(Expiry, InteractiveTaskStaysActiveUnlessTheExpiredStarve) {
    TestWorld w("o1-2.6.22", private_caches(1), 250);
    interactive_at_slice_end(w).sched.tick(kCpu);
    EXPECT_EQ(w.entity(0).array, w.rq(0).active);
    EXPECT_EQ(w.entity(0).time_slice, 25u);
    EXPECT_TRUE(w.host.need_resched(kCpu));

    TestWorld better("o1-2.6.22", private_caches(1), 250);
    interactive_at_slice_end(better).rq(0).best_expired_prio = 110;  // 120 > 110
    better.sched.tick(kCpu);
    EXPECT_EQ(better.entity(0).array, better.rq(0).expired);
    EXPECT_EQ(better.rq(0).best_expired_prio, 110);
}

TEST(Expiry, StarvationLimitGrowsWithTheQueueExceptInEl) {
    struct Row {
        std::string_view version;
        std::uint32_t hz;
        std::uint64_t waited;
        bool expires;
    };
    // 2.6.22, HZ 250, three tasks: more than 250 * 3 jiffies since expired_timestamp. EL, HZ 1000:
    // more than 1000 since the last switch, however many tasks there are.
    const std::vector<Row> rows = {{"o1-2.6.22", 250, 750, false},
                                   {"o1-2.6.22", 250, 751, true},
                                   {"o1-2.6.9-el", 1000, 1000, false},
                                   {"o1-2.6.9-el", 1000, 1001, true}};
    for (const Row& row : rows) {
        TestWorld w(row.version, private_caches(1), row.hz);
        interactive_at_slice_end(w);
        w.add_queued(0);
        w.add_queued(0);
        w.rq(0).expired_timestamp = w.rq(0).switch_timestamp = w.host.jiffy - row.waited;
        w.sched.tick(kCpu);
        EXPECT_EQ(w.entity(0).array == w.rq(0).expired, row.expires) << row.version << row.waited;
    }
}

// Jiffies of the slice used when the tick moved the task to the tail of its list.
std::vector<std::uint32_t> rotations(std::uint32_t hz) {
    TestWorld w("o1-2.6.22", private_caches(2), hz);
    SchedTask& p = w.add_queued(0, 1000 * kMs);
    std::vector<std::uint32_t> used;
    const std::uint32_t slice = entity_of(p).time_slice;
    while (entity_of(p).time_slice > 1) {
        w.sched.tick(kCpu);
        if (w.host.need_resched(kCpu)) used.push_back(slice - entity_of(p).time_slice);
        w.host.resched_marks[0] = false;
    }
    return used;
}

TEST(Granularity, InteractiveTasksShareASlice) {
    // Two CPUs, bonus 10: every 20 jiffies of 100 at HZ 1000, every 4 of 25 at HZ 250.
    EXPECT_EQ(rotations(1000), (std::vector<std::uint32_t>{20, 40, 60, 80}));
    EXPECT_EQ(rotations(250), (std::vector<std::uint32_t>{4, 8, 12, 16, 20}));
}

TEST(Yield, MovesToTheExpiredArrayAndRealTimeToTheTail) {
    TestWorld w("o1-2.6.22", private_caches(1), 250);
    SchedTask& a = w.add_queued(0);
    SchedTask& b = w.add_queued(0);
    w.sched.yield(kCpu);
    EXPECT_EQ(entity_of(a).array, w.rq(0).expired);
    EXPECT_EQ(schedule(w.sched, kCpu, &a), &b);
    w.sched.set_policy(b, SchedPolicy::kFifo, 0, 1);
    w.sched.yield(kCpu);
    EXPECT_EQ(entity_of(b).array, w.rq(0).active);
    EXPECT_EQ(schedule(w.sched, kCpu, &b), &b);
}

TEST(Fork, ChildRunsFirstAndBothLosePartOfTheirBonus) {
    TestWorld w("o1-2.6.22", private_caches(2), 250);
    SchedTask& parent = w.add_queued(0, 750 * kMs);
    SchedTask child = parent;
    child.id = TaskId{1};
    child.cpu = w.sched.fork(&parent, child, kCpu);
    EXPECT_EQ(child.cpu, kCpu);
    w.sched.wake_up_new(child, &parent, kCpu);
    EXPECT_EQ(entity_of(parent).sleep_avg, 700 * kMs);  // bonus 7
    EXPECT_EQ(entity_of(child).sleep_avg, 600 * kMs);   // 7 * 95 / 100 = 6
    EXPECT_EQ(entity_of(child).prio, 118);              // the parent's, until recalculated
    EXPECT_EQ(entity_of(child).time_slice, 13u);        // (25 + 1) / 2
    EXPECT_EQ(entity_of(parent).time_slice, 12u);
    EXPECT_EQ(w.rq(0).active->head(118), &entity_of(child));
    EXPECT_TRUE(w.host.need_resched(kCpu));
    EXPECT_EQ(w.rq(0).raw_weighted_load, 256u);
    EXPECT_EQ(schedule(w.sched, kCpu, &parent), &child);
}

TEST(Fork, ThreadsRunAfterTheirParent) {
    TestWorld w("o1-2.6.22", private_caches(1), 250);
    SchedTask& parent = w.add_queued(0, 750 * kMs);
    SchedTask child = parent;
    child.id = TaskId{1};
    w.sched.fork(&parent, child, kCpu);
    child.mm = parent.id;
    w.sched.wake_up_new(child, &parent, kCpu);
    EXPECT_EQ(entity_of(child).prio, 119);  // 600 ms: bonus 6
    EXPECT_FALSE(w.host.need_resched(kCpu));
}

TEST(Exit, FirstSliceReturnsToAParentOnTheSameCpu) {
    for (const bool same_cpu : {true, false}) {
        TestWorld w("o1-2.6.22", private_caches(2), 250);
        SchedTask& parent = w.add(0, 800 * kMs);
        SchedTask& child = w.add(same_cpu ? 0 : 1, 400 * kMs);
        entity_of(parent).time_slice = 10;
        entity_of(child).time_slice = 8;
        entity_of(child).first_time_slice = true;
        w.sched.exit(child, &parent);
        EXPECT_EQ(entity_of(parent).time_slice, same_cpu ? 18u : 10u);
        EXPECT_EQ(entity_of(parent).sleep_avg, 700 * kMs);  // 800 / 4 * 3 + 400 / 4
    }
}

TEST(Batch, RunsFirstInFirstOutWhateverItSlept) {
    // o1.md 13.13: A runs; B and C wake into `expired`; A blocks: B, then C.
    TestWorld w("o1-2.6.22", private_caches(1), 250);
    std::vector<SchedTask*> tasks = {&w.add_queued(0), &w.add(0, 0), &w.add(0, 900 * kMs)};
    for (SchedTask* p : tasks) w.sched.set_policy(*p, SchedPolicy::kBatch, 0, 0);
    SchedTask &a = *tasks[0], &b = *tasks[1], &c = *tasks[2];
    schedule(w.sched, kCpu, &a);  // its own change of policy expired A: the arrays switch
    for (SchedTask* p : {&b, &c}) try_to_wake_up(w.sched, *p, {.this_cpu = kCpu, .waker = &a});
    EXPECT_EQ(ids_of(*w.rq(0).expired), (std::vector<std::uint32_t>{1, 2}));
    EXPECT_EQ(entity_of(c).sleep_avg, 0u);
    a.state = TaskState::kInterruptible;
    EXPECT_EQ(schedule(w.sched, kCpu, &a), &b);
    b.state = TaskState::kInterruptible;
    EXPECT_EQ(schedule(w.sched, kCpu, &b), &c);
}

TEST(Renice, TakesPriorityAndWeightAtOnce) {
    TestWorld w("o1-2.6.22", private_caches(1), 250);
    SchedTask& running = w.add_queued(0, 500 * kMs);
    SchedTask& waiting = w.add_queued(0, 500 * kMs);
    w.sched.set_policy(waiting, SchedPolicy::kNormal, -5, 0);
    EXPECT_EQ(entity_of(waiting).prio, 115);  // 115 - 0
    EXPECT_EQ(w.rq(0).raw_weighted_load, 128u + 640u);
    EXPECT_TRUE(w.host.need_resched(kCpu));
    w.host.resched_marks[0] = false;
    w.sched.set_policy(running, SchedPolicy::kNormal, 5, 0);  // running, and worse now
    EXPECT_TRUE(w.host.need_resched(kCpu));
}

TEST(Renice, LosesTheBonusUpTo2_6_17) {
    TestWorld w("o1-2.6.16", private_caches(1), 250);
    SchedTask& p = w.add_queued(0, 1000 * kMs);
    EXPECT_EQ(entity_of(p).prio, 115);
    w.sched.set_policy(p, SchedPolicy::kNormal, 1, 0);
    EXPECT_EQ(entity_of(p).prio, 121);
}

TEST(Affinity, QueuedTaskMovesAndRunningTaskIsLeftToTheCaller) {
    TestWorld w("o1-2.6.22", private_caches(2), 250);
    SchedTask& running = w.add_queued(0);
    SchedTask& waiting = w.add_queued(0);
    const topo::CpuMask other = topo::CpuMask::of_word(2);
    EXPECT_FALSE(w.sched.set_allowed(waiting, other));
    EXPECT_EQ(waiting.cpu, CpuId{1});
    EXPECT_EQ(w.rq(1).nr_running, 1u);
    EXPECT_TRUE(w.host.need_resched(CpuId{1}));
    EXPECT_TRUE(w.sched.set_allowed(running, other));
    EXPECT_EQ(running.cpu, CpuId{0});
}

TEST(Start, HistoryOfATaskDependsOnSeedAndIdOnly) {
    TestWorld one("o1-2.6.22", private_caches(1), 250), two("o1-2.6.22", private_caches(1), 250);
    SchedTask a, b, other;
    a.id = b.id = TaskId{7};
    other.id = TaskId{8};
    for (SchedTask* p : {&a, &b, &other}) {
        p->cpu = kCpu;
        p->allowed.set(kCpu);
    }
    one.sched.attach(other);
    one.sched.attach(a);
    two.sched.attach(b);
    EXPECT_EQ(entity_of(a).sleep_avg, entity_of(b).sleep_avg);
    EXPECT_EQ(entity_of(a).time_slice, entity_of(b).time_slice);
    EXPECT_NE(entity_of(a).sleep_avg, entity_of(other).sleep_avg);
}

}  // namespace
}  // namespace wakelab::policy::o1::test
