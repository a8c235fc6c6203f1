#include <gtest/gtest.h>

#include "policy/cfs/test_world.hpp"

namespace wakelab::policy::cfs {

namespace {

// cfs.md UT-6: two waiting nice-0 tasks; `lag` = how far the buddy is behind the leftmost.
bool picks_buddy(std::string_view key, std::uint64_t lag, std::uint32_t tasks = 2) {
    TestWorld w(key, "x2");
    w.boot();
    for (std::uint32_t i = 0; i < tasks; ++i) {
        w.add_task(0);
        w.se(i).vruntime = 1000 * kMs;
    }
    w.se(1).vruntime = 1000 * kMs + lag;
    for (std::uint32_t i = 2; i < tasks; ++i) w.se(i).vruntime = 5000 * kMs;
    for (std::uint32_t i = 0; i < tasks; ++i) w.queue(i);
    w.rq(0).cfs.next = &w.se(1);
    return &pick_next_entity(w.state(), w.rq(0)) == &w.se(1);
}

// V25: 10 ms * 1024 / 2048 with the short inverse = 4997559; n = 3: 3332245, n = 8: 1249845.
TEST(PickEntity, BuddyWithinItsVersionsLag) {
    EXPECT_TRUE(picks_buddy("V25", 4997559));
    EXPECT_FALSE(picks_buddy("V25", 4997560));
    EXPECT_TRUE(picks_buddy("V25", 3332245, 3));
    EXPECT_FALSE(picks_buddy("V25", 3332246, 3));
    EXPECT_TRUE(picks_buddy("V25", 2499387, 4));
    EXPECT_FALSE(picks_buddy("V25", 2499388, 4));
    EXPECT_TRUE(picks_buddy("V25", 1249845, 8));
    EXPECT_FALSE(picks_buddy("V25", 1249846, 8));
    EXPECT_TRUE(picks_buddy("V26", 20 * kMs));
    EXPECT_FALSE(picks_buddy("V26", 20 * kMs + 1));
    EXPECT_TRUE(picks_buddy("V26A", 40 * kMs));
    EXPECT_FALSE(picks_buddy("V26A", 40 * kMs + 1));
    EXPECT_TRUE(picks_buddy("V28", 10 * kMs));
    EXPECT_FALSE(picks_buddy("V28", 10 * kMs + 1));
    EXPECT_TRUE(picks_buddy("V28", 0)) << "equal counts as behind, so not preempting";
    EXPECT_FALSE(picks_buddy("V24", 0)) << "V24 knows no buddies";
}

// V27 looks at the time since another was picked, not at the lag: a slice of two tasks is 19990244
// ns.
TEST(PickEntity, PairSliceOf2627) {
    for (const std::uint64_t since : {19990244u, 19990245u}) {
        TestWorld w("V27", "x2");
        w.boot();
        w.add_task(0);
        w.add_task(0);
        w.se(1).vruntime = w.se(0).vruntime + 500 * kMs;
        w.queue(0);
        w.queue(1);
        w.rq(0).cfs.next = &w.se(1);
        w.rq(0).clock = 100 * kMs + since;
        w.rq(0).cfs.pair_start = 100 * kMs;
        const bool buddy = &pick_next_entity(w.state(), w.rq(0)) == &w.se(1);
        EXPECT_EQ(buddy, since == 19990244);
    }
}

// Two tasks alternate: each runs until the tick at which it has had more than its 20 ms slice.
TEST(FairTick, SliceEndsAtTheFirstTickAfterIt) {
    TestWorld w("V26", "x2");
    w.boot();
    w.add_task(0);
    w.add_task(0);
    w.queue(0);
    w.queue(1);
    SchedTask* first = schedule(*w.sched, CpuId{0}, nullptr);
    ASSERT_EQ(first, w.tasks[0].get());
    for (int tick = 1; tick <= 6; ++tick) {
        EXPECT_FALSE(w.host.marked[0]) << "before tick " << tick;
        w.host.time = tick * 4'000'000;
        w.sched->tick(CpuId{0});
    }
    EXPECT_TRUE(w.host.marked[0]) << "24 ms > 20 ms";
    EXPECT_EQ(schedule(*w.sched, CpuId{0}, first), w.tasks[1].get());
}

// With the slice timer the 20 ms are exact: the timer is armed with what is left and its expiry
// reschedules.
TEST(FairTick, SliceTimerIsArmedAtThePick) {
    TestWorld w("V26", "x2");
    w.config.kernel.high_res = true;
    w.boot();
    w.add_task(0);
    w.add_task(0);
    w.queue(0);
    w.queue(1);
    schedule(*w.sched, CpuId{0}, nullptr);
    EXPECT_EQ(w.host.timer[0], 20'000'000);
    w.host.time = 20'000'000;
    w.sched->tick(CpuId{0});
    EXPECT_FALSE(w.host.marked[0]) << "the tick leaves it to the timer";
    w.sched->hrtick(CpuId{0});
    EXPECT_TRUE(w.host.marked[0]);
}

// cfs.md 2.9: a plain yield only accounts, a compat yield goes right of the rightmost.
TEST(Yield, CompatYieldGoesBehindEverybody) {
    for (const bool compat : {false, true}) {
        TestWorld w("V25", "one");
        w.set("sched_compat_yield", compat ? 1 : 0);
        w.boot();
        w.add_task(0);
        w.add_task(0);
        w.se(0).vruntime = 10 * kMs;
        w.se(1).vruntime = 70 * kMs;
        w.queue(0);
        w.queue(1);
        w.run(0);
        w.sched->yield(CpuId{0});
        EXPECT_EQ(w.se(0).vruntime, compat ? 70 * kMs + 1 : 10 * kMs);
    }
}

// Parent at 5 ms on a queue at 5 ms; the child is debited half of 20 ms (one CPU: latency 20) = 15
// ms and, running first, swaps with its parent.
TEST(NewTask, ChildRunsFirstBySwappingVruntimes) {
    TestWorld w("V25", "one");
    w.boot();
    SchedTask& parent = w.add_task(0);
    w.se(0).vruntime = w.rq(0).cfs.min_vruntime = 5 * kMs;
    w.queue(0);
    w.run(0);
    SchedTask child;
    child.allowed = parent.allowed;
    child.cpu = w.sched->fork(&parent, child, CpuId{0});
    w.sched->wake_up_new(child, &parent, CpuId{0});
    EXPECT_EQ(entity_of(child).vruntime, 5 * kMs);
    EXPECT_EQ(w.se(0).vruntime, 15 * kMs);
    EXPECT_TRUE(w.host.marked[0]);
}

// A heavier task is worth more of the queue at once, also while it runs.
TEST(SetPolicy, RenicingARunningTaskChangesTheLoad) {
    TestWorld w("V26", "one");
    w.boot();
    SchedTask& p = w.add_task(0);
    w.add_task(0);
    w.queue(0);
    w.queue(1);
    schedule(*w.sched, CpuId{0}, nullptr);
    w.sched->set_policy(p, SchedPolicy::kNormal, -5, 0);
    EXPECT_EQ(w.rq(0).load, 3121u + 1024u);
    EXPECT_EQ(w.rq(0).cfs.load.weight, 3121u + 1024u);
    EXPECT_FALSE(w.host.marked[0]);
    w.sched->set_policy(p, SchedPolicy::kNormal, 5, 0);
    EXPECT_TRUE(w.host.marked[0]) << "it has become less important";
}

}  // namespace

}  // namespace wakelab::policy::cfs
