#include "metrics/log_histogram.hpp"

#include <gtest/gtest.h>

namespace wakelab::metrics {
namespace {

TEST(LogHistogram, IsEmptyAtFirst) {
    const LogHistogram h;
    EXPECT_EQ(h.count(), 0u);
    EXPECT_EQ(h.quantile_ns(0.5), 0);
    EXPECT_EQ(h.max_ns(), 0);
    EXPECT_EQ(h.mean_ns(), 0.0);
}

TEST(LogHistogram, IsExactBelow128) {
    LogHistogram h;
    for (int i = 1; i <= 100; ++i) h.add(i);
    EXPECT_EQ(h.quantile_ns(0.50), 50);  // 50 of 100 entries are <= 50
    EXPECT_EQ(h.quantile_ns(0.99), 99);
    EXPECT_EQ(h.quantile_ns(1.0), 100);
    EXPECT_EQ(h.sum_ns(), 5050);
}

TEST(LogHistogram, KeepsQuantilesWithinHalfAPercent) {
    // One entry per value; the maximum is added on top so that the quantile is not cut to it.
    for (std::int64_t value = 130; value < 900'000'000'000; value = value * 7 / 5 + 1) {
        LogHistogram h;
        h.add(value);
        h.add(value * 3);
        const double error = static_cast<double>(h.quantile_ns(0.5) - value);
        EXPECT_LE(std::abs(error), 0.004 * static_cast<double>(value)) << value;
    }
}

TEST(LogHistogram, KeepsTheMaximumExactAndTheRangeBounded) {
    LogHistogram h;
    h.add(-5);
    h.add(std::int64_t{1} << 60);
    EXPECT_EQ(h.max_ns(), std::int64_t{1} << 60);
    EXPECT_EQ(h.quantile_ns(0.5), 0);
}

}  // namespace
}  // namespace wakelab::metrics
