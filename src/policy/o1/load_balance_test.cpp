// The balancing examples of o1.md 6, 8.5, 8.7 and 13.
#include "policy/o1/load_balance.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "policy/core.hpp"
#include "policy/o1/find_busiest_group.hpp"
#include "policy/o1/load.hpp"
#include "policy/o1/o1_domains.hpp"
#include "policy/o1/test_world.hpp"

namespace wakelab::policy::o1::test {
namespace {

// nice-0 tasks per CPU, loads steady.
void fill(TestWorld& w, const std::vector<std::uint32_t>& tasks) {
    for (std::uint32_t c = 0; c < tasks.size(); ++c) {
        for (std::uint32_t i = 0; i < tasks[c]; ++i) w.add_queued(c);
        w.rq(c).cpu_load.fill(tasks[c] * kLoadScale);
    }
}

std::vector<std::uint64_t> averages(std::string_view version, std::uint64_t from, int ticks,
                                    std::uint32_t index) {
    TestWorld w(version, private_caches(1), 250);
    if (from == 0) w.add_queued(0);
    w.rq(0).cpu_load.fill(from);
    std::vector<std::uint64_t> values;
    for (int i = 0; i < ticks; ++i) {
        update_cpu_load(w.state(), w.rq(0));
        values.push_back(w.rq(0).cpu_load[index]);
    }
    return values;
}

TEST(CpuLoad, RisesToTheLoadAndFallsToZero) {
    using V = std::vector<std::uint64_t>;
    EXPECT_EQ(averages("o1-2.6.9", 0, 8, 0), (V{64, 96, 112, 120, 124, 126, 127, 128}));
    EXPECT_EQ(averages("o1-2.6.9", 128, 8, 0), (V{64, 32, 16, 8, 4, 2, 1, 0}));
    for (const std::string_view version : {"o1-2.6.16", "o1-2.6.22"}) {
        EXPECT_EQ(averages(version, 0, 2, 0), (V{128, 128}));
        EXPECT_EQ(averages(version, 0, 6, 1), (V{64, 96, 112, 120, 124, 126}));
        EXPECT_EQ(averages(version, 0, 6, 2), (V{32, 56, 74, 88, 98, 106}));
        EXPECT_EQ(averages(version, 128, 2, 0), (V{0, 0}));
        EXPECT_EQ(averages(version, 128, 6, 1), (V{64, 32, 16, 8, 4, 2}));
        EXPECT_EQ(averages(version, 128, 6, 2), (V{96, 72, 54, 40, 30, 22}));
    }
}

// Imbalance CPU 0 sees towards CPU 1 on a plain CPU level; 0: balanced.
std::uint64_t imbalance(std::string_view version, std::uint32_t mine, std::uint32_t theirs,
                        IdleType idle) {
    const topo::Machine machine = private_caches(2);
    TestWorld w(version, machine, 250);
    if (w.state().version.domains == DomainSet::k2_6_9)  // without the SMT view of the cores
        w.state().domains = o1_domains(DomainSet::k2_6_9El, machine, {});
    fill(w, {mine, theirs});
    return find_busiest_group(w.state(), w.state().domains[0][0],
                              {.this_cpu = CpuId{0}, .idle = idle, .excluded = {}})
        .imbalance;
}

TEST(FindBusiestGroup, TwoCpuMatrix) {
    struct Row {
        std::uint32_t mine, theirs;
        // newly idle 2.6.9, EL and 2.6.16, 2.6.22; idle 2.6.9; busy up to 2.6.16, 2.6.22
        std::array<std::uint64_t, 6> want;
    };
    const std::vector<Row> rows = {{0, 1, {1, 0, 0, 0, 0, 0}},     {0, 2, {1, 1, 128, 1, 1, 128}},
                                   {0, 3, {1, 1, 192, 1, 1, 192}}, {0, 4, {2, 2, 256, 2, 2, 256}},
                                   {1, 2, {1, 0, 0, 1, 0, 0}},     {1, 3, {1, 1, 128, 1, 1, 128}},
                                   {1, 4, {1, 1, 192, 1, 1, 192}}, {2, 3, {1, 0, 0, 1, 0, 0}},
                                   {2, 4, {1, 1, 128, 1, 1, 128}}};
    for (const Row& row : rows) {
        const auto of = [&](std::string_view version, IdleType idle) {
            return imbalance(version, row.mine, row.theirs, idle);
        };
        const std::string name = std::to_string(row.mine) + "," + std::to_string(row.theirs);
        EXPECT_EQ(of("o1-2.6.9", IdleType::kNewlyIdle), row.want[0]) << name;
        EXPECT_EQ(of("o1-2.6.9-el", IdleType::kNewlyIdle), row.want[1]) << name;
        EXPECT_EQ(of("o1-2.6.16", IdleType::kNewlyIdle), row.want[1]) << name;
        EXPECT_EQ(of("o1-2.6.22", IdleType::kNewlyIdle), row.want[2]) << name;
        EXPECT_EQ(of("o1-2.6.9", IdleType::kIdle), row.want[3]) << name;
        for (const std::string_view old : {"o1-2.6.9", "o1-2.6.9-el", "o1-2.6.16"})
            EXPECT_EQ(of(old, IdleType::kNotIdle), row.want[4]) << name << " " << old;
        EXPECT_EQ(of("o1-2.6.22", IdleType::kNotIdle), row.want[5]) << name;
    }
}

TEST(FindBusiestGroup, PairsOfAQuadCount_AsOneCpuEach) {
    struct Row {
        std::vector<std::uint32_t> tasks;
        std::uint32_t balancer;  // first idle CPU of the first pair
        std::uint64_t want;
    };
    const std::vector<Row> rows = {{{0, 0, 1, 1}, 0, 128}, {{0, 0, 2, 0}, 0, 128},
                                   {{0, 0, 2, 1}, 0, 192}, {{1, 0, 2, 1}, 1, 128},
                                   {{0, 1, 1, 1}, 0, 0},   {{0, 0, 1, 0}, 0, 0}};
    for (const Row& row : rows) {
        TestWorld w("o1-2.6.22", shared_pairs(4), 250);
        fill(w, row.tasks);
        const CpuId cpu{row.balancer};
        const BusiestGroup r =
            find_busiest_group(w.state(), w.state().domains[cpu.v][1],
                               {.this_cpu = cpu, .idle = IdleType::kIdle, .excluded = {}});
        EXPECT_TRUE(r.may_balance);
        EXPECT_EQ(r.imbalance, row.want) << row.tasks[0] << row.tasks[1] << row.tasks[2];
    }
}

TEST(LoadBalance, SecondTaskExceedsAWeightOfOneAndAHalf) {
    // 0 against 3: imbalance 192 = one task of 128 and 64 left, less than another task.
    TestWorld w("o1-2.6.22", private_caches(2), 250);
    fill(w, {0, 3});
    w.rq(1).clock = 1'000'000'000;
    EXPECT_EQ(load_balance_newidle(w.state(), CpuId{0}, w.state().domains[0][0]), 1);
    EXPECT_EQ(w.rq(0).nr_running, 1u);
    EXPECT_EQ(w.host.migrations, 1);
}

TEST(LoadBalance, HotTasksMoveOnlyAfterFailures) {
    TestWorld w("o1-2.6.22", private_caches(2), 250);
    fill(w, {0, 2});
    SchedDomain& sd = w.state().domains[0][0];  // hot time 230 us
    w.rq(1).clock = 229'000;                    // the waiting task stopped 229 us ago
    for (int i = 0; i < 2; ++i)
        EXPECT_EQ(load_balance(w.state(), CpuId{0}, CpuId{0}, sd, IdleType::kIdle).moved, 0);
    EXPECT_EQ(sd.nr_balance_failed, 2u);  // > cache_nice_tries = 1
    EXPECT_EQ(load_balance(w.state(), CpuId{0}, CpuId{0}, sd, IdleType::kIdle).moved, 1);
    EXPECT_EQ(sd.nr_balance_failed, 0u);
}

TEST(ActiveBalance, FourthFailurePushesARunningTaskToTheIdlePair) {
    // (0,0|1,1): imbalance 128, but both queues hold their running task only (o1.md 8.7, 13.11).
    TestWorld w("o1-2.6.22", shared_pairs(4), 250);
    fill(w, {0, 0, 1, 1});
    SchedDomain& sd = w.state().domains[0][1];
    for (int attempt = 1; attempt <= 4; ++attempt) {
        EXPECT_TRUE(w.host.kicked.empty()) << attempt;
        load_balance(w.state(), CpuId{0}, CpuId{0}, sd, IdleType::kIdle);
    }
    ASSERT_EQ(w.host.kicked, std::vector{CpuId{2}});
    EXPECT_EQ(sd.nr_balance_failed, 2u);  // cache_nice_tries + 1: hot tasks may be moved
    EXPECT_EQ(sd.balance_interval_ms, 2u);

    SchedTask& pushed = w.tasks[0];
    SchedTask migration;
    migration.id = TaskId{9};
    migration.cpu = CpuId{2};
    migration.allowed.set(CpuId{2});
    migration.policy = SchedPolicy::kFifo;
    migration.rt_priority = 99;
    migration.migration_thread = true;
    migration.is_user = false;
    w.sched.attach(migration);
    try_to_wake_up(w.sched, migration, {.this_cpu = CpuId{0}});
    EXPECT_TRUE(w.host.need_resched(CpuId{2}));
    EXPECT_EQ(w.rq(2).raw_weighted_load, 128u);  // the migration thread weighs nothing
    EXPECT_EQ(schedule(w.sched, CpuId{2}, &pushed), &migration);
    w.sched.active_balance(CpuId{2});
    EXPECT_EQ(pushed.cpu, CpuId{0});
    EXPECT_EQ(w.rq(0).nr_running, 1u);
    EXPECT_TRUE(w.host.need_resched(CpuId{0}));
    EXPECT_FALSE(w.rq(2).active_balance);
}

TEST(ActiveBalance, PinnedRunningTaskIsNotKicked) {
    TestWorld w("o1-2.6.22", shared_pairs(4), 250);
    fill(w, {0, 0, 1, 1});
    for (SchedTask& p : w.tasks) p.allowed.clear(CpuId{0});
    SchedDomain& sd = w.state().domains[0][1];
    for (int i = 0; i < 6; ++i) load_balance(w.state(), CpuId{0}, CpuId{0}, sd, IdleType::kIdle);
    EXPECT_TRUE(w.host.kicked.empty());
}

// Jiffies at which CPU 0 balances its only level while nothing changes.
std::vector<std::uint64_t> balance_times(bool busy, std::uint64_t jiffies) {
    TestWorld w("o1-2.6.22", private_caches(2), 250);
    fill(w, busy ? std::vector<std::uint32_t>{1, 1} : std::vector<std::uint32_t>{0, 0});
    std::vector<std::uint64_t> times;
    std::uint64_t last = 0;
    while (w.host.jiffy < jiffies) {
        ++w.host.jiffy;
        w.sched.tick(CpuId{0});
        const std::uint64_t now = w.state().domains[0][0].last_balance;
        if (now != last) times.push_back(now);
        last = now;
    }
    return times;
}

TEST(PeriodicBalance, BusyCpusBackOffTo256Ms) {
    // 1, 2, 4 ms times busy_factor 64 = 16, 32, 64 jiffies of 4 ms; max_interval 4 ms.
    EXPECT_EQ(balance_times(true, 250), (std::vector<std::uint64_t>{16, 48, 112, 176, 240}));
    // Idle: 1, 2 and 4 ms are one jiffy.
    EXPECT_EQ(balance_times(false, 5), (std::vector<std::uint64_t>{1, 2, 3, 4, 5}));
}

TEST(IdleBalance, ResetsNextBalanceToTheIdleRate) {
    TestWorld w("o1-2.6.22", private_caches(2), 250);
    w.host.jiffy = 100;
    w.rq(0).next_balance = 164;
    w.state().domains[0][0].last_balance = 100;
    w.sched.idle_balance(CpuId{0});
    EXPECT_EQ(w.rq(0).next_balance, 101u);
}

TEST(Nohz, FirstIdleCpuBalancesForTheOthersUntilAllAreIdle) {
    TestWorld w("o1-2.6.22", private_caches(3), 250);
    EXPECT_TRUE(w.sched.nohz_idle_enter(CpuId{1}));
    EXPECT_FALSE(w.sched.nohz_idle_enter(CpuId{2}));
    EXPECT_TRUE(w.sched.nohz_idle_enter(CpuId{1}));
    w.sched.nohz_idle_exit(CpuId{1});
    EXPECT_TRUE(w.sched.nohz_idle_enter(CpuId{2}));
    EXPECT_FALSE(w.sched.nohz_idle_enter(CpuId{1}));
    EXPECT_FALSE(w.sched.nohz_idle_enter(CpuId{0}));  // all idle: everybody stops
}

TEST(Nohz, OwnerPullsForATickLessCpu) {
    TestWorld w("o1-2.6.22", private_caches(3), 250);
    w.state().no_hz = true;
    fill(w, {3, 0, 0});
    w.rq(0).clock = 1'000'000'000;
    for (const CpuId c : {CpuId{1}, CpuId{2}}) w.sched.nohz_idle_enter(c);
    w.host.jiffy = 2;
    w.sched.tick(CpuId{1});
    EXPECT_EQ(w.rq(1).nr_running, 1u);
    EXPECT_EQ(w.rq(2).nr_running, 0u);  // CPU 1 has work now and stops looking after others
    w.host.resched_marks.assign(3, false);
    w.rq(1).curr = &w.entity(1);
    w.sched.nohz_idle_exit(CpuId{1});
    w.sched.nohz_idle_enter(CpuId{2});
    w.host.jiffy = 4;
    w.sched.tick(CpuId{2});
    EXPECT_EQ(w.rq(2).nr_running, 1u);
}

}  // namespace
}  // namespace wakelab::policy::o1::test
