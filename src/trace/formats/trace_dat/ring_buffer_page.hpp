// One page (sub-buffer) of the kernel's trace ring buffer, as per_cpu/cpuN/trace_pipe_raw and trace.dat
// hold it: a header with a time stamp and the number of bytes used, then events of 4-byte granules that
// tell their distance in time. kernel/trace/ring_buffer.c, include/linux/ring_buffer.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.hpp"

namespace wakelab::trace {

// Of the commit count: events are missing before the page; how many stands behind its data.
inline constexpr std::uint64_t kRingBufferPageFlags = 3ull << 30;

// Where things are in a page: events/header_page of tracefs.
struct RingBufferLayout {
    bool big_endian = false;         // the traced machine
    std::uint32_t page_bytes = 4096; // of the whole sub-buffer; what follows the data is not read
    std::uint32_t timestamp_offset = 0;  // 8 bytes
    std::uint32_t commit_offset = 8;
    std::uint32_t commit_bytes = 8;  // local_t: 4 or 8
    std::uint32_t data_offset = 16;
};
inline constexpr std::uint32_t kMaxPageBytes = 1u << 21;

// Page size: end of the data. Error: no field timestamp, commit or data, or one that cannot be.
[[nodiscard]] Result<RingBufferLayout> parse_ring_buffer_layout(std::string_view header_page,
                                                                bool big_endian);

struct RingBufferRecord {
    std::uint64_t stamp = 0;             // of the trace clock
    std::span<const std::byte> bytes;    // begins at the common fields; lies in the page
};

class RingBufferPage {
 public:
    // `page` must stay until the last next(). False: the header says more than the page holds; nothing is
    // served. A page with no events is fine.
    bool start(const RingBufferLayout& layout, std::span<const std::byte> page);

    // The next event with data; false after the last, or where an event does not fit (damaged()).
    bool next(RingBufferRecord& record);

    // Events were overwritten before this page was read.
    [[nodiscard]] bool lost() const { return lost_; }
    // How many; 0: the page does not say.
    [[nodiscard]] std::uint64_t lost_count() const { return lost_count_; }
    [[nodiscard]] bool damaged() const { return damaged_; }
    [[nodiscard]] std::uint64_t start_stamp() const { return start_stamp_; }

 private:
    std::span<const std::byte> data_;  // the used part
    std::size_t at_ = 0;
    std::uint64_t stamp_ = 0, start_stamp_ = 0;
    std::uint64_t lost_count_ = 0;
    bool swap_ = false, big_endian_ = false, lost_ = false, damaged_ = false;
};

}  // namespace wakelab::trace
