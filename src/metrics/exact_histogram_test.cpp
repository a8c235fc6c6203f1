#include "metrics/exact_histogram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/prng.hpp"

namespace wakelab::metrics {
namespace {

TEST(ExactHistogram, AnswersLikeASortedList) {
    // 20 000 values from 0 ns to 2 s, most of them small.
    Prng prng(7, 0, 0);
    std::vector<std::int64_t> values;
    ExactHistogram h;
    for (int i = 0; i < 20'000; ++i) {
        const auto bits = static_cast<int>(prng.next() % 31);
        const auto ns = static_cast<std::int64_t>(prng.next() & ((1ull << bits) - 1));
        values.push_back(ns);
        h.add(ns);
    }
    std::ranges::sort(values);
    for (const double share : {0.0, 0.01, 0.5, 0.9, 0.95, 0.99, 0.999, 1.0}) {
        const auto rank = static_cast<std::size_t>(std::max(1.0, std::ceil(share * 20'000)));
        EXPECT_EQ(h.quantile_ns(share), values[rank - 1]) << share;
    }
    EXPECT_TRUE(h.is_exact());
    EXPECT_EQ(h.max_ns(), values.back());
    EXPECT_EQ(h.count(), 20'000u);
}

TEST(ExactHistogram, SaysWhenItHadToRound) {
    // One value more than is kept, all above 2^20 ns: the last one is rounded.
    ExactHistogram h;
    for (std::size_t i = 0; i < ExactHistogram::kKept; ++i) h.add(2'000'000);
    EXPECT_TRUE(h.is_exact());
    h.add(3'000'000);
    EXPECT_FALSE(h.is_exact());
    EXPECT_EQ(h.quantile_ns(0.5), 2'000'000);
    EXPECT_EQ(h.max_ns(), 3'000'000);
    EXPECT_EQ(h.sum_ns(), 2'000'000ll * ExactHistogram::kKept + 3'000'000);
}

TEST(ExactHistogram, SharesABudgetOfPages) {
    PageBudget budget{.pages = 1};
    ExactHistogram a(&budget);
    ExactHistogram b(&budget);
    a.add(5);  // takes the page
    b.add(5);  // none left
    EXPECT_TRUE(a.is_exact());
    EXPECT_FALSE(b.is_exact());
    EXPECT_EQ(b.quantile_ns(0.5), 5);  // rounding is exact below 128
}

TEST(ExactHistogram, OfNothingIsZero) {
    ExactHistogram h;
    EXPECT_EQ(h.quantile_ns(0.5), 0);
    EXPECT_EQ(h.mean_ns(), 0);
    h.add(-5);  // clocks of two CPUs disagree
    EXPECT_EQ(h.quantile_ns(1.0), 0);
    EXPECT_EQ(h.count(), 1u);
}

}  // namespace
}  // namespace wakelab::metrics
