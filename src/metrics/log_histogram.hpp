// A histogram of durations with log-linear buckets: 128 per octave, so a quantile is off by at most
// 0.4 % of its value; count, sum and maximum are exact. Adding never allocates.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

namespace wakelab::metrics {

class LogHistogram {
 public:
    LogHistogram();

    // Negative durations count as 0, those beyond 2^40 ns (18 minutes) share the last bucket.
    void add(std::int64_t ns);

    [[nodiscard]] std::uint64_t count() const { return count_; }
    [[nodiscard]] std::int64_t sum_ns() const { return sum_ns_; }
    [[nodiscard]] std::int64_t max_ns() const { return max_ns_; }
    [[nodiscard]] double mean_ns() const;
    // Smallest duration that at least `share` (0 .. 1) of the entries do not exceed; 0 when empty.
    [[nodiscard]] std::int64_t quantile_ns(double share) const;
    // Entries whose bucket lies at or below `ns`, taken at its middle.
    [[nodiscard]] std::uint64_t count_not_above(std::int64_t ns) const;

 private:
    static constexpr int kLinearBits = 7;
    static constexpr int kTopBit = 40;
    static constexpr std::size_t kBuckets = (kTopBit - kLinearBits + 1) << kLinearBits;
    using Buckets = std::array<std::uint64_t, kBuckets>;

    static std::size_t bucket_of(std::int64_t ns);
    static std::int64_t middle_of(std::size_t bucket);

    std::unique_ptr<Buckets> buckets_;
    std::uint64_t count_ = 0;
    std::int64_t sum_ns_ = 0;
    std::int64_t max_ns_ = 0;
};

}  // namespace wakelab::metrics
