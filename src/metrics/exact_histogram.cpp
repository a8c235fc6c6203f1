#include "metrics/exact_histogram.hpp"

#include <algorithm>
#include <cmath>

namespace wakelab::metrics {

void ExactHistogram::add_slowly(std::uint64_t value) {
    const std::uint64_t page = value >> kPageBits;
    if (page >= kPages) {
        if (large_.size() < kKept)
            large_.push_back(static_cast<std::int64_t>(value));
        else
            round(value);
        return;
    }
    if (pages_.size() <= page) pages_.resize(page + 1);
    std::uint32_t& left = budget_ != nullptr ? budget_->pages : own_.pages;
    if (left == 0) {
        round(value);
        return;
    }
    --left;
    pages_[page] = std::make_unique<Page>();
    ++(*pages_[page])[value & (kPageSize - 1)];
}

void ExactHistogram::round(std::uint64_t value) {
    if (rounded_ == nullptr) rounded_ = std::make_unique<LogHistogram>();
    rounded_->add(static_cast<std::int64_t>(value));
}

double ExactHistogram::mean_ns() const {
    return count_ == 0 ? 0 : static_cast<double>(sum_ns_) / static_cast<double>(count_);
}

// Walks the counters, the kept values and the rounded ones side by side in order of value.
std::int64_t ExactHistogram::quantile_ns(double share) const {
    if (count_ == 0) return 0;
    const auto rank =
        static_cast<std::uint64_t>(std::max(1.0, std::ceil(share * static_cast<double>(count_))));
    if (rank >= count_) return max_ns_;
    std::ranges::sort(large_);
    const auto not_above = [&](std::int64_t ns) {
        std::uint64_t n = rounded_ == nullptr ? 0 : rounded_->count_not_above(ns);
        n += static_cast<std::uint64_t>(std::ranges::upper_bound(large_, ns) - large_.begin());
        const std::uint64_t limit = static_cast<std::uint64_t>(ns) + 1;
        for (std::uint64_t p = 0; p < pages_.size() && p * kPageSize < limit; ++p) {
            if (pages_[p] == nullptr) continue;
            const std::uint64_t end = std::min(limit - p * kPageSize, kPageSize);
            for (std::uint64_t i = 0; i < end; ++i) n += (*pages_[p])[i];
        }
        return n;
    };
    std::int64_t low = 0;
    std::int64_t high = max_ns_;
    while (low < high) {
        const std::int64_t middle = low + (high - low) / 2;
        if (not_above(middle) >= rank)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

}  // namespace wakelab::metrics
