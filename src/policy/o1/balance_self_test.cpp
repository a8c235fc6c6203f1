// Placement at fork and exec (o1.md 8.6).
#include "policy/o1/balance_self.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "policy/o1/test_world.hpp"

namespace wakelab::policy::o1::test {
namespace {

// The first task of CPU 0 execs; `tasks` by CPU, loads steady.
std::uint32_t exec_cpu(std::string_view version, const topo::Machine& machine,
                       const std::vector<std::uint32_t>& tasks) {
    TestWorld w(version, machine, 250);
    for (std::uint32_t c = 0; c < tasks.size(); ++c) {
        for (std::uint32_t i = 0; i < tasks[c]; ++i) w.add_queued(c);
        w.rq(c).cpu_load.fill(tasks[c] * kLoadScale);
    }
    return w.sched.exec(w.tasks.front()).v;
}

// o1.md 8.6: 2.6.22: 100 * 128 >= 112 * 0, so the idle CPU. 2.6.9: a lone task stays.
TEST(Exec, LoneShellMovesToTheIdleCpuFrom2_6_13) {
    const topo::Machine x2 = private_caches(2);
    for (const std::string_view version : {"o1-2.6.9", "o1-2.6.9-el"})
        EXPECT_EQ(exec_cpu(version, x2, {1, 0}), 0u) << version;
    for (const std::string_view version :
         {"o1-2.6.16-rc1", "o1-2.6.16-rc3", "o1-2.6.16", "o1-2.6.22"})
        EXPECT_EQ(exec_cpu(version, x2, {1, 0}), 1u) << version;
}

// 2.6.9: {2, 1}: 128 * 112 < (256 + 128) * 100: moves; {2, 2}: the first of the lightest is CPU 0
// itself. 2.6.22: {2, 1}: 100 * 256 >= 112 * 128; {2, 2}: 25600 < 28672: stays; {1, 1} likewise.
TEST(Exec, EqualCpusKeepTheTask) {
    const topo::Machine x2 = private_caches(2);
    for (const std::string_view version : {"o1-2.6.9-el", "o1-2.6.22"}) {
        EXPECT_EQ(exec_cpu(version, x2, {2, 1}), 1u) << version;
        EXPECT_EQ(exec_cpu(version, x2, {2, 2}), 0u) << version;
    }
    EXPECT_EQ(exec_cpu("o1-2.6.22", x2, {1, 1}), 0u);
}

// Q6600. CPU level: pair {0,1} 128 + 128, pair {2,3} 128: 100 * 256 >= 112 * 128, so the other
// pair, where CPU 3 is lightest. Both pairs with one task: 12800 < 14336, so down to the MC level:
// 100 * 128 >= 112 * 0: the idle CPU of the own pair.
TEST(Exec, GoesLevelByLevelIn2_6_22) {
    const topo::Machine q6600 = shared_pairs(4);
    EXPECT_EQ(exec_cpu("o1-2.6.22", q6600, {1, 1, 1, 0}), 3u);
    EXPECT_EQ(exec_cpu("o1-2.6.22", q6600, {1, 0, 1, 0}), 1u);
    // To the idle pair, first to CPU 2; there 100 * 0 < 112 * 0 is false, so on to its neighbour.
    EXPECT_EQ(exec_cpu("o1-2.6.22", q6600, {1, 0, 0, 0}), 3u);
}

TEST(Exec, KeepsToTheAffinityMask) {
    for (const std::string_view version : {"o1-2.6.9-el", "o1-2.6.22"}) {
        TestWorld w(version, private_caches(4), 250);
        w.add_queued(0);
        w.add_queued(0);
        w.rq(0).cpu_load.fill(2 * kLoadScale);
        w.tasks.front().allowed = topo::CpuMask::of_word(0b1001);
        EXPECT_EQ(w.sched.exec(w.tasks.front()), CpuId{3}) << version;
        w.tasks.front().allowed = topo::CpuMask::of_word(1);
        EXPECT_EQ(w.sched.exec(w.tasks.front()), CpuId{0}) << version;
    }
}

// Only node levels have SD_BALANCE_FORK; with the flag on the CPU level a child goes where an exec
// would.
TEST(Fork, IsBalancedWhereALevelAsksForIt) {
    for (const bool asks : {false, true}) {
        for (const std::string_view version : {"o1-2.6.9", "o1-2.6.22"}) {
            TestWorld w(version, private_caches(2), 250);
            SchedTask& parent = w.add_queued(0);
            w.rq(0).cpu_load.fill(kLoadScale);
            if (asks)
                for (auto& levels : w.state().domains)
                    for (SchedDomain& sd : levels) sd.params.flags |= kBalanceFork;
            SchedTask child = parent;
            child.id = TaskId{1};
            const bool moves = asks && version == "o1-2.6.22";
            EXPECT_EQ(w.sched.fork(&parent, child, CpuId{0}), CpuId{moves ? 1u : 0u}) << version;
            // o1.md 5.4: what the filter of 2.6.16-rc1 remembers first.
            EXPECT_EQ(entity_of(child).last_waker_cpu, CpuId{moves ? 1u : 0u});
        }
    }
}

}  // namespace
}  // namespace wakelab::policy::o1::test
