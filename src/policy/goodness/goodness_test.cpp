// The numbers of goodness.md 2, 3 and 10 (G, P) for one task and for two.
#include "policy/goodness/goodness.hpp"

#include <gtest/gtest.h>

#include "policy/goodness/slice.hpp"
#include "policy/goodness/test_world.hpp"

namespace wakelab::policy::goodness {
namespace {

using test::kKernelThread;
using test::TestWorld;

constexpr CpuId kCpu{0};
constexpr TaskId kM1{1};

int value(TestWorld& w, SchedTask& p) {
    return goodness(w.state(), entity_of(p), kCpu, kM1);
}

// counter + 20 - nice, + 15 on its CPU, + 1 for the mm: 6 + 20 + 15 + 1 = 42.
TEST(Goodness, OfOrdinaryTasks) {
    TestWorld w;
    EXPECT_EQ(value(w, w.add(6, 0, 1)), 42);
    EXPECT_EQ(value(w, w.add(6, 0, 2)), 41);
    EXPECT_EQ(value(w, w.add(6, 1, 1)), 27);
    EXPECT_EQ(value(w, w.add(6, 1, 2)), 26);
    EXPECT_EQ(value(w, w.add(6, 1, kKernelThread)), 27);
    EXPECT_EQ(value(w, w.add(0, 0, 1)), 0);
    EXPECT_EQ(value(w, w.add(11, 0, 1)), 47);
    EXPECT_EQ(value(w, w.add(1, 0, kKernelThread, 19)), 18);
    EXPECT_EQ(value(w, w.add(21, 0, 1, -20)), 77);
}

TEST(Goodness, OfRealTimeAndYieldingTasks) {
    TestWorld w;
    SchedTask& p = w.add(6, 0, 1);
    entity_of(p).yielding = true;
    EXPECT_EQ(value(w, p), -1);
    p.policy = SchedPolicy::kFifo;
    p.rt_priority = 10;
    EXPECT_EQ(value(w, p), -1);
    entity_of(p).yielding = false;
    EXPECT_EQ(value(w, p), 1010);
}

TEST(Goodness, PenaltyOfOtherArchitecturesAndOfOneCpu) {
    TestWorld w;
    w.state().proc_change_penalty = 20;
    EXPECT_EQ(value(w, w.add(6, 0, 1)), 47);
    TestWorld one(1);
    EXPECT_EQ(value(one, one.add(6, 0, 1)), 27);
    EXPECT_EQ(value(one, one.add(6, 0, 2)), 26);
}

// By how much p beats curr on curr's CPU.
int lead(int curr_counter, std::uint32_t curr_cpu, std::uint32_t curr_mm, int counter,
         std::uint32_t mm, int nice = 0) {
    TestWorld w;
    w.add_running(curr_counter, curr_cpu, curr_mm);
    return preemption_goodness(w.state(), entity_of(w.add(counter, 0, mm, nice)), CpuId{curr_cpu});
}

TEST(PreemptionGoodness, OnItsOwnCpu) {  // j - k - 1
    EXPECT_EQ(lead(6, 0, 1, 6, 2), -1);
    EXPECT_EQ(lead(5, 0, 1, 6, 2), 0);
    EXPECT_EQ(lead(4, 0, 1, 6, 2), 1);
    EXPECT_EQ(lead(6, 0, 1, 11, 2), 4);
    EXPECT_EQ(lead(5, 0, 1, 6, 1), 1);  // a thread of curr's process
    EXPECT_LT(lead(6, 0, 1, 0, 2), 0);  // 0 - 42
}

TEST(PreemptionGoodness, OnAnotherCpu) {  // j - k - 16
    EXPECT_EQ(lead(1, 1, 1, 11, 2), -6);
    EXPECT_EQ(lead(0, 1, 1, 6, 2), 26);        // curr is used up
    EXPECT_EQ(lead(6, 1, 1, 21, 2, -20), 19);  // 61 - 42
}

TEST(Slice, FollowsNiceAndTickRate) {
    const std::vector<std::pair<int, int>> ticks = {{-20, 11}, {-15, 9}, {-10, 8}, {-5, 7},
                                                    {-1, 6},   {0, 6},   {1, 5},   {5, 4},
                                                    {10, 3},   {15, 2},  {19, 1}};
    for (const auto& [nice, expected] : ticks)
        EXPECT_EQ(nice_to_ticks(nice, 100), expected) << nice;
    EXPECT_EQ(nice_to_ticks(-20, 1024), 81);
    EXPECT_EQ(nice_to_ticks(0, 1024), 41);
    EXPECT_EQ(nice_to_ticks(19, 1024), 3);
}

std::vector<int> recalculations(int counter, int nice, int times) {
    TestWorld w;
    SchedTask& p = w.add(counter, 0, 1, nice);
    std::vector<int> values;
    for (int i = 0; i < times; ++i) {
        recalculate(w.state());
        values.push_back(test::counter(p));
    }
    return values;
}

TEST(Slice, RecalculationKeepsHalfOfWhatIsLeft) {
    EXPECT_EQ(recalculations(0, 0, 5), (std::vector<int>{6, 9, 10, 11, 11}));
    EXPECT_EQ(recalculations(0, -20, 6), (std::vector<int>{11, 16, 19, 20, 21, 21}));
    EXPECT_EQ(recalculations(20, 0, 5), (std::vector<int>{16, 14, 13, 12, 12}));
}

}  // namespace
}  // namespace wakelab::policy::goodness
