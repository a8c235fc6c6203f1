#include "policy/cfs/cfs_class.hpp"

#include <gtest/gtest.h>

#include "policy/cfs/clock.hpp"
#include "policy/cfs/test_world.hpp"

namespace wakelab::policy::cfs {

namespace {

// cfs.md 1.5: CPU 1 wakes a task on CPU 0, whose last tick was 3 ms ago. Up to 2.6.25 that clock
// stays.
TEST(Clock, RemoteClockIsStaleUpTo2625) {
    for (const std::string_view key : {"V23", "V24", "V25", "V26A"}) {
        TestWorld w(key, "x2");
        w.boot();
        w.host.time = 4 * kMs;
        w.sched->tick(CpuId{0});
        w.host.time = 7 * kMs;
        w.state().this_cpu = CpuId{1};
        update_rq_clock(w.state(), w.rq(0));
        EXPECT_EQ(w.rq(0).clock, key == "V26A" ? 7 * kMs : 4 * kMs);
        w.state().this_cpu = CpuId{0};
        update_rq_clock(w.state(), w.rq(0));
        EXPECT_EQ(w.rq(0).clock, 7 * kMs) << "its own CPU may";
    }
}

TEST(Clock, LateTickCapsTheClockOf2625) {
    TestWorld w("V25", "one");
    w.boot();
    w.host.time = 4 * kMs;
    w.sched->tick(CpuId{0});
    w.host.time = 30 * kMs;
    update_rq_clock(w.state(), w.rq(0));
    EXPECT_EQ(w.rq(0).clock, 8 * kMs) << "one tick past the last";
    w.host.time = 31 * kMs;
    update_rq_clock(w.state(), w.rq(0));
    EXPECT_EQ(w.rq(0).clock, 8 * kMs + 1);
}

// A tick-less CPU has no last tick; its idle time must not be lost.
TEST(Clock, TicklessIdleTimeIsAddedWhenItEnds) {
    TestWorld w("V25", "x2");
    w.config.kernel.no_hz = true;
    w.boot();
    w.host.time = 4 * kMs;
    w.sched->tick(CpuId{0});
    w.sched->nohz_idle_enter(CpuId{0});
    w.host.time = 30 * kMs;
    w.sched->schedule_begin(CpuId{0}, nullptr);
    EXPECT_EQ(w.rq(0).clock, 30 * kMs);
    EXPECT_EQ(w.rq(0).tick_timestamp, 28 * kMs) << "phase kept";
}

TEST(RealTime, RunsBeforeFairTasksAndPreemptsThem) {
    TestWorld w("V26", "one");
    w.boot();
    SchedTask& fair = w.add_task(0);
    SchedTask& fifo = w.add_task(0, SchedPolicy::kFifo);
    w.queue(0);
    schedule(*w.sched, CpuId{0}, nullptr);
    try_to_wake_up(*w.sched, fifo, {.this_cpu = CpuId{0}, .waker = &fair});
    EXPECT_TRUE(w.host.marked[0]);
    EXPECT_EQ(w.rq(0).load, 1024u + 177522u);
    EXPECT_EQ(schedule(*w.sched, CpuId{0}, &fair), &fifo);
    fifo.state = TaskState::kInterruptible;
    EXPECT_EQ(schedule(*w.sched, CpuId{0}, &fifo), &fair);
    EXPECT_EQ(w.rq(0).load, 1024u);
}

// 100 ms = 25 ticks of 4 ms.
TEST(RealTime, RoundRobinSlicesAlternate) {
    TestWorld w("V26", "one");
    w.boot();
    SchedTask& first = w.add_task(0, SchedPolicy::kRr);
    SchedTask& second = w.add_task(0, SchedPolicy::kRr);
    w.queue(0);
    w.queue(1);
    ASSERT_EQ(schedule(*w.sched, CpuId{0}, nullptr), &first);
    for (int i = 0; i < 25; ++i) {
        EXPECT_FALSE(w.host.marked[0]);
        w.sched->tick(CpuId{0});
    }
    EXPECT_TRUE(w.host.marked[0]);
    EXPECT_EQ(schedule(*w.sched, CpuId{0}, &first), &second);
}

TEST(Affinity, WaitingAndSleepingTasksMoveAtOnce) {
    TestWorld w("V26", "x2");
    w.boot();
    SchedTask& running = w.add_task(0);
    SchedTask& waiting = w.add_task(0);
    SchedTask& sleeping = w.add_task(0);
    w.rq(0).cfs.min_vruntime = 50 * kMs;
    w.rq(1).cfs.min_vruntime = 80 * kMs;
    entity_of(sleeping).vruntime = 45 * kMs;
    w.queue(0);
    w.queue(1);
    w.run(0);
    const topo::CpuMask only1 = topo::CpuMask::of_word(2);
    EXPECT_TRUE(w.sched->set_allowed(running, only1)) << "the caller must push it away";
    EXPECT_FALSE(w.sched->set_allowed(waiting, only1));
    EXPECT_FALSE(w.sched->set_allowed(sleeping, only1));
    EXPECT_EQ(running.cpu, CpuId{0});
    EXPECT_EQ(waiting.cpu, CpuId{1});
    EXPECT_EQ(w.rq(1).nr_running, 1u);
    EXPECT_EQ(sleeping.cpu, CpuId{1});
    EXPECT_EQ(entity_of(sleeping).vruntime, 75 * kMs);
}

// cfs.md 4.6: V25 marks whoever runs where the wakee goes, V27 the waker, V30 not from an
// interrupt.
TEST(Overlap, MarksAreSetForTheTaskOfTheVersion) {
    struct Row {
        std::string_view key;
        bool in_interrupt, waker_marked, target_marked;
    };
    for (const Row& r : {Row{"V25", false, false, true}, Row{"V27", true, true, false},
                         Row{"V30", false, true, false}, Row{"V30", true, false, false}}) {
        TestWorld w(r.key, "x2");
        w.boot();
        SchedTask& waker = w.add_task(0);
        SchedTask& target = w.add_task(1);
        SchedTask& wakee = w.add_task(1);
        w.queue(0);
        w.run(0);
        w.queue(1);
        w.run(1);
        entity_of(waker).sum_exec = 500;
        entity_of(target).sum_exec = 600;
        wakee.allowed = topo::CpuMask::of_word(2);
        try_to_wake_up(*w.sched, wakee,
                       {.this_cpu = CpuId{0}, .waker = &waker, .in_interrupt = r.in_interrupt});
        EXPECT_EQ(entity_of(waker).last_wakeup != 0, r.waker_marked) << r.key;
        EXPECT_EQ(entity_of(target).last_wakeup != 0, r.target_marked) << r.key;
    }
}

topo::Machine huge_machine() {
    topo::Machine huge = test_machine("oct");
    for (; huge.cpus < 1024; ++huge.cpus) huge.caches.back().cpus.push_back(CpuId{huge.cpus});
    return huge;
}

TEST(Registry, TunablesScaleWithTheCpus) {
    const SchedulerInfo& info = **find_scheduler("cfs-2.6.25");
    const SchedulerConfig two = *configure(info, test_machine("x2"), {}, {});
    EXPECT_EQ(two.tunable("sched_latency_ns"), 40'000'000);
    EXPECT_EQ(two.tunable("sched_min_granularity_ns"), 8'000'000);
    EXPECT_EQ(two.tunable("sched_wakeup_granularity_ns"), 10'000'000);
    const SchedulerConfig four = *configure(info, test_machine("q6600"), {}, {});
    EXPECT_EQ(four.tunable("sched_latency_ns"), 60'000'000);
    EXPECT_EQ(four.tunable("sched_wakeup_granularity_ns"), 15'000'000);
    EXPECT_EQ(configure(info, huge_machine(), {}, {})->tunable("sched_latency_ns"), 200'000'000)
        << "limit";
}

// cfs.md 1.4: the limit of 2.6.23 is lower, two of its sysctls do not scale, and it has no
// migration cost.
TEST(Registry, TunablesOf2623) {
    const SchedulerInfo& info = **find_scheduler("cfs-2.6.23");
    for (const auto& [machine, factor] : {std::pair{"one", 1}, {"x2", 2}, {"q6600", 3}}) {
        const SchedulerConfig c = *configure(info, test_machine(machine), {}, {});
        EXPECT_EQ(c.tunable("sched_latency_ns"), factor * 20'000'000);
        EXPECT_EQ(c.tunable("sched_min_granularity_ns"), factor * 2'000'000);
        EXPECT_EQ(c.tunable("sched_wakeup_granularity_ns"), factor * 1'000'000);
        EXPECT_EQ(c.tunable("sched_runtime_limit_ns"), factor * 20'000'000);
        EXPECT_EQ(c.tunable("sched_batch_wakeup_granularity_ns"), 25'000'000);
        EXPECT_EQ(c.tunable("sched_stat_granularity_ns"), 0);
    }
    EXPECT_EQ(configure(info, huge_machine(), {}, {})->tunable("sched_latency_ns"), 100'000'000)
        << "limit";
    EXPECT_FALSE(
        configure(info, test_machine("x2"), {},
                  std::vector{std::pair{std::string("sched_migration_cost"), std::int64_t{0}}}));
}

// cfs.md 6.6, both levels of the Q6600.
TEST(Domains, Of2623BalanceByPresentLoadsWhenIdleAndSearchEverywhere) {
    TestWorld w("V23", "q6600");
    w.boot();
    ASSERT_EQ(w.state().domains[0].size(), 2u);
    for (const SchedDomain& d : w.state().domains[0]) {
        EXPECT_TRUE(d.has(kLoadBalance) && d.has(kBalanceNewidle) && d.has(kBalanceExec));
        EXPECT_TRUE(d.has(kWakeIdle) && d.has(kWakeAffine));
        EXPECT_FALSE(d.has(kBalanceFork) || d.has(kWakeBalanceFlag));
        EXPECT_EQ(d.params.busy_idx, 2u);
        EXPECT_EQ(d.params.idle_idx + d.params.newidle_idx, 0u);
        EXPECT_EQ(d.params.wake_idx + d.params.forkexec_idx, 2u);
    }
}

}  // namespace

}  // namespace wakelab::policy::cfs
