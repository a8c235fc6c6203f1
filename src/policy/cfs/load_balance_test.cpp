#include <gtest/gtest.h>

#include "policy/cfs/balance.hpp"
#include "policy/cfs/test_world.hpp"

namespace wakelab::policy::cfs {

namespace {

// CPUs with nice-0 tasks only, all loads in their past too.
void load_cpus(TestWorld& w, const std::vector<std::uint64_t>& loads) {
    static SchedTask stand_in;
    for (std::uint32_t c = 0; c < loads.size(); ++c) {
        w.rq(c).load = loads[c];
        w.rq(c).nr_running = static_cast<std::uint32_t>(loads[c] / 1024);
        w.rq(c).cpu_load.fill(loads[c]);
        w.rq(c).curr = loads[c] != 0 ? &stand_in : nullptr;
    }
}

std::uint64_t imbalance(std::string_view key, std::string_view machine, std::uint32_t this_cpu,
                        const std::vector<std::uint64_t>& loads) {
    TestWorld w(key, machine);
    w.boot();
    load_cpus(w, loads);
    return find_busiest_group(w.state(), w.state().domains[this_cpu].back(), CpuId{this_cpu},
                              IdleType::kNewlyIdle, topo::CpuMask::first_n(8))
        .imbalance;
}

// cfs.md UT-12. (3072, 0): average 1536, max_pull = min(3072 - 1536, 3072 - 1024) = 1536.
TEST(FindBusiestGroup, TwoCpus) {
    struct Row {
        std::uint64_t other, here, imbalance;
    };
    for (const std::string_view key : {"V23", "V25", "V28"})
        for (const Row& r : {Row{3072, 0, 1536}, Row{2048, 0, 1024}, Row{1024, 0, 0},
                             Row{2048, 1024, 1024}, Row{3072, 1024, 1024}, Row{5120, 1024, 2048},
                             Row{4096, 3072, 1024}, Row{3072, 2048, 1024}})
            EXPECT_EQ(imbalance(key, "x2", 1, {r.other, r.here}), r.imbalance)
                << key << " " << r.other << " " << r.here;
}

// cfs.md UT-12: a pair that shares a cache has the power of one CPU.
TEST(FindBusiestGroup, PairsOfTheQ6600) {
    struct Row {
        std::vector<std::uint64_t> loads;
        std::uint64_t imbalance;
    };
    for (const std::string_view key : {"V23", "V25", "V28"})
        for (const Row& r :
             {Row{{2048, 1024, 0, 0}, 1536}, Row{{1024, 1024, 0, 0}, 1024}, Row{{1024, 0, 0, 0}, 0},
              Row{{4096, 0, 0, 0}, 2048}, Row{{2048, 2048, 1024, 1024}, 1024}})
            EXPECT_EQ(imbalance(key, "q6600", 2, r.loads), r.imbalance) << key;
}

// One heavy task beside an idle CPU of its pair: 2.6.24 calls the pair uneven and wants to move it,
// 2.6.23 sees a pair with no more tasks than it can take.
TEST(FindBusiestGroup, UnevenGroupsAreBusyFrom2624On) {
    for (const std::string_view key : {"V23", "V24"}) {
        TestWorld w(key, "q6600");
        w.boot();
        load_cpus(w, {3121, 0, 0, 0});
        w.rq(0).nr_running = 1;
        const BusiestGroup g = find_busiest_group(w.state(), w.state().domains[2].back(), CpuId{2},
                                                  IdleType::kNewlyIdle, topo::CpuMask::first_n(4));
        EXPECT_EQ(g.group != nullptr, key == "V24") << key;
    }
}

// CPU 0 runs one task and has others waiting; CPU 1 goes idle. All tasks are cold.
struct Pair {
    explicit Pair(std::string_view key) : w(key, "x2") { w.boot(); }
    SchedTask& add(std::uint64_t vruntime) {
        SchedTask& p = w.add_task(0);
        entity_of(p).vruntime = vruntime;
        w.queue(w.tasks.size() - 1);
        return p;
    }
    bool pull() {
        w.host.time = 100 * kMs;
        for (std::uint32_t c : {0u, 1u}) w.rq(c).clock = 100 * kMs;
        for (auto& load : w.rq(0).cpu_load) load = w.rq(0).load;
        w.state().this_cpu = CpuId{1};
        return load_balance_newidle(w.state(), CpuId{1}, w.state().domains[1][0]);
    }
    TestWorld w;
};

// cfs.md UT-13: queued in the order A, B. The list is [B, A]; its last element is never offered.
TEST(LoadBalance, IteratorLosesTheTaskQueuedLongestAgo) {
    for (const std::string_view key : {"V25", "V26A", "V26", "V27", "V28"}) {
        Pair a_runs(key);
        a_runs.add(0);
        SchedTask& b = a_runs.add(0);
        a_runs.w.run(0);
        if (!a_runs.w.state().domains[1][0].has(kBalanceNewidle)) continue;
        EXPECT_TRUE(a_runs.pull()) << key;
        EXPECT_EQ(b.cpu, CpuId{1}) << key;
    }
    for (const std::string_view key : {"V25", "V26A", "V26", "V27"}) {
        Pair b_runs(key);
        SchedTask& a = b_runs.add(0);
        b_runs.add(0);
        b_runs.w.run(1);
        const bool offered = key == "V25";
        EXPECT_EQ(b_runs.pull(), offered) << key;
        EXPECT_EQ(a.cpu, CpuId{offered ? 1u : 0u}) << key;
    }
}

TEST(LoadBalance, NewlyIdleLeavesHotTasks) {
    Pair p("V25");
    p.add(0);
    SchedTask& waiting = p.add(0);
    p.w.run(0);
    entity_of(waiting).exec_start = 100 * kMs - 400'000;  // ran 0.4 ms ago
    EXPECT_FALSE(p.pull());
    entity_of(waiting).exec_start = 100 * kMs - 600'000;
    EXPECT_TRUE(p.pull());
    EXPECT_EQ(p.w.host.migrated.size(), 1u);
}

// cfs.md UT-12, last line: imbalance 1536 moves two nice-0 tasks: 512 is left after the first, and
// half of the second is not more than that.
TEST(LoadBalance, MovesUntilTheImbalanceIsGone) {
    for (const std::string_view key : {"V25", "V28"}) {
        Pair p(key);
        for (int i = 0; i < 3; ++i) p.add(0);
        p.w.run(0);
        p.pull();
        EXPECT_EQ(p.w.rq(1).nr_running, 2u) << key;
        EXPECT_EQ(p.w.rq(0).nr_running, 1u) << key;
    }
}

TEST(LoadBalance, PinnedTasksBackOffTheInterval) {
    Pair p("V25");
    for (int i = 0; i < 3; ++i) p.add(0).allowed = topo::CpuMask::of_word(1);
    p.w.run(0);
    SchedDomain& d = p.w.state().domains[1][0];
    for (auto& load : p.w.rq(0).cpu_load) load = p.w.rq(0).load;
    bool my_job = true;
    for (const std::uint32_t interval : {2u, 4u, 8u}) {
        EXPECT_FALSE(load_balance(p.w.state(), CpuId{1}, d, IdleType::kIdle, my_job));
        EXPECT_EQ(d.balance_interval_ms, interval) << "beyond max_interval 4: all pinned";
    }
}

// The failed attempts 1, 2, 3 only count; the fourth asks the migration thread, which pushes the
// task it has itself preempted.
TEST(LoadBalance, ActiveBalancePushesTheRunningTask) {
    TestWorld w("V25", "q6600");
    w.boot();
    for (int i = 0; i < 2; ++i) {
        w.add_task(static_cast<std::uint32_t>(i));
        w.queue(static_cast<std::size_t>(i));
        w.run(static_cast<std::size_t>(i));
        w.rq(static_cast<std::uint32_t>(i)).cpu_load.fill(1024);
    }
    // A full pair and an empty one: one task should move, but both are running, so nobody can take
    // one.
    SchedTask& thread = w.add_task(0, SchedPolicy::kFifo);
    w.state().this_cpu = CpuId{2};
    SchedDomain& d = w.state().domains[2].back();
    bool my_job = true;
    for (int i = 0; i < 4; ++i) {
        EXPECT_TRUE(w.host.kicked.empty());
        load_balance(w.state(), CpuId{2}, d, IdleType::kIdle, my_job);
    }
    ASSERT_EQ(w.host.kicked, std::vector<CpuId>{CpuId{0}});
    w.queue(2);
    SchedTask* next = schedule(*w.sched, CpuId{0}, w.tasks[0].get());
    ASSERT_EQ(next, &thread);
    w.sched->active_balance(CpuId{0});
    EXPECT_EQ(w.tasks[0]->cpu, CpuId{2});
}

// cfs.md 6.1: a busy CPU waits 64 times as long as an idle one: 64 ms = 16 ticks of 4 ms.
TEST(Rebalance, BusyCpusBalanceRarely) {
    TestWorld w("V25", "x2");
    w.boot();
    w.add_task(0);
    w.queue(0);
    w.run(0);
    w.host.ticks = 1000;
    w.sched->tick(CpuId{0});
    EXPECT_EQ(w.rq(0).next_balance, 1016u);
    w.host.ticks = 1001;
    w.sched->tick(CpuId{1});
    EXPECT_EQ(w.rq(1).next_balance, 1002u) << "idle: the interval has doubled only afterwards";
}

// The first CPU to go idle balances for the others, whose cpu_load[] stays as it was.
TEST(Rebalance, OneIdleCpuBalancesForTheTicklessOnes) {
    TestWorld w("V25", "q6600");
    w.config.kernel.no_hz = true;
    w.boot();
    for (std::uint32_t i = 0; i < 3; ++i) {
        w.add_task(0);
        w.queue(i);
    }
    w.run(0);
    for (auto& load : w.rq(0).cpu_load) load = w.rq(0).load;
    w.host.time = 100 * kMs;
    w.host.ticks = 1000;
    for (Rq& rq : w.state().rqs) rq.clock = 100 * kMs;
    EXPECT_TRUE(w.sched->nohz_idle_enter(CpuId{3}));
    EXPECT_FALSE(w.sched->nohz_idle_enter(CpuId{1}));
    EXPECT_FALSE(w.sched->nohz_idle_enter(CpuId{2}));
    w.sched->tick(CpuId{3});
    EXPECT_EQ(w.rq(1).nr_running + w.rq(2).nr_running + w.rq(3).nr_running, 2u);
    EXPECT_EQ(w.rq(1).cpu_load[0], 0u);
    w.sched->nohz_idle_exit(CpuId{3});
    EXPECT_TRUE(w.sched->nohz_idle_enter(CpuId{2})) << "the ownership is free again";
}

TEST(Rebalance, LastCpuToGoIdleLeavesNobodyBalancing) {
    TestWorld w("V25", "x2");
    w.config.kernel.no_hz = true;
    w.boot();
    EXPECT_TRUE(w.sched->nohz_idle_enter(CpuId{0}));
    EXPECT_FALSE(w.sched->nohz_idle_enter(CpuId{1}));
    // The owner's tick finds everybody idle and sends itself through the idle loop.
    w.sched->tick(CpuId{0});
    EXPECT_TRUE(w.host.marked[0]);
    w.sched->nohz_idle_exit(CpuId{0});
    EXPECT_FALSE(w.sched->nohz_idle_enter(CpuId{0}));
    EXPECT_FALSE(w.state().nohz.owner.valid());
}

}  // namespace

}  // namespace wakelab::policy::cfs
