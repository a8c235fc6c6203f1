#include "live/perf_ring.hpp"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "live/perf_layout.hpp"

namespace wakelab::live {

namespace {

std::size_t page_bytes() {
    return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

std::array<std::span<const std::byte>, 2> RingBytes::between(std::uint64_t from,
                                                             std::uint64_t to) const {
    const std::uint64_t size = std::min<std::uint64_t>(to - from, bytes_.size());
    const std::uint64_t at = from & (bytes_.size() - 1);
    const std::uint64_t first = std::min<std::uint64_t>(size, bytes_.size() - at);
    return {bytes_.subspan(at, first), bytes_.first(size - first)};
}

OverwrittenRecords list_overwritten(const RingBytes& ring, std::uint64_t head) {
    OverwrittenRecords found;
    for (std::uint64_t at = head; at - head < ring.size();) {
        // Records are multiples of 8, so that a header never runs over the end.
        const std::size_t size = perf_record_size(ring.between(at, at + 8)[0]);
        if (size == 0) return found;  // nothing has been written there yet
        found.forgot = at - head + size > ring.size();
        if (found.forgot) return found;  // its end is under the beginning of the newest
        found.newest_first.emplace_back(at, static_cast<std::uint32_t>(size));
        at += size;
    }
    found.forgot = true;  // the ring is full to the byte
    return found;
}

// A ring that cannot be written to by its reader is one that the kernel does not wait for.
PerfRing::PerfRing(int fd, std::uint64_t bytes, bool overwritten) {
    const int access = overwritten ? PROT_READ : PROT_READ | PROT_WRITE;
    void* map = ::mmap(nullptr, bytes + page_bytes(), access, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED) return;
    map_ = static_cast<std::byte*>(map);
    size_ = bytes;
}

PerfRing::~PerfRing() {
    if (map_ != nullptr) ::munmap(map_, size_ + page_bytes());
}

perf_event_mmap_page* PerfRing::control() const {
    return reinterpret_cast<perf_event_mmap_page*>(map_);
}

RingBytes PerfRing::bytes() const {
    return RingBytes({map_ + page_bytes(), size_});
}

std::uint64_t PerfRing::head() const {
    return __atomic_load_n(&control()->data_head, __ATOMIC_ACQUIRE);
}

std::uint64_t PerfRing::tail() const {
    return control()->data_tail;
}

void PerfRing::free_up_to(std::uint64_t tail) {
    __atomic_store_n(&control()->data_tail, tail, __ATOMIC_RELEASE);
}

}  // namespace wakelab::live
