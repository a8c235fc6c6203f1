// Ring-buffer pages of many CPUs on their way into one file: written as they fill up, given back CPU by CPU.
// Memory does not grow with their number.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <vector>

#include "base/result.hpp"

namespace wakelab::trace {

class PageSpool {
 public:
    static constexpr std::size_t kPageBytes = 4096;
    static constexpr std::size_t kHeaderBytes = 16;  // time stamp, commit

    // Error: no temporary file.
    static Result<PageSpool> open();

    // An event of `cpu`, at most 112 bytes, a multiple of 4. `stamp` not before that of the CPU's last one.
    void add(std::uint32_t cpu, std::uint64_t stamp, std::span<const std::byte> record);
    // `count` events of this CPU are missing before `stamp`; 0: not known how many.
    void add_loss(std::uint32_t cpu, std::uint64_t stamp, std::uint64_t count);

    // --- after the last event ---
    void finish();
    [[nodiscard]] Status status() const { return status_; }  // the first failure
    [[nodiscard]] std::uint32_t cpus() const { return static_cast<std::uint32_t>(cpus_.size()); }
    [[nodiscard]] std::uint64_t bytes_of(std::uint32_t cpu) const { return cpus_[cpu].pages * kPageBytes; }
    // Writes the pages of a CPU, first to last, to `offset` of a file.
    Status copy(std::uint32_t cpu, int fd, std::uint64_t offset) const;

 private:
    struct Cpu {
        std::vector<std::byte> page;     // being filled; empty: none yet
        std::size_t used = 0;            // of it, with the header
        std::uint64_t last_stamp = 0;
        std::uint64_t pages = 0;
        std::uint64_t last_page = 0;     // number in the spool + 1; each tells the one before
        bool lost = false;
        std::uint64_t lost_count = 0;
    };
    struct Close {
        void operator()(std::FILE* f) const { std::fclose(f); }
    };
    void begin_page(Cpu& cpu, std::uint64_t stamp);
    void end_page(Cpu& cpu);

    std::unique_ptr<std::FILE, Close> file_;
    std::vector<Cpu> cpus_;
    std::uint64_t pages_ = 0;
    Status status_;
};

// All bytes, at that offset. Error: errno in words.
Status write_all_at(int fd, std::span<const std::byte> bytes, std::uint64_t offset);

}  // namespace wakelab::trace
