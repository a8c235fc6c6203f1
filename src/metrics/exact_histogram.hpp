// A histogram of durations whose quantiles are exact to the ns, in bounded memory:
//
// * below 2^20 ns (about a millisecond) one counter per ns, in pages of 1024 that exist once used;
// * above, the values themselves, up to kKept of them.
//
// When a histogram meets more large values than that, or the page budget is used up, what does not fit
// is rounded to 1/256 of its octave, and is_exact() says so: quantiles are then off by at most 0.4 %.
// Count, sum and maximum are always exact. Exact means: as exact as the recorder's clock.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "metrics/log_histogram.hpp"

namespace wakelab::metrics {

// Pages that several histograms may use together. A page is 4 KiB.
struct PageBudget {
    std::uint32_t pages = 1024;
};

class ExactHistogram {
 public:
    static constexpr std::size_t kKept = 1u << 14;

    // With a budget of its own: everything below 2^20 ns is exact.
    ExactHistogram() = default;
    // `budget` must live as long as values are added.
    explicit ExactHistogram(PageBudget* budget) : budget_(budget) {}

    // Negative durations count as 0.
    void add(std::int64_t ns) {
        const std::uint64_t value = ns > 0 ? static_cast<std::uint64_t>(ns) : 0;
        ++count_;
        sum_ns_ += static_cast<std::int64_t>(value);
        if (ns > max_ns_) max_ns_ = ns;
        const std::uint64_t page = value >> kPageBits;
        if (page < pages_.size() && pages_[page] != nullptr)
            ++(*pages_[page])[value & (kPageSize - 1)];
        else
            add_slowly(value);
    }

    [[nodiscard]] std::uint64_t count() const { return count_; }
    [[nodiscard]] std::int64_t sum_ns() const { return sum_ns_; }
    [[nodiscard]] std::int64_t max_ns() const { return max_ns_; }
    [[nodiscard]] double mean_ns() const;
    // Smallest duration that at least `share` (0 .. 1) of the entries do not exceed; 0 when empty.
    [[nodiscard]] std::int64_t quantile_ns(double share) const;
    [[nodiscard]] bool is_exact() const { return rounded_ == nullptr; }

 private:
    static constexpr int kPageBits = 10;
    static constexpr std::uint64_t kPageSize = 1u << kPageBits;
    static constexpr std::uint64_t kPages = 1024;
    using Page = std::array<std::uint32_t, kPageSize>;

    void add_slowly(std::uint64_t value);
    void round(std::uint64_t value);

    PageBudget* budget_ = nullptr;  // null: own_
    PageBudget own_;
    std::vector<std::unique_ptr<Page>> pages_;  // grows with the largest small value
    mutable std::vector<std::int64_t> large_;   // sorted when a quantile is asked for
    std::unique_ptr<LogHistogram> rounded_;     // what did not fit
    std::uint64_t count_ = 0;
    std::int64_t sum_ns_ = 0;
    std::int64_t max_ns_ = 0;
};

}  // namespace wakelab::metrics
