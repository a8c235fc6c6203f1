#include "policy/cfs/wait_runtime.hpp"

#include <gtest/gtest.h>

#include "policy/cfs/test_world.hpp"

namespace wakelab::policy::cfs {

namespace {

constexpr std::int64_t ms(std::int64_t n) {
    return n * 1'000'000;
}

// 2.6.23 with two CPUs: latency and limit 40 ms, granularity 4 ms, wake-up granularity 2 ms. Queue
// of CPU 0 at fair clock 0, so that keys are small numbers.
struct World : TestWorld {
    World() : TestWorld("V23", "x2") {}
    void start() {
        boot();
        rq(0).cfs.fair_clock = 0;
    }
    // A task on CPU 0 that runs and whose key and debts are 0.
    SchedTask& add_running(int nice = 0) {
        SchedTask& p = add_task(0, SchedPolicy::kNormal, nice);
        se(tasks.size() - 1).vruntime = 0;
        queue(tasks.size() - 1);
        run(tasks.size() - 1);
        return p;
    }
    SchedTask& add_queued(int nice = 0) {
        SchedTask& p = add_task(0, SchedPolicy::kNormal, nice);
        se(tasks.size() - 1).vruntime = 0;
        queue(tasks.size() - 1);
        return p;
    }
    void tick_at(std::int64_t time) {
        host.time = time;
        sched->tick(CpuId{0});
    }
    [[nodiscard]] std::int64_t owed(std::size_t i) { return se(i).wait.owed; }
    [[nodiscard]] std::int64_t key(std::size_t i) {
        return static_cast<std::int64_t>(se(i).vruntime);
    }
    [[nodiscard]] std::int64_t fair_clock() {
        return static_cast<std::int64_t>(rq(0).cfs.fair_clock);
    }
    void wake(SchedTask& p, bool sync = false) {
        p.state = TaskState::kInterruptible;
        p.allowed = topo::CpuMask::of_word(1);  // or it would go to the idle CPU 1
        try_to_wake_up(*sched, p, {.this_cpu = CpuId{0}, .waker = tasks[0].get(), .sync = sync});
    }
};

// cfs.md UT-14: n = 3: 40 / 3 = 13333333, of which a third is 4444444: 8888889. n = 8: 5 - 0.625.
TEST(WaitRuntime, GranularityShrinksWithTheQueue) {
    World w;
    w.start();
    const std::uint64_t expected[] = {40000000, 10000000, 8888889, 7500000,
                                      6400000,  5555555,  4897959, 4375000};
    CfsRq cfs;
    for (const std::uint64_t g : expected) {
        cfs.nr_running++;
        EXPECT_EQ(wait_runtime::granularity(w.state(), cfs), g) << cfs.nr_running;
    }
    for (cfs.nr_running = 9; cfs.nr_running < 30; ++cfs.nr_running)
        EXPECT_EQ(wait_runtime::granularity(w.state(), cfs), 4000000u);
}

// cfs.md UT-14: two hogs. A runs r ms: fair clock r / 2, A is entitled to half and had all: it owes
// r / 2; its key at a tick is r / 2 + r / 2. Rescheduled when that exceeds G(2) = 10 ms.
TEST(WaitRuntime, HogIsRescheduledAtTheFirstTickBeyondTheGranularity) {
    World w;
    w.start();
    w.add_running();
    w.add_queued();
    for (const std::int64_t r : {4, 8, 12}) {
        EXPECT_FALSE(w.host.marked[0]);
        w.tick_at(ms(r));
        EXPECT_EQ(w.fair_clock(), ms(r) / 2);
        EXPECT_EQ(w.owed(0), -ms(r) / 2);
        EXPECT_EQ(w.key(0), ms(r));
    }
    EXPECT_TRUE(w.host.marked[0]) << "12 > 10";
    w.se(1).wait.wait_start_fair = 1;  // has waited since the start
    EXPECT_EQ(schedule(*w.sched, CpuId{0}, w.tasks[0].get()), w.tasks[1].get());
    EXPECT_EQ(w.owed(1), ms(6) - 1) << "B has waited while it was entitled to 6 ms";
    EXPECT_EQ(w.rq(0).cfs.tree.size(), 2u) << "the running task stays in the tree";
    EXPECT_EQ(w.se(0).wait.wait_start_fair, static_cast<std::uint64_t>(ms(6)));
}

// The granularity of 10 ms holds until A has had more than latency / n = 20 ms since it was picked;
// then any lead will do.
TEST(WaitRuntime, NoGranularityBeyondTheShareOfTheLatency) {
    for (const std::int64_t ran : {12, 13}) {
        World w;
        w.start();
        w.add_running();
        w.add_queued();
        w.se(1).vruntime = static_cast<std::uint64_t>(ms(4));
        w.se(0).wait.owed = ms(8);
        w.se(0).sum_exec = static_cast<std::uint64_t>(ms(ran));
        w.tick_at(ms(4));
        // fair clock 2, owed 8 - 2 = 6: key -4, behind B; so is A first.
        EXPECT_FALSE(w.host.marked[0]);
        w.se(0).wait.owed = -ms(3);
        w.tick_at(ms(8));
        // fair clock 4, owes 3 + 2: key 9, 5 ms ahead. It has run 8 ms more: 20 or 21.
        EXPECT_EQ(w.key(0) - w.key(1), ms(5));
        EXPECT_EQ(w.host.marked[0], ran == 13);
    }
}

// cfs.md UT-14: A runs alone for 30 ms, its key is of the tick at 28 ms. B slept meanwhile.
struct SleeperCase : World {
    explicit SleeperCase(SchedPolicy policy = SchedPolicy::kNormal, std::uint64_t features = 29,
                         int nice = 0) {
        config.features = features;
        start();
        add_running();
        b = &add_task(0, policy, nice);
        for (std::int64_t t = 4; t <= 28; t += 4) tick_at(ms(t));
        host.time = ms(30);
    }
    SchedTask* b;
};

TEST(WaitRuntime, SleeperIsOwedWhatItWouldHaveHadAndPreempts) {
    SleeperCase w;
    w.wake(*w.b);
    EXPECT_EQ(w.fair_clock(), ms(30));
    EXPECT_EQ(w.owed(1), ms(30)) << "limit 40";
    EXPECT_EQ(w.rq(0).cfs.sleeper_bonus, 30 * kMs);
    EXPECT_EQ(w.key(1), 0);
    EXPECT_EQ(w.key(0), ms(28)) << "of the last tick";
    EXPECT_EQ(w.se(1).wait.wait_start_fair, 30 * kMs);
    EXPECT_EQ(w.se(1).wait.sleep_start_fair, 0u);
    EXPECT_TRUE(w.host.marked[0]) << "28 ms apart > 2";
}

TEST(WaitRuntime, BatchSleeperIsOwedNothingAndWaits) {
    SleeperCase w(SchedPolicy::kBatch);
    w.wake(*w.b);
    EXPECT_EQ(w.owed(1), 0);
    EXPECT_EQ(w.key(1), ms(30));
    EXPECT_EQ(w.rq(0).cfs.sleeper_bonus, 0u);
    EXPECT_FALSE(w.host.marked[0]);
}

// 25 ms instead of 2: A's key 28 ms, B's 28 - lead.
TEST(WaitRuntime, BatchWakeeNeedsTheBatchGranularity) {
    for (const std::int64_t lead : {25, 26}) {
        SleeperCase w(SchedPolicy::kBatch);
        w.se(0).prev_sum = 28 * kMs;       // A has just been picked
        w.se(1).wait.owed = ms(2 + lead);  // key 30 - 2 - lead
        w.wake(*w.b);
        EXPECT_EQ(w.key(0) - w.key(1), ms(lead));
        EXPECT_EQ(w.host.marked[0], lead == 26);
    }
}

TEST(WaitRuntime, NobodyIsCreditedWithoutFairSleepers) {
    SleeperCase w(SchedPolicy::kNormal, 28);
    w.wake(*w.b);
    EXPECT_EQ(w.owed(1), 0);
}

// SLEEPER_AVG: B competes with L: 30 ms * L / (L + 1024). With SLEEPER_LOAD_AVG L is cpu_load[2] =
// 3072: 22.5 ms; without, A's 1024: 15 ms.
TEST(WaitRuntime, SleeperAverageCountsTheShareOthersUsed) {
    for (const bool load_avg : {true, false}) {
        SleeperCase w(SchedPolicy::kNormal, load_avg ? 31 : 27);
        w.rq(0).cpu_load[2] = 3072;
        w.wake(*w.b);
        EXPECT_EQ(w.owed(1), load_avg ? 22'500'000 : ms(15));
        EXPECT_EQ(w.rq(0).cfs.sleeper_bonus, static_cast<std::uint64_t>(w.owed(1)));
    }
}

// Nice 5, weight 335: 30 ms * 335 / 1024 = 9814453 (rounded down), and the key goes back by this
// times 12820798 / 2^22 = 29999999.
TEST(WaitRuntime, LightSleeperIsOwedItsShareOnly) {
    SleeperCase w(SchedPolicy::kNormal, 29, 5);
    w.wake(*w.b);
    EXPECT_EQ(w.owed(1), 9814453);
    EXPECT_EQ(w.key(1), ms(30) - 29999999);
}

// 200 ms of sleep count as 80 (twice the limit), and 40 is the most anybody is owed. Only what was
// really added is bonus.
TEST(WaitRuntime, DebtsAreClampedToTheLimit) {
    World w;
    w.start();
    w.add_running();
    SchedTask& b = w.add_task(0);
    w.se(1).wait.owed = ms(15);
    for (std::int64_t t = 4; t <= 200; t += 4) w.tick_at(ms(t));
    w.wake(b);
    EXPECT_EQ(w.owed(1), ms(40));
    EXPECT_EQ(w.rq(0).cfs.sleeper_bonus, 25 * kMs);
    // A goes on beside B: half of 100 ms, but no more than the limit, and it pays the bonus back.
    for (std::int64_t t = 204; t <= 300; t += 4) w.tick_at(ms(t));
    EXPECT_EQ(w.owed(0), -ms(40));
}

// Bonus 30 in flight: in 4 ms A is entitled to 2, pays them, and owes all 4.
TEST(WaitRuntime, RunningTaskPaysForTheSleepers) {
    World w;
    w.start();
    w.add_running();
    w.add_queued();
    w.rq(0).cfs.sleeper_bonus = 30 * kMs;
    w.tick_at(ms(4));
    EXPECT_EQ(w.owed(0), -ms(4));
    EXPECT_EQ(w.rq(0).cfs.sleeper_bonus, 28 * kMs);
    EXPECT_EQ(w.fair_clock(), ms(2)) << "the fair clock goes on as always";
    w.rq(0).cfs.sleeper_bonus = 4 * kMs;  // not more than the granularity: forgotten
    w.tick_at(ms(8));
    EXPECT_EQ(w.owed(0), -ms(6));
    EXPECT_EQ(w.rq(0).cfs.sleeper_bonus, 4 * kMs);
}

TEST(WaitRuntime, PaymentIsBoundedByTheRoomBelowTheLimit) {
    World w;
    w.start();
    w.add_running();
    w.add_queued();
    w.rq(0).cfs.sleeper_bonus = 30 * kMs;
    w.se(0).wait.owed = ms(39);
    w.tick_at(ms(4));
    // Pays min(2, 30, 40 - 39) = 1; gets 2 - 1 - 4.
    EXPECT_EQ(w.owed(0), ms(36));
    EXPECT_EQ(w.rq(0).cfs.sleeper_bonus, 29 * kMs);
}

TEST(WaitRuntime, TooMuchBonusInFlightStopsTheCredit) {
    for (const std::int64_t extra : {0, 1}) {
        SleeperCase w;
        // 2 ms run before the wake-up pay back as much.
        w.rq(0).cfs.sleeper_bonus = static_cast<std::uint64_t>(ms(42) + extra);
        w.wake(*w.b);
        EXPECT_EQ(w.owed(1), extra == 0 ? ms(30) : 0);
        EXPECT_EQ(w.se(1).wait.sleep_start_fair, 0u);
    }
}

// Keys of the running task by nice: 10 ms of granularity against nice 5 are 335 / 1024 of it,
// against nice -5 1376151 * 10 ms / 2^22.
TEST(WaitRuntime, GranularityFollowsTheRunningTasksNice) {
    struct Row {
        int nice;
        std::int64_t gran;  // of 2 ms
    };
    for (const Row& r : {Row{0, 2000000}, Row{5, 654296}, Row{-5, 656199}}) {
        for (const std::int64_t over : {0, 1}) {
            World w;
            w.start();
            w.add_running(r.nice);
            SchedTask& b = w.add_task(0);
            w.se(0).vruntime = static_cast<std::uint64_t>(r.gran + over);
            w.wake(b);
            ASSERT_EQ(w.key(1), 0);
            EXPECT_EQ(w.host.marked[0], over == 1) << r.nice;
        }
    }
}

TEST(WaitRuntime, SyncWakeeOnTheWakersCpuIsNotCompared) {
    for (const bool sync : {false, true}) {
        SleeperCase w;
        w.wake(*w.b, sync);
        EXPECT_EQ(w.host.marked[0], !sync);
    }
}

// A forks: G(1) = 40 ms before A's key, owing half of G, waiting from now on.
TEST(WaitRuntime, ChildRunsFirst) {
    for (const std::uint64_t features : {29u, 13u, 61u}) {
        World w;
        w.config.features = features;
        w.start();
        SchedTask& a = w.add_running();
        for (std::int64_t t = 4; t <= 48; t += 4) w.tick_at(ms(t));
        SchedTask child;
        child.allowed = a.allowed;
        child.cpu = w.sched->fork(&a, child, CpuId{0});
        w.sched->wake_up_new(child, &a, CpuId{0});
        const Entity& se = entity_of(child);
        EXPECT_EQ(static_cast<std::int64_t>(se.vruntime), ms(48) - ms(40) - 1);
        EXPECT_EQ(se.wait.owed, features == 13 ? 0 : -ms(20)) << "START_DEBIT";
        EXPECT_EQ(se.wait.wait_start_fair, features == 61 ? 0 : 48 * kMs) << "SKIP_INITIAL";
        EXPECT_TRUE(w.host.marked[0]);
        EXPECT_EQ(w.rq(0).cfs.nr_running, 2u);
        EXPECT_EQ(w.rq(0).cfs.leftmost(), &se);
    }
}

// Without child_runs_first, on another CPU, and as a thread a child is a task like others.
TEST(WaitRuntime, OtherChildrenStartAtTheFairClock) {
    enum class Why { kLast, kRemote, kThread };
    for (const Why why : {Why::kLast, Why::kRemote, Why::kThread}) {
        const bool remote = why == Why::kRemote;
        World w;
        if (why == Why::kLast) w.set("sched_child_runs_first", 0);
        w.start();
        SchedTask& a = w.add_running();
        w.tick_at(ms(4));
        SchedTask child;
        child.allowed = remote ? topo::CpuMask::of_word(2) : a.allowed;
        child.mm = why == Why::kThread ? a.id : child.id;
        child.cpu = w.sched->fork(&a, child, CpuId{0});
        EXPECT_EQ(child.cpu, CpuId{remote ? 1u : 0u});
        w.sched->wake_up_new(child, &a, CpuId{0});
        EXPECT_EQ(entity_of(child).vruntime, w.state().rq_of(child).cfs.fair_clock);
        EXPECT_EQ(entity_of(child).wait.owed, 0);
        EXPECT_FALSE(w.host.marked[0]) << "not before its parent";
    }
}

// Two waiting tasks, equal keys: the yielding one goes right of its equals, or with compat_yield
// right of everybody.
TEST(WaitRuntime, YieldTakesAPlaceByWhatIsOwed) {
    for (const bool compat : {false, true}) {
        World w;
        w.set("sched_compat_yield", compat ? 1 : 0);
        w.start();
        w.add_running();
        w.add_queued();
        w.add_queued();
        w.se(2).vruntime = 0;
        w.host.time = ms(3);
        w.sched->yield(CpuId{0});
        // Three tasks: fair clock 1, and it owes 2.
        if (compat)
            EXPECT_EQ(w.key(0), 1) << "one behind the rightmost; nothing accounted";
        else
            EXPECT_EQ(w.key(0), ms(3));
        EXPECT_EQ(w.rq(0).cfs.rightmost(), &w.se(0));
        EXPECT_EQ(schedule(*w.sched, CpuId{0}, w.tasks[0].get()), w.tasks[1].get());
    }
}

// A waits since 5 on a queue at 9, B sleeps since 2; the other queue is at 109.
TEST(WaitRuntime, StartTimesFollowTheFairClockOfTheQueue) {
    World w;
    w.start();
    w.add_task(0);
    w.rq(0).cfs.fair_clock = 9;
    w.rq(1).cfs.fair_clock = 109;
    w.se(0).wait.wait_start_fair = 5;
    w.se(0).wait.sleep_start_fair = 2;
    set_task_cpu(w.state(), *w.tasks[0], CpuId{1});
    EXPECT_EQ(w.se(0).wait.wait_start_fair, 105u);
    EXPECT_EQ(w.se(0).wait.sleep_start_fair, 102u);
    w.se(0).wait.wait_start_fair = w.se(0).wait.sleep_start_fair = 0;
    set_task_cpu(w.state(), *w.tasks[0], CpuId{0});
    EXPECT_EQ(w.se(0).wait.wait_start_fair, 0u) << "not waiting";
    EXPECT_EQ(w.se(0).wait.sleep_start_fair, 0u);
}

TEST(WaitRuntime, RenicingForgetsTheDebts) {
    for (const bool running : {true, false}) {
        World w;
        w.start();
        w.add_running();
        w.add_queued();
        const std::size_t i = running ? 0 : 1;
        w.se(i).wait.owed = -ms(7);
        w.sched->set_policy(*w.tasks[i], SchedPolicy::kNormal, 3, 0);
        EXPECT_EQ(w.owed(i), 0);
        EXPECT_EQ(w.key(i), w.fair_clock());
        EXPECT_EQ(w.rq(0).cfs.load.weight, 1024u + 526u);
        EXPECT_EQ(w.rq(0).cfs.tree.size(), 2u);
    }
}

// sched_stat_granularity_ns 5 ms: 4 ms are not accounted, 8 are.
TEST(WaitRuntime, StatGranularityDelaysTheAccounting) {
    World w;
    w.set("sched_stat_granularity_ns", 5'000'000);
    w.start();
    w.add_running();
    w.add_queued();
    w.tick_at(ms(4));
    EXPECT_EQ(w.owed(0), 0);
    EXPECT_EQ(w.se(0).sum_exec, 0u);
    w.tick_at(ms(8));
    EXPECT_EQ(w.owed(0), -ms(4));
    EXPECT_EQ(w.se(0).sum_exec, 8 * kMs);
}

// Nothing is hot and any number of tasks is looked at, but the running one stays where it is.
TEST(WaitRuntime, BalancerTakesJustRunTasks) {
    World w;
    w.boot();
    for (int i = 0; i < 3; ++i) w.add_queued();
    w.run(0);
    w.host.time = ms(50);
    for (Rq& rq : w.state().rqs) rq.clock = 50 * kMs;
    w.se(1).exec_start = w.se(2).exec_start = 50 * kMs - 1;
    w.sched->schedule_begin(CpuId{1}, nullptr);
    w.sched->idle_balance(CpuId{1});
    EXPECT_EQ(w.rq(1).nr_running, 2u);
    EXPECT_EQ(w.tasks[0]->cpu, CpuId{0});
}

}  // namespace

}  // namespace wakelab::policy::cfs
