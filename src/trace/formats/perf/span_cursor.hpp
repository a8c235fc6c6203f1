// Reads numbers and strings one after the other from bytes in memory, in the byte order of the file. What
// lies beyond the end reads as 0 or empty, and is remembered: check ok() once per structure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "trace/formats/byte_order.hpp"

namespace wakelab::trace {

class SpanCursor {
 public:
    explicit SpanCursor(std::span<const std::byte> bytes, bool swap = false) : rest_(bytes), swap_(swap) {}

    void set_swap(bool swap) { swap_ = swap; }
    [[nodiscard]] bool ok() const { return ok_; }

    std::span<const std::byte> take(std::uint64_t n) {
        if (n > rest_.size()) {
            ok_ = false;
            rest_ = {};
            return {};
        }
        const auto taken = rest_.first(n);
        rest_ = rest_.subspan(n);
        return taken;
    }
    std::uint32_t u32() {
        const auto bytes = take(4);
        return ok_ ? load_u32(bytes.data(), swap_) : 0;
    }
    std::uint64_t u64() {
        const auto bytes = take(8);
        return ok_ ? load_u64(bytes.data(), swap_) : 0;
    }
    std::string_view text(std::uint64_t n) {
        const auto bytes = take(n);
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }
    // Up to and without a NUL, which is consumed.
    std::string_view c_string() {
        const std::string_view all(reinterpret_cast<const char*>(rest_.data()), rest_.size());
        const std::size_t end = all.find('\0');
        const std::string_view found = text(end == all.npos ? all.size() + 1 : end + 1);
        return found.substr(0, found.empty() ? 0 : found.size() - 1);
    }
    // A length and as many bytes, padded with NULs (do_write_string in tools/perf/util/header.c).
    std::string_view padded_string() {
        const std::string_view padded = text(u32());
        return padded.substr(0, padded.find('\0'));
    }

 private:
    std::span<const std::byte> rest_;
    bool swap_;
    bool ok_ = true;
};

}  // namespace wakelab::trace
