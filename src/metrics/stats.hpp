// Statistics of small samples: repeated runs, latencies, published against simulated numbers.
// Doubles are fine here, on this side of the trace. No function changes its input; samples need no
// order. Preconditions (non-empty, equal lengths, positive values) are checked with WK_CHECK: who
// calls with data from outside looks first.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace wakelab::metrics {

using Sample = std::span<const double>;

// --- level (all need at least one value)
// ------------------------------------------------------------
[[nodiscard]] double median(Sample sample);
// Linear interpolation between the order statistics at rank (n - 1) * percent / 100; 0 .. 100.
[[nodiscard]] double percentile(Sample sample, double percent);
[[nodiscard]] double arithmetic_mean(Sample sample);
// The mean for rates (workloads.md 16). Values must not be negative; 0 if one of them is 0.
[[nodiscard]] double harmonic_mean(Sample sample);
// Of ratios, all positive.
[[nodiscard]] double geometric_mean(Sample ratios);

// --- spread
// --------------------------------------------------------------------------------------- Of the
// sample (divisor n - 1); 0 for a single value.
[[nodiscard]] double stddev(Sample sample);
// stddev / |arithmetic mean|; 0 when the mean is 0.
[[nodiscard]] double coefficient_of_variation(Sample sample);
// Median absolute deviation from the median, not scaled to a normal distribution.
[[nodiscard]] double median_absolute_deviation(Sample sample);

// --- comparison
// ----------------------------------------------------------------------------------- Interval of
// mean(b) - mean(a) by Welch's t: unequal variances, degrees of freedom after Welch and
// Satterthwaite.
struct WelchInterval {
    double difference = 0;
    double low = 0;
    double high = 0;
    double confidence = 0;  // 0.95 = 95 %
    [[nodiscard]] bool excludes_zero() const { return low > 0 || high < 0; }
};

// Nothing when a sample has fewer than two values: no variance, no interval.
[[nodiscard]] std::optional<WelchInterval> welch_interval(Sample a, Sample b, double confidence);

// Interval of the mean of paired differences by Student's t with n - 1 degrees of freedom. For two
// samples whose values i come from one seed; what the seed does to both cancels out of it.
// Nothing with fewer than two values.
struct MeanInterval {
    double mean = 0;
    double low = 0;
    double high = 0;
    [[nodiscard]] bool excludes_zero() const { return low > 0 || high < 0; }
};
[[nodiscard]] std::optional<MeanInterval> mean_interval(Sample differences, double confidence);

// Kendall's tau-b of paired values, -1 .. 1, corrected for ties. Nothing when one side is all ties
// (or there are fewer than two pairs): there is no order to compare.
[[nodiscard]] std::optional<double> kendall_tau_b(Sample x, Sample y);

// --- two humps
// ------------------------------------------------------------------------------------ Cut the
// sorted sample at its largest gap. It has two humps when that gap is at least kHumpGapToSpread
// times the wider of the two parts and at least kHumpGapToMedian of the median. Needs three values;
// a lone value counts as a hump, because of three to nine seeds a bistable cell often shows its
// rarer state once.
//
// How often the rule is wrong (4 000 samples per entry; normal noise):
//   seeds                                           3     5     9
//   one level, spread 3 %, marked                 0.7 % 0.1 %  0 %
//   one level, spread 10 %, marked                 42 %  13 %  1 %
//   levels 1.0 and 0.6 equally likely, not marked  23 %   6 %  1 %  (3, 5: one state was never
//   drawn)
inline constexpr double kHumpGapToSpread = 2.0;
inline constexpr double kHumpGapToMedian = 0.10;

struct Humps {
    bool two = false;
    double low = 0;         // mean of the part below the gap
    double high = 0;        // mean of the part above
    std::size_t n_low = 0;  // values below the gap; meaningful only when `two`
};

[[nodiscard]] Humps find_humps(Sample sample);

}  // namespace wakelab::metrics
