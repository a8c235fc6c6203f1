// The tables of o1.md 2 and 5.6.
#include "policy/o1/prio.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace wakelab::policy::o1 {
namespace {

const O1Version& k2_6_9 = o1_version("o1-2.6.9");
const O1Version& k2_6_16 = o1_version("o1-2.6.16");
const O1Version& k2_6_22 = o1_version("o1-2.6.22");
constexpr std::uint64_t kMs = 1'000'000;

TEST(PrioTables, SliceGrowsFourfoldForNegativeNice) {
    struct Row {
        int nice;
        std::uint32_t hz1000, hz250;
    };
    // nice 0: 100 ms * 20 / 20; nice -1: 400 ms * 21 / 20 = 420; HZ 250, nice 5: 25 * 15 / 20
    // = 18.75 truncated; nice 19: 25 / 20 = 1.
    const std::vector<Row> rows = {{-20, 800, 200}, {-15, 700, 175}, {-10, 600, 150},
                                   {-5, 500, 125},  {-1, 420, 105},  {0, 100, 25},
                                   {1, 95, 23},     {5, 75, 18},     {10, 50, 12},
                                   {15, 25, 6},     {19, 5, 1}};
    const PrioTables at1000(k2_6_22, 1000, 1), at250(k2_6_22, 250, 1);
    for (const Row& row : rows) {
        EXPECT_EQ(at1000.timeslice(nice_to_prio(row.nice)), row.hz1000) << row.nice;
        EXPECT_EQ(at250.timeslice(nice_to_prio(row.nice)), row.hz250) << row.nice;
    }
}

TEST(PrioTables, BonusIsTheNumberOfWholeTenthsOfASecond) {
    struct Row {
        std::uint64_t ms;
        int bonus, prio;
    };
    const std::vector<Row> rows = {{0, 0, 125},   {99, 0, 125},  {100, 1, 124}, {499, 4, 121},
                                   {500, 5, 120}, {699, 6, 119}, {700, 7, 118}, {799, 7, 118},
                                   {800, 8, 117}, {900, 9, 116}, {999, 9, 116}, {1000, 10, 115}};
    for (const std::uint32_t hz : {250u, 1000u}) {
        const PrioTables t(k2_6_22, hz, 1);
        for (const Row& row : rows) {
            EXPECT_EQ(t.bonus(row.ms * kMs), row.bonus) << row.ms;
            EXPECT_EQ(t.normal_prio(120, row.ms * kMs), row.prio) << row.ms;
        }
    }
}

TEST(PrioTables, PriorityStaysBetween100And139) {
    const PrioTables t(k2_6_22, 250, 1);
    EXPECT_EQ(t.normal_prio(nice_to_prio(-20), 1000 * kMs), 100);  // 100 - 5
    EXPECT_EQ(t.normal_prio(nice_to_prio(19), 0), 139);            // 139 + 5
}

// The largest priority that counts as interactive is static_prio - DELTA.
int delta_of(const PrioTables& t, int nice) {
    const int static_prio = nice_to_prio(nice);
    int prio = static_prio + 10;
    while (!t.interactive(prio, static_prio)) --prio;
    return static_prio - prio;
}

TEST(PrioTables, DeltaTruncatesTowardsZeroBefore2_6_17) {
    struct Row {
        int nice, before, after;
    };
    // nice -19: -19 * 10 / 40 = -4.75, truncated -4, + 2 = -2; later (1 * 10 / 40 = 0) - 5 + 2 =
    // -3.
    const std::vector<Row> rows = {{-20, -3, -3}, {-19, -2, -3}, {-17, -2, -3}, {-16, -2, -2},
                                   {-10, 0, -1},  {-5, 1, 0},    {-4, 1, 1},    {-1, 2, 1},
                                   {0, 2, 2},     {1, 2, 2},     {4, 3, 3},     {5, 3, 3},
                                   {10, 4, 4},    {15, 5, 5},    {16, 6, 6},    {19, 6, 6}};
    const PrioTables before(k2_6_16, 1000, 1), after(k2_6_22, 1000, 1);
    for (const Row& row : rows) {
        EXPECT_EQ(delta_of(before, row.nice), row.before) << row.nice;
        EXPECT_EQ(delta_of(after, row.nice), row.after) << row.nice;
    }
}

TEST(PrioTables, InteractiveSleepOfNiceZeroIsOneTickShortOf800Ms) {
    const PrioTables at1000(k2_6_22, 1000, 1), at250(k2_6_22, 250, 1), at100(k2_6_22, 100, 1);
    EXPECT_EQ(at1000.interactive_sleep(120), 799 * kMs);
    EXPECT_EQ(at250.interactive_sleep(120), 796 * kMs);
    EXPECT_EQ(at100.interactive_sleep(120), 790 * kMs);
    EXPECT_EQ(at1000.interactive_sleep(nice_to_prio(-20)), 299 * kMs);
    EXPECT_EQ(at1000.interactive_sleep(nice_to_prio(-10)), 499 * kMs);
    EXPECT_EQ(at1000.interactive_sleep(nice_to_prio(10)), 999 * kMs);
    EXPECT_EQ(at1000.interactive_sleep(nice_to_prio(19)), 1199 * kMs);
}

TEST(PrioTables, GranularityDoublesPerLostBonusAndScalesWithCpus) {
    const PrioTables new1000(k2_6_22, 1000, 2), old1000(k2_6_9, 1000, 2), new250(k2_6_22, 250, 2);
    const std::vector<std::uint32_t> at1000 = {20, 20, 40, 80, 160, 320};  // bonus 10, 9, ... 5
    const std::vector<std::uint32_t> before = {10, 10, 20, 40, 80, 160};
    const std::vector<std::uint32_t> at250 = {4, 4, 8, 16, 32};
    for (std::size_t i = 0; i < at1000.size(); ++i) {
        const int bonus = 10 - static_cast<int>(i);
        EXPECT_EQ(new1000.granularity(bonus), at1000[i]) << bonus;
        EXPECT_EQ(old1000.granularity(bonus), before[i]) << bonus;
    }
    for (std::size_t i = 0; i < at250.size(); ++i)
        EXPECT_EQ(new250.granularity(10 - static_cast<int>(i)), at250[i]);
}

TEST(PrioTables, WeightIsTheSliceInUnitsOfTheNiceZeroSlice) {
    const PrioTables at1000(k2_6_22, 1000, 1), at250(k2_6_22, 250, 1);
    EXPECT_EQ(at1000.normal_weight(nice_to_prio(-20)), 1024u);  // 800 * 128 / 100
    EXPECT_EQ(at1000.normal_weight(nice_to_prio(-10)), 768u);
    EXPECT_EQ(at1000.normal_weight(nice_to_prio(-5)), 640u);
    EXPECT_EQ(at1000.normal_weight(nice_to_prio(-1)), 537u);  // 420 * 128 / 100 = 537.6
    EXPECT_EQ(at1000.normal_weight(nice_to_prio(0)), 128u);
    EXPECT_EQ(at1000.normal_weight(nice_to_prio(1)), 121u);
    EXPECT_EQ(at1000.normal_weight(nice_to_prio(5)), 96u);
    EXPECT_EQ(at1000.normal_weight(nice_to_prio(10)), 64u);
    EXPECT_EQ(at1000.normal_weight(nice_to_prio(19)), 6u);
    EXPECT_EQ(at250.normal_weight(nice_to_prio(1)), 117u);  // 23 * 128 / 25
    EXPECT_EQ(at250.normal_weight(nice_to_prio(5)), 92u);
    EXPECT_EQ(at250.normal_weight(nice_to_prio(10)), 61u);
    EXPECT_EQ(at250.normal_weight(nice_to_prio(15)), 30u);
    EXPECT_EQ(at250.normal_weight(nice_to_prio(19)), 5u);
    EXPECT_EQ(at1000.rt_weight(1), 1025u);  // 1024 + 128 / 100
    EXPECT_EQ(at250.rt_weight(1), 1029u);   // 1024 + 128 / 25
}

}  // namespace
}  // namespace wakelab::policy::o1
