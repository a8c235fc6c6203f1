#include "base/prng.hpp"

#include <gtest/gtest.h>

namespace wakelab {
namespace {

TEST(Prng, StreamsOfOtherIdsDoNotShift) {
    Prng a(7, 1, 0);
    Prng b(7, 1, 1);
    Prng again(7, 1, 0);
    EXPECT_NE(a.next(), b.next());
    again.next();
    EXPECT_EQ(a.next(), again.next());
}

TEST(Prng, BelowStaysInRangeAndCoversIt) {
    Prng p(1, 2, 3);
    std::uint64_t seen = 0;
    for (int i = 0; i < 1000; ++i) {
        const std::uint64_t v = p.below(5);
        ASSERT_LT(v, 5u);
        seen |= 1ull << v;
    }
    EXPECT_EQ(seen, 0b11111u);
}

TEST(Prng, JitterIsBoundedAndCentred) {
    Prng p(1, 2, 3);
    std::int64_t sum = 0;
    for (int i = 0; i < 10'000; ++i) {
        const std::int64_t v = p.jitter(100'000, 80);
        ASSERT_GE(v, 92'000);
        ASSERT_LE(v, 108'000);
        sum += v;
    }
    EXPECT_NEAR(static_cast<double>(sum) / 10'000, 100'000, 150);
}

// Standard error of the mean of 100 000 draws: 50 000 / sqrt(100 000) = 158.
TEST(Prng, ExponentialHasItsMean) {
    Prng p(4, 5, 6);
    std::int64_t sum = 0;
    for (int i = 0; i < 100'000; ++i) sum += p.exponential(50'000);
    EXPECT_NEAR(static_cast<double>(sum) / 100'000, 50'000, 500);
}

}  // namespace
}  // namespace wakelab
