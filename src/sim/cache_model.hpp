// How much of a task's memory a cache still holds, in O(1) per switch (DESIGN 4; workloads.md 1).
//
// Each cache counts the bytes brought in. A task remembers the count when it last used the cache; the
// bytes brought in since then by others, relative to the cache's size, give the share of its footprint
// that was evicted. What is missing is fetched at the price of a line from memory; the dirty part of
// what another CPU holds comes at the price of a near or far line. Integers only.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/ids.hpp"
#include "topo/machine.hpp"

namespace wakelab::sim {

// Memory written by several tasks (lock tables, buffer headers): its dirty lines sit in the cache of the
// CPU that wrote last.
struct SharedSet {
    std::int64_t lines = 0;            // lines written each time the set is used
    CpuId writer;                      // kNoCpu: nobody yet
};

// Private footprint of a task and where it was left: in a shared cache, and its head in the L1 of a CPU.
struct Footprint {
    std::int64_t bytes = 0;
    std::uint32_t last_cache = ~0u;    // cache it last ran on; ~0: never ran
    CpuId last_cpu;                    // CPU it last ran on
    std::uint64_t mark = 0;            // that cache's count when it last ran there
    std::uint64_t l1_mark = 0;         // and that L1's
};

class CacheModel {
 public:
    explicit CacheModel(const topo::Machine& machine);

    // `bytes` of every shared cache hold pages that all tasks use and keep resident; they are not there for
    // private footprints. At most three quarters of a cache.
    void reserve_shared(std::int64_t bytes);
    // The task owning `f` runs user code on `cpu`: cost in ns of refilling what is missing there.
    std::int64_t use(Footprint& f, CpuId cpu);
    // A task on `cpu` writes the set: cost in ns of fetching its dirty lines.
    std::int64_t use(SharedSet& set, CpuId cpu);
    // `lines` are fetched from memory on `cpu` (never seen before): cost in ns.
    std::int64_t fetch_cold(std::int64_t lines, CpuId cpu);
    // Price of a line on `cpu` that `writer` left dirty; 0 if it is in cpu's own caches.
    [[nodiscard]] std::int64_t dirty_line(CpuId writer, CpuId cpu) const {
        if (writer == cpu || !writer.valid()) return 0;
        return cache_of_[writer.v] == cache_of_[cpu.v] ? line_near_ : line_far_;
    }

 private:
    std::int64_t use_l1(Footprint& f, CpuId cpu);
    [[nodiscard]] std::int64_t evicted_q16(std::uint64_t foreign_bytes, std::uint64_t size) const;

    std::vector<std::uint32_t> cache_of_;
    std::vector<std::uint64_t> brought_;       // bytes brought into each cache since the start
    std::vector<std::uint64_t> size_;
    std::vector<std::uint64_t> l1_brought_;    // the same for the L1 of each CPU
    std::int64_t l1_bytes_;
    const std::array<std::uint32_t, 257>* evicted_;  // share evicted at x = i / 64, 16.16
    std::int64_t line_bytes_, line_l1_, line_near_, line_far_, line_memory_;
};

}  // namespace wakelab::sim
