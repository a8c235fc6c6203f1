// Process numbers that have been seen: a bit each, in pages that are made when needed.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <set>
#include <vector>

namespace wakelab::trace {

class PidSet {
 public:
    // True if it was not in the set.
    bool insert(std::int32_t pid) {
        const auto number = static_cast<std::uint32_t>(pid);
        const std::uint32_t page = number / kPageBits;
        if (page >= kPages) return strange_.size() < kMaxStrange && strange_.insert(pid).second;
        if (pages_.empty()) pages_.resize(kPages);
        if (pages_[page] == nullptr) pages_[page] = std::make_unique<Page>();
        std::uint64_t& word = (*pages_[page])[number % kPageBits / 64];
        const std::uint64_t bit = 1ull << (number % 64);
        const bool fresh = (word & bit) == 0;
        word |= bit;
        return fresh;
    }

 private:
    static constexpr std::uint32_t kPageBits = 4096;
    static constexpr std::uint32_t kPages = (1u << 22) / kPageBits;  // PID_MAX_LIMIT of 64-bit kernels
    static constexpr std::size_t kMaxStrange = 1u << 16;  // of a damaged file
    using Page = std::array<std::uint64_t, kPageBits / 64>;

    std::vector<std::unique_ptr<Page>> pages_;
    std::set<std::int32_t> strange_;  // negative or beyond
};

}  // namespace wakelab::trace
