// A set of CPUs: fixed-width words, no allocation. Scans go in ascending CPU number, as the kernel's do.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "base/ids.hpp"

namespace wakelab::topo {

inline constexpr std::uint32_t kMaxCpus = 1024;

class CpuMask {
 public:
    constexpr CpuMask() = default;
    static constexpr CpuMask first_n(std::uint32_t n) {
        CpuMask m;
        for (std::uint32_t i = 0; i < n; ++i) m.set(CpuId{i});
        return m;
    }
    static constexpr CpuMask of_word(std::uint64_t word) {
        CpuMask m;
        m.words_[0] = word;
        return m;
    }
    constexpr void set(CpuId c) { words_[c.v / 64] |= 1ull << (c.v % 64); }
    constexpr void clear(CpuId c) { words_[c.v / 64] &= ~(1ull << (c.v % 64)); }
    [[nodiscard]] constexpr bool test(CpuId c) const {
        return (words_[c.v / 64] >> (c.v % 64)) & 1;
    }
    [[nodiscard]] constexpr bool empty() const {
        for (const std::uint64_t w : words_)
            if (w != 0) return false;
        return true;
    }
    [[nodiscard]] constexpr std::uint32_t count() const {
        std::uint32_t n = 0;
        for (const std::uint64_t w : words_) n += static_cast<std::uint32_t>(std::popcount(w));
        return n;
    }
    // CPUs 64 i .. 64 i + 63, the lowest in bit 0.
    [[nodiscard]] constexpr std::uint64_t word(std::uint32_t i) const { return words_[i]; }
    // Lowest CPU of the set, kNoCpu if empty.
    [[nodiscard]] constexpr CpuId first() const {
        for (std::uint32_t i = 0; i < words_.size(); ++i)
            if (words_[i] != 0)
                return CpuId{i * 64 + static_cast<std::uint32_t>(std::countr_zero(words_[i]))};
        return kNoCpu;
    }
    friend constexpr CpuMask operator&(CpuMask a, const CpuMask& b) {
        for (std::uint32_t i = 0; i < a.words_.size(); ++i) a.words_[i] &= b.words_[i];
        return a;
    }
    friend constexpr CpuMask operator|(CpuMask a, const CpuMask& b) {
        for (std::uint32_t i = 0; i < a.words_.size(); ++i) a.words_[i] |= b.words_[i];
        return a;
    }
    constexpr bool operator==(const CpuMask&) const = default;

 private:
    std::array<std::uint64_t, kMaxCpus / 64> words_{};
};

}  // namespace wakelab::topo
