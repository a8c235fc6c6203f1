#include "metrics/log_histogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace wakelab::metrics {

LogHistogram::LogHistogram() : buckets_(std::make_unique<Buckets>()) {}

// Values below 128 have a bucket each; an octave [2^k, 2^(k+1)) above is cut into 128 equal
// buckets.
std::size_t LogHistogram::bucket_of(std::int64_t ns) {
    const auto value = static_cast<std::uint64_t>(ns);
    const int top = static_cast<int>(std::bit_width(value)) - 1;
    if (top < kLinearBits) return value;
    if (top >= kTopBit) return kBuckets - 1;
    const int shift = top - kLinearBits;
    return (static_cast<std::size_t>(shift) << kLinearBits) + (value >> shift);
}

std::int64_t LogHistogram::middle_of(std::size_t bucket) {
    const std::size_t linear = std::size_t{1} << kLinearBits;
    if (bucket < linear) return static_cast<std::int64_t>(bucket);
    const auto shift = static_cast<int>(bucket >> kLinearBits) - 1;
    const auto mantissa = static_cast<std::int64_t>(linear + (bucket & (linear - 1)));
    return (mantissa << shift) + (std::int64_t{1} << shift) / 2;
}

void LogHistogram::add(std::int64_t ns) {
    ns = std::max<std::int64_t>(ns, 0);
    ++(*buckets_)[bucket_of(ns)];
    ++count_;
    sum_ns_ += ns;
    max_ns_ = std::max(max_ns_, ns);
}

double LogHistogram::mean_ns() const {
    return count_ == 0 ? 0 : static_cast<double>(sum_ns_) / static_cast<double>(count_);
}

std::int64_t LogHistogram::quantile_ns(double share) const {
    if (count_ == 0) return 0;
    const auto rank =
        static_cast<std::uint64_t>(std::max(1.0, std::ceil(share * static_cast<double>(count_))));
    if (rank >= count_) return max_ns_;
    std::uint64_t seen = 0;
    std::size_t bucket = 0;
    while ((seen += (*buckets_)[bucket]) < rank) ++bucket;
    return std::min(middle_of(bucket), max_ns_);
}

std::uint64_t LogHistogram::count_not_above(std::int64_t ns) const {
    std::uint64_t n = 0;
    for (std::size_t bucket = 0; bucket < kBuckets && middle_of(bucket) <= ns; ++bucket)
        n += (*buckets_)[bucket];
    return n;
}

}  // namespace wakelab::metrics
