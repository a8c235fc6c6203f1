// Threads of a core as a domain level (cfs.md 6.6), on two cores of two threads each.
#include <gtest/gtest.h>

#include "policy/cfs/balance.hpp"
#include "policy/cfs/domain_levels.hpp"
#include "policy/cfs/test_world.hpp"

namespace wakelab::policy::cfs {

namespace {

constexpr std::string_view kAllKeys[] = {"V23", "V24", "V25", "V26A",  "V26",  "V27", "V28",
                                         "V29", "V30", "V31", "T0913", "V32A", "V32"};

void occupy(TestWorld& w, std::uint32_t cpu) {
    w.add_task(cpu);
    w.queue(w.tasks.size() - 1);
    w.run(w.tasks.size() - 1);
    w.rq(cpu).cpu_load.fill(1024);
}

TEST(Smt, LevelOfTwoThreadsBelowTheMachine) {
    for (const std::string_view key : kAllKeys) {
        TestWorld w(key, "ht");
        w.boot();
        const auto& levels = w.state().domains[2];
        ASSERT_EQ(levels.size(), 2u) << key << ": core and cache are the same CPUs";
        const SchedDomain& core = levels[0];
        EXPECT_EQ(core.cpus, (std::vector{CpuId{2}, CpuId{3}})) << key;
        EXPECT_EQ(core.params.imbalance_pct, 110u);
        EXPECT_EQ(core.params.cache_nice_tries, 0u);
        EXPECT_EQ(core.params.max_interval_ms, 2u);
        EXPECT_EQ(core.params.busy_idx + core.params.idle_idx + core.params.newidle_idx +
                      core.params.wake_idx + core.params.forkexec_idx,
                  0u);
        EXPECT_TRUE(core.has(kShareCpuPower) && core.has(kBalanceNewidle) && core.has(kWakeAffine));
        EXPECT_EQ(levels[1].child_flags, core.params.flags);
    }
}

// A core counts as one CPU; from 2.6.32 its threads are worth 1178 / 2 = 589 each.
TEST(Smt, PowerOfACore) {
    for (const std::string_view key : kAllKeys) {
        TestWorld w(key, "ht");
        w.boot();
        const bool sums = w.version.power_is_sum;
        EXPECT_EQ(w.state().domains[0][0].groups[0].power, sums ? 589u : 1024u) << key;
        EXPECT_EQ(w.state().domains[0][1].groups[0].power, sums ? 1178u : 1024u) << key;
        EXPECT_EQ(w.rq(0).power, sums ? 589u : 1024u) << key;
    }
}

// prev = CPU 2 runs one task, its sibling CPU 3 is idle; the waker's core is too busy to pull.
TEST(Smt, IdleSearchOverTheSiblingsUpTo2627) {
    for (const std::string_view key : {"V23", "V24", "V25", "V26A", "V26", "V27", "V28", "V31"}) {
        TestWorld w(key, "ht");
        w.boot();
        for (int i = 0; i < 3; ++i) w.add_task(0);
        for (std::size_t i = 0; i < 3; ++i) w.queue(i);
        w.run(0);
        w.rq(0).cpu_load.fill(3072);
        occupy(w, 1);
        occupy(w, 2);
        SchedTask& wakee = w.add_task(2);
        PlaceRule rule{};
        const CpuId cpu =
            w.sched->select_task_rq(wakee, {.this_cpu = CpuId{0}, .waker = w.tasks[0].get()}, rule);
        const bool searches = key != "V28" && key != "V31";
        EXPECT_EQ(cpu, CpuId{searches ? 3u : 2u}) << key;
        EXPECT_EQ(rule == PlaceRule::kIdleSearch, searches) << key;
    }
}

// The core level finds nothing to move (one task), but while CPU 1 works, CPU 0 does not count as
// idle in the levels above.
TEST(Smt, BusySiblingMakesACpuNotIdle) {
    for (const bool busy : {false, true}) {
        TestWorld w("V25", "ht");
        w.boot();
        if (busy) occupy(w, 1);
        bool my_job = true;
        SchedDomain& core = w.state().domains[0][0];
        w.state().this_cpu = CpuId{0};
        EXPECT_EQ(load_balance(w.state(), CpuId{0}, core, IdleType::kIdle, my_job), busy);
        EXPECT_EQ(load_balance_newidle(w.state(), CpuId{0}, core), busy);
    }
}

// In 2.6.32 a group is cut to one task where the level below prefers siblings: not above threads.
// Cores of 1178 take round(1178 / 1024) = 1 task anyway.
TEST(Smt, ThreadsDoNotPreferSiblings) {
    for (const std::string_view key : {"V32A", "V32"}) {
        TestWorld w(key, "ht");
        w.boot();
        EXPECT_EQ(w.state().domains[0][1].child_flags & kPreferSibling, 0u);
        TestWorld pairs(key, "q6600");
        pairs.boot();
        EXPECT_NE(pairs.state().domains[0][1].child_flags & kPreferSibling, 0u);
    }
}

}  // namespace

}  // namespace wakelab::policy::cfs
