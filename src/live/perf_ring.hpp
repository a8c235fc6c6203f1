// The memory that perf_event shares with its reader (perf_event_open(2), section MMAP layout): a
// page with positions, then 2^n pages of records.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

struct perf_event_mmap_page;

namespace wakelab::live {

// Records as they lie. Positions count on and on; where a position is, its lower bits say.
class RingBytes {
 public:
    explicit RingBytes(std::span<const std::byte> bytes) : bytes_(bytes) {}  // 2^n of them

    // [from, to), at most all: what runs over the end goes on at the beginning.
    [[nodiscard]] std::array<std::span<const std::byte>, 2> between(std::uint64_t from,
                                                                    std::uint64_t to) const;
    [[nodiscard]] std::uint64_t size() const { return bytes_.size(); }

 private:
    std::span<const std::byte> bytes_;
};

// An overwritten ring is written downwards: the newest record begins at the head, the older ones
// follow.
struct OverwrittenRecords {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> newest_first;  // position, size
    bool forgot = false;                                                // others were overwritten
};
[[nodiscard]] OverwrittenRecords list_overwritten(const RingBytes& ring, std::uint64_t head);

class PerfRing {
 public:
    PerfRing() = default;
    // `bytes`: 2^n pages. Without memory, or refused: it is empty, and errno says why.
    PerfRing(int fd, std::uint64_t bytes, bool overwritten);
    PerfRing(PerfRing&& other) noexcept { *this = std::move(other); }
    PerfRing& operator=(PerfRing&& other) noexcept {
        std::swap(map_, other.map_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~PerfRing();
    explicit operator bool() const { return map_ != nullptr; }

    [[nodiscard]] RingBytes bytes() const;
    [[nodiscard]] std::uint64_t head() const;  // what the kernel has written
    [[nodiscard]] std::uint64_t tail() const;  // what we have read
    void free_up_to(std::uint64_t tail);

 private:
    [[nodiscard]] perf_event_mmap_page* control() const;

    std::byte* map_ = nullptr;
    std::uint64_t size_ = 0;  // of the records
};

}  // namespace wakelab::live
