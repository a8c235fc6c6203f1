#include "metrics/stats.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/check.hpp"

namespace wakelab::metrics {

namespace {

std::vector<double> sorted(Sample sample) {
    std::vector<double> values(sample.begin(), sample.end());
    std::ranges::sort(values);
    return values;
}

double square(double x) {
    return x * x;
}

double variance(Sample sample) {
    if (sample.size() < 2) return 0;
    const double mean = arithmetic_mean(sample);
    double sum = 0;
    for (const double x : sample) sum += square(x - mean);
    return sum / static_cast<double>(sample.size() - 1);
}

}  // namespace

double median(Sample sample) {
    return percentile(sample, 50);
}

double percentile(Sample sample, double percent) {
    WK_CHECK(!sample.empty() && percent >= 0 && percent <= 100);
    const std::vector<double> values = sorted(sample);
    const double rank = static_cast<double>(values.size() - 1) * percent / 100;
    const auto below = static_cast<std::size_t>(rank);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    const double part = rank - static_cast<double>(below);
    return values[below] + part * (values[above] - values[below]);
}

double arithmetic_mean(Sample sample) {
    WK_CHECK(!sample.empty());
    return std::accumulate(sample.begin(), sample.end(), 0.0) / static_cast<double>(sample.size());
}

double harmonic_mean(Sample sample) {
    WK_CHECK(!sample.empty());
    double sum = 0;
    for (const double x : sample) {
        WK_CHECK(x >= 0);
        if (x == 0) return 0;
        sum += 1 / x;
    }
    return static_cast<double>(sample.size()) / sum;
}

double geometric_mean(Sample ratios) {
    WK_CHECK(!ratios.empty());
    double sum = 0;
    for (const double x : ratios) {
        WK_CHECK(x > 0);
        sum += std::log(x);
    }
    return std::exp(sum / static_cast<double>(ratios.size()));
}

double stddev(Sample sample) {
    WK_CHECK(!sample.empty());
    return std::sqrt(variance(sample));
}

double coefficient_of_variation(Sample sample) {
    const double mean = std::abs(arithmetic_mean(sample));
    return mean == 0 ? 0 : stddev(sample) / mean;
}

double median_absolute_deviation(Sample sample) {
    const double centre = median(sample);
    std::vector<double> distances;
    for (const double x : sample) distances.push_back(std::abs(x - centre));
    return median(distances);
}

std::optional<WelchInterval> welch_interval(Sample a, Sample b, double confidence) {
    WK_CHECK(confidence > 0 && confidence < 1);
    if (a.size() < 2 || b.size() < 2) return {};
    const double share_a = variance(a) / static_cast<double>(a.size());
    const double share_b = variance(b) / static_cast<double>(b.size());
    WelchInterval interval;
    interval.confidence = confidence;
    interval.difference = arithmetic_mean(b) - arithmetic_mean(a);
    double half_width = 0;
    // Without any spread (a simulation that ignores its seed) the difference is exact.
    if (share_a + share_b > 0) {
        const double freedom =
            square(share_a + share_b) / (square(share_a) / static_cast<double>(a.size() - 1) +
                                         square(share_b) / static_cast<double>(b.size() - 1));
        const boost::math::students_t t(freedom);
        half_width = boost::math::quantile(boost::math::complement(t, (1 - confidence) / 2)) *
                     std::sqrt(share_a + share_b);
    }
    interval.low = interval.difference - half_width;
    interval.high = interval.difference + half_width;
    return interval;
}

std::optional<MeanInterval> mean_interval(Sample differences, double confidence) {
    WK_CHECK(confidence > 0 && confidence < 1);
    if (differences.size() < 2) return {};
    const auto n = static_cast<double>(differences.size());
    const boost::math::students_t t(n - 1);
    const double half_width =
        boost::math::quantile(boost::math::complement(t, (1 - confidence) / 2)) *
        std::sqrt(variance(differences) / n);
    const double mean = arithmetic_mean(differences);
    return MeanInterval{.mean = mean, .low = mean - half_width, .high = mean + half_width};
}

std::optional<double> kendall_tau_b(Sample x, Sample y) {
    WK_CHECK(x.size() == y.size());
    // Over all pairs: agreeing minus disagreeing, and the pairs that are no tie in x, in y.
    double balance = 0;
    double untied_x = 0;
    double untied_y = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        for (std::size_t j = i + 1; j < x.size(); ++j) {
            const int sign_x = (x[j] > x[i]) - (x[j] < x[i]);
            const int sign_y = (y[j] > y[i]) - (y[j] < y[i]);
            balance += sign_x * sign_y;
            untied_x += sign_x != 0;
            untied_y += sign_y != 0;
        }
    }
    if (untied_x == 0 || untied_y == 0) return {};
    return balance / std::sqrt(untied_x * untied_y);
}

Humps find_humps(Sample sample) {
    Humps humps;
    if (sample.size() < 3) return humps;
    const std::vector<double> values = sorted(sample);
    std::size_t cut = 1;  // first value above the largest gap; the lowest gap wins a tie
    for (std::size_t i = 2; i < values.size(); ++i)
        if (values[i] - values[i - 1] > values[cut] - values[cut - 1]) cut = i;
    const double gap = values[cut] - values[cut - 1];
    const double spread = std::max(values[cut - 1] - values.front(), values.back() - values[cut]);
    humps.two = gap > 0 && gap >= kHumpGapToSpread * spread &&
                gap >= kHumpGapToMedian * std::abs(median(values));
    humps.n_low = cut;
    humps.low = arithmetic_mean(Sample(values).first(cut));
    humps.high = arithmetic_mean(Sample(values).subspan(cut));
    return humps;
}

}  // namespace wakelab::metrics
