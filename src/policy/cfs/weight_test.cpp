#include "policy/cfs/weight.hpp"

#include <gtest/gtest.h>

namespace wakelab::policy::cfs {

namespace {

// cfs.md UT-1. W = 2048: (2^32 - 1024) / 2048 + 1 = 2097151 + 1; V25: (2^32 - 1024) / 2049 =
// 2096128.
TEST(Weight, InverseOfAQueueDependsOnTheVersion) {
    struct Row {
        std::uint64_t weight, exact, shorter, plus_one;
    };
    for (const Row& r :
         {Row{1024, 4194304, 4190211, 4190212}, Row{2048, 2097152, 2096128, 2096129},
          Row{3072, 1398101, 1397645, 1397646}, Row{4096, 1048576, 1048319, 1048320}}) {
        EXPECT_EQ(inverse_of(r.weight, InverseRule::kExact), r.exact);
        EXPECT_EQ(inverse_of(r.weight, InverseRule::kShort), r.shorter);
        EXPECT_EQ(inverse_of(r.weight, InverseRule::kShortPlusOne), r.plus_one);
    }
}

LoadWeight nice(int n) {
    return kNiceLoad[static_cast<std::size_t>(n + 20)];
}

// cfs.md UT-1. Nice 1: 10^6 * 1024 = 1024000000 < 2^32, times 5237765 = 5363471360000000, rounded
// off 32 bits = 1248780.
TEST(Weight, VirtualTimeOfAMillisecondByNice) {
    struct Row {
        int nice;
        std::uint64_t virtual_ns;
    };
    for (const Row& r :
         {Row{-20, 11537}, Row{-10, 107248}, Row{-5, 328100}, Row{-1, 801879}, Row{0, 1000000},
          Row{1, 1248780}, Row{5, 3056716}, Row{10, 9309091}, Row{19, 68266667}}) {
        LoadWeight lw = nice(r.nice);
        EXPECT_EQ(fair_delta(1'000'000, lw), r.virtual_ns) << "nice " << r.nice;
    }
}

// cfs.md UT-1: 10 ms * 1024 > 2^32, so both halves of the shift round.
TEST(Weight, LongTimesRoundTwice) {
    LoadWeight minus5 = nice(-5);
    LoadWeight plus5 = nice(5);
    EXPECT_EQ(fair_delta(10'000'000, minus5), 3281000u);
    EXPECT_EQ(fair_delta(10'000'000, plus5), 30567164u);
    EXPECT_EQ(fair_delta(20'000'000, minus5), 6561999u);
    EXPECT_EQ(fair_delta(20'000'000, plus5), 61134329u);
}

TEST(Weight, QueueInverseIsKeptUntilTheLoadChanges) {
    LoadWeight queue{2048, 0};
    cdm(1, 1, queue, InverseRule::kExact);
    EXPECT_EQ(queue.inv, 2097152u);
    queue.sub(1024);
    EXPECT_EQ(queue.inv, 0u);
}

// cfs.md 1.2: 2 ms at weight 2: t = 2048000000, times (2^64 - 2^31) wraps to 2^64 - 2048000000 *
// 2^31, rounded off 32 bits: 2^32 - 1024000000.
TEST(Weight, SignExtendedIdleInverseThrowsTheTaskSecondsAhead) {
    LoadWeight idle = kIdlePolicyLoadSignExtended;
    EXPECT_EQ(fair_delta(2'000'000, idle), (1ull << 32) - 1'024'000'000);
}

TEST(Weight, VirtualTimesCompareAcrossTheWrap) {
    EXPECT_TRUE(before(~0ull - 5, 5));
    EXPECT_FALSE(before(5, ~0ull - 5));
    EXPECT_EQ(vruntime_max(~0ull - 5, 5), 5u);
    EXPECT_EQ(vruntime_min(~0ull - 5, 5), ~0ull - 5);
}

}  // namespace

}  // namespace wakelab::policy::cfs
