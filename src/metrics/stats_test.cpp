#include "metrics/stats.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace wakelab::metrics {
namespace {

using Values = std::vector<double>;

TEST(Stats, MedianOfAnEvenNumberIsTheMiddleOfTheTwo) {
    EXPECT_DOUBLE_EQ(median(Values{9, 1, 5}), 5);
    EXPECT_DOUBLE_EQ(median(Values{9, 1, 5, 7}), 6);
    EXPECT_DOUBLE_EQ(median(Values{3}), 3);
}

// n = 5: rank of 90 % = 4 * 0.9 = 3.6, so 40 + 0.6 * (50 - 40) = 46.
TEST(Stats, PercentileInterpolatesBetweenOrderStatistics) {
    const Values v{50, 10, 40, 20, 30};
    EXPECT_DOUBLE_EQ(percentile(v, 90), 46);
    EXPECT_DOUBLE_EQ(percentile(v, 0), 10);
    EXPECT_DOUBLE_EQ(percentile(v, 100), 50);
}

// Harmonic mean of 20 and 30: 2 / (1/20 + 1/30) = 2 / (5/60) = 24.
TEST(Stats, HarmonicMeanIsTheRateOfEqualAmountsOfWork) {
    EXPECT_DOUBLE_EQ(harmonic_mean(Values{20, 30}), 24);
    EXPECT_DOUBLE_EQ(harmonic_mean(Values{20, 0}), 0);
    EXPECT_DOUBLE_EQ(arithmetic_mean(Values{20, 30}), 25);
}

// Twice as fast and half as fast cancel; 2 * 8 = 16, square root 4.
TEST(Stats, GeometricMeanCancelsOppositeRatios) {
    EXPECT_NEAR(geometric_mean(Values{2, 0.5}), 1, 1e-12);
    EXPECT_NEAR(geometric_mean(Values{2, 8}), 4, 1e-12);
}

// 2 4 4 4 5 5 7 9: mean 5, squares 9+1+1+1+0+0+4+16 = 32, / 7 = 4.571, root 2.138. Median 4.5,
// distances 2.5 .5 .5 .5 .5 .5 2.5 4.5: median 0.5.
TEST(Stats, SpreadOfAKnownSample) {
    const Values v{2, 4, 4, 4, 5, 5, 7, 9};
    EXPECT_NEAR(stddev(v), 2.13809, 1e-5);
    EXPECT_NEAR(coefficient_of_variation(v), 0.427618, 1e-6);
    EXPECT_DOUBLE_EQ(median_absolute_deviation(v), 0.5);
    EXPECT_DOUBLE_EQ(stddev(Values{4}), 0);
}

// a: mean 11, variance 1, n 3; b: mean 15, variance 4, n 3. se^2 = 1/3 + 4/3 = 5/3, se = 1.29099.
// Degrees of freedom (5/3)^2 / ((1/3)^2/2 + (4/3)^2/2) = 2.77778 / 0.944444 = 2.94118.
// t(0.975; 2.94118) = 3.2192 (between 4.3027 for 2 and 3.1824 for 3), so 4 +- 4.156.
TEST(Stats, WelchIntervalOfAHandCalculation) {
    const auto w = welch_interval(Values{10, 11, 12}, Values{13, 15, 17}, 0.95);
    ASSERT_TRUE(w);
    EXPECT_DOUBLE_EQ(w->difference, 4);
    EXPECT_NEAR(w->high - 4, 4.156, 0.002);
    EXPECT_NEAR(4 - w->low, 4.156, 0.002);
    EXPECT_FALSE(w->excludes_zero());
    EXPECT_DOUBLE_EQ(w->confidence, 0.95);
}

// Equal sizes and variances give the pooled test: df = 2 (n - 1) = 8, se = sqrt(2 * 2.5 / 5) = 1,
// t(0.975; 8) = 2.306004, so 10 +- 2.306.
TEST(Stats, WelchWithEqualVariancesIsStudent) {
    const auto w = welch_interval(Values{1, 2, 3, 4, 5}, Values{11, 12, 13, 14, 15}, 0.95);
    ASSERT_TRUE(w);
    EXPECT_NEAR(w->low, 10 - 2.306004, 1e-6);
    EXPECT_TRUE(w->excludes_zero());
}

TEST(Stats, WelchNeedsTwoValuesAndIsExactWithoutSpread) {
    EXPECT_FALSE(welch_interval(Values{1}, Values{2, 3}, 0.95));
    const auto w = welch_interval(Values{5, 5}, Values{6, 6}, 0.95);
    ASSERT_TRUE(w);
    EXPECT_TRUE(w->excludes_zero());
    EXPECT_FALSE(welch_interval(Values{5, 5}, Values{5, 5}, 0.95)->excludes_zero());
}

// Mean 3, variance 2.5, n 5: se = sqrt(2.5 / 5) = 0.707107, t(0.975; 4) = 2.776445, so 3
// +- 1.963243.
TEST(Stats, MeanIntervalIsStudent) {
    const auto m = mean_interval(Values{1, 2, 3, 4, 5}, 0.95);
    ASSERT_TRUE(m);
    EXPECT_DOUBLE_EQ(m->mean, 3);
    EXPECT_NEAR(m->low, 3 - 1.963243, 1e-5);
    EXPECT_NEAR(m->high, 3 + 1.963243, 1e-5);
    EXPECT_TRUE(m->excludes_zero());
    EXPECT_FALSE(mean_interval(Values{7}, 0.95));
    EXPECT_FALSE(mean_interval(Values{0, 0}, 0.95)->excludes_zero());
}

// Pairs of (1,1) (2,3) (3,2) (4,4): six, one disagrees: (5 - 1) / 6.
TEST(Stats, TauCountsDisagreeingPairs) {
    EXPECT_NEAR(*kendall_tau_b(Values{1, 2, 3, 4}, Values{1, 3, 2, 4}), 4.0 / 6, 1e-12);
    EXPECT_DOUBLE_EQ(*kendall_tau_b(Values{1, 2, 3}, Values{30, 20, 10}), -1);
}

// x 1 1 2, y 1 2 3: pair (0,1) is tied in x, the other two agree: 2 / sqrt(2 * 3).
TEST(Stats, TauCorrectsForTies) {
    EXPECT_NEAR(*kendall_tau_b(Values{1, 1, 2}, Values{1, 2, 3}), 0.816497, 1e-6);
    EXPECT_FALSE(kendall_tau_b(Values{1, 1, 1}, Values{1, 2, 3}));
    EXPECT_FALSE(kendall_tau_b(Values{1}, Values{1}));
}

// 10 10.2 | 29 30 31: gap 18.8, wider part 2, median 29.
TEST(Stats, TwoClustersAreTwoHumps) {
    const Humps h = find_humps(Values{30, 10, 31, 10.2, 29});
    EXPECT_TRUE(h.two);
    EXPECT_EQ(h.n_low, 2u);
    EXPECT_DOUBLE_EQ(h.low, 10.1);
    EXPECT_DOUBLE_EQ(h.high, 30);
}

TEST(Stats, ALoneValueFarAwayIsAHump) {
    EXPECT_TRUE(find_humps(Values{14, 30, 30.5}).two);
}

// Gap 1 of 100 is clear against parts of 0 and 0.1, but 1 % is no other state.
TEST(Stats, SmallGapsAreNoHumps) {
    EXPECT_FALSE(find_humps(Values{100, 100.1, 101.1}).two);
    EXPECT_FALSE(find_humps(Values{5, 5, 5}).two);
    EXPECT_FALSE(find_humps(Values{10, 30}).two);
}

// 10 14 18 22 26: wide, but even.
TEST(Stats, EvenSpreadIsNoHump) {
    EXPECT_FALSE(find_humps(Values{10, 14, 18, 22, 26}).two);
}

}  // namespace
}  // namespace wakelab::metrics
