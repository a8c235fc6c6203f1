#include "trace/formats/trace_dat/page_spool.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace wakelab::trace {

namespace {

// As ring_buffer_page.cpp reads them.
constexpr std::uint64_t kMissedEvents = 1u << 31;
constexpr std::uint64_t kMissedStored = 1u << 30;
constexpr std::uint32_t kTimeExtend = 30;
constexpr int kDeltaBits = 27;
constexpr std::size_t kSlotBytes = 8 + PageSpool::kPageBytes;  // number of the page before, then the page

void put_u32(std::vector<std::byte>& page, std::size_t at, std::uint32_t value) {
    std::memcpy(page.data() + at, &value, sizeof value);
}

void put_u64(std::vector<std::byte>& page, std::size_t at, std::uint64_t value) {
    std::memcpy(page.data() + at, &value, sizeof value);
}

}  // namespace

Status write_all_at(int fd, std::span<const std::byte> bytes, std::uint64_t offset) {
    for (std::size_t done = 0; done < bytes.size();) {
        const ssize_t n = ::pwrite(fd, bytes.data() + done, bytes.size() - done,
                                   static_cast<off_t>(offset + done));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return Error{std::strerror(n == 0 ? ENOSPC : errno)};
        done += static_cast<std::size_t>(n);
    }
    return {};
}

Result<PageSpool> PageSpool::open() {
    PageSpool spool;
    spool.file_.reset(std::tmpfile());
    if (!spool.file_) return Error{std::string("no temporary file: ") + std::strerror(errno)};
    return spool;
}

void PageSpool::begin_page(Cpu& cpu, std::uint64_t stamp) {
    cpu.page.assign(kPageBytes, std::byte{0});
    put_u64(cpu.page, 0, stamp);
    cpu.used = kHeaderBytes;
    cpu.last_stamp = stamp;
}

// The number of missing events stands behind the data, if it fits.
void PageSpool::end_page(Cpu& cpu) {
    if (cpu.page.empty()) return;
    std::uint64_t commit = cpu.used - kHeaderBytes;
    if (cpu.lost) commit |= kMissedEvents;
    if (cpu.lost && cpu.lost_count != 0 && cpu.used + 8 <= kPageBytes) {
        commit |= kMissedStored;
        put_u64(cpu.page, cpu.used, cpu.lost_count);
    }
    put_u64(cpu.page, 8, commit);
    cpu.lost = false;
    cpu.lost_count = 0;
    if (status_) {
        const int fd = fileno(file_.get());
        const std::array<std::uint64_t, 1> before = {cpu.last_page};
        status_ = write_all_at(fd, std::as_bytes(std::span(before)), pages_ * kSlotBytes);
        if (status_) status_ = write_all_at(fd, cpu.page, pages_ * kSlotBytes + 8);
    }
    cpu.last_page = ++pages_;
    ++cpu.pages;
    cpu.page.clear();
}

void PageSpool::add(std::uint32_t number, std::uint64_t stamp, std::span<const std::byte> record) {
    if (number >= cpus_.size()) cpus_.resize(number + 1);
    Cpu& cpu = cpus_[number];
    // A loss and its count need their place, too.
    const std::size_t needed = 8 + 4 + record.size() + (cpu.lost ? 8 : 0);
    const bool too_far = (stamp - cpu.last_stamp) >> (32 + kDeltaBits) != 0;
    if (!cpu.page.empty() && (cpu.used + needed > kPageBytes || too_far)) end_page(cpu);
    if (cpu.page.empty()) begin_page(cpu, stamp);
    std::uint64_t delta = stamp - cpu.last_stamp;
    if (delta >> kDeltaBits != 0) {
        put_u32(cpu.page, cpu.used,
                kTimeExtend | static_cast<std::uint32_t>(delta & ((1u << kDeltaBits) - 1)) << 5);
        put_u32(cpu.page, cpu.used + 4, static_cast<std::uint32_t>(delta >> kDeltaBits));
        cpu.used += 8;
        delta = 0;
    }
    put_u32(cpu.page, cpu.used,
            static_cast<std::uint32_t>(record.size() / 4) | static_cast<std::uint32_t>(delta) << 5);
    std::memcpy(cpu.page.data() + cpu.used + 4, record.data(), record.size());
    cpu.used += 4 + record.size();
    cpu.last_stamp = stamp;
}

void PageSpool::add_loss(std::uint32_t number, std::uint64_t stamp, std::uint64_t count) {
    if (number >= cpus_.size()) cpus_.resize(number + 1);
    Cpu& cpu = cpus_[number];
    end_page(cpu);
    begin_page(cpu, stamp);
    cpu.lost = true;
    cpu.lost_count = count;
}

void PageSpool::finish() {
    for (Cpu& cpu : cpus_) end_page(cpu);
}

Status PageSpool::copy(std::uint32_t number, int fd, std::uint64_t offset) const {
    std::vector<std::byte> slot(kSlotBytes);
    std::uint64_t page = cpus_[number].last_page;
    for (std::uint64_t left = cpus_[number].pages; left > 0; --left) {
        const off_t at = static_cast<off_t>((page - 1) * kSlotBytes);
        if (::pread(fileno(file_.get()), slot.data(), slot.size(), at) != static_cast<ssize_t>(slot.size()))
            return Error{"the temporary file cannot be read back"};
        std::memcpy(&page, slot.data(), sizeof page);
        if (Status s = write_all_at(fd, std::span(slot).subspan(8), offset + (left - 1) * kPageBytes); !s)
            return s;
    }
    return {};
}

}  // namespace wakelab::trace
