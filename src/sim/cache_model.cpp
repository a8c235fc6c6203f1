#include "sim/cache_model.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace wakelab::sim {

namespace {

using Table = std::array<std::uint32_t, 257>;

constexpr std::array<Table, 4> kEvictedQ16 = {{
#include "sim/evicted_table.inc"
}};

// Reusing a resident footprint renews its lines: it counts as this share of its bytes (16.16) towards
// the eviction of others. 0.3: lessons.md 3.
constexpr std::int64_t kReuseQ16 = 19661;

// What a use of `bytes`, `bytes_in` of them missing, counts towards the eviction of others.
std::uint64_t renewed_bytes(std::int64_t bytes, std::int64_t bytes_in) {
    return static_cast<std::uint64_t>(bytes_in + (bytes - bytes_in) * kReuseQ16 / 65536);
}

const Table* table_for(std::uint32_t stages) {
    switch (stages) {
        case 0: return &kEvictedQ16[0];
        case 2: return &kEvictedQ16[1];
        case 4: return &kEvictedQ16[2];
        default: return &kEvictedQ16[3];
    }
}

}  // namespace

CacheModel::CacheModel(const topo::Machine& machine)
    : cache_of_(machine.cache_of),
      brought_(machine.caches.size(), 0),
      l1_brought_(machine.cpus, 0),
      l1_bytes_(machine.l1_kib * 1024),
      evicted_(table_for(machine.cache_stages)),
      line_bytes_(machine.costs.line_bytes),
      line_l1_(machine.costs.line_l1),
      line_near_(machine.costs.line_near),
      line_far_(machine.costs.line_far),
      line_memory_(machine.costs.line_memory) {
    for (const topo::Cache& c : machine.caches) size_.push_back(c.size_bytes);
}

void CacheModel::reserve_shared(std::int64_t bytes) {
    for (std::uint64_t& size : size_) size -= std::min(static_cast<std::uint64_t>(bytes), size * 3 / 4);
}

std::int64_t CacheModel::evicted_q16(std::uint64_t foreign_bytes, std::uint64_t size) const {
    return (*evicted_)[std::min<std::uint64_t>(foreign_bytes * 64 / size, 256)];
}

// What L1 holds of the footprint. Whoever ran in between evicted some; another CPU's L1 has nothing.
std::int64_t CacheModel::use_l1(Footprint& f, CpuId cpu) {
    std::uint64_t& brought = l1_brought_[cpu.v];
    if (f.last_cpu == cpu && f.l1_mark == brought) return 0;
    const std::int64_t bytes = std::min(f.bytes, l1_bytes_);
    const std::int64_t missing_q16 =
        f.last_cpu == cpu ? evicted_q16(brought - f.l1_mark, static_cast<std::uint64_t>(l1_bytes_))
                          : 65536;
    const std::int64_t bytes_in = bytes * missing_q16 / 65536;
    brought += renewed_bytes(bytes, bytes_in);
    f.last_cpu = cpu;
    f.l1_mark = brought;
    return bytes_in / line_bytes_ * line_l1_;
}

std::int64_t CacheModel::use(Footprint& f, CpuId cpu) {
    if (f.bytes == 0) return 0;
    const std::uint32_t cache = cache_of_[cpu.v];
    std::int64_t cost = use_l1(f, cpu);
    if (f.last_cache == cache && f.mark == brought_[cache]) return cost;
    const std::int64_t lines = f.bytes / line_bytes_;
    std::int64_t missing_q16 = 65536;
    if (f.last_cache == cache) {
        missing_q16 = evicted_q16(brought_[cache] - f.mark, size_[cache]);
        cost += lines * missing_q16 / 65536 * line_memory_;
    } else if (f.last_cache != ~0u) {
        // Still in the cache it left: far lines. Evicted there: memory.
        const std::uint32_t left = f.last_cache;
        const std::int64_t lost_q16 = evicted_q16(brought_[left] - f.mark, size_[left]);
        cost += lines * lost_q16 / 65536 * line_memory_ + lines * (65536 - lost_q16) / 65536 * line_far_;
    }
    brought_[cache] += renewed_bytes(f.bytes, f.bytes * missing_q16 / 65536);
    f.last_cache = cache;
    f.mark = brought_[cache];
    return cost;
}

std::int64_t CacheModel::use(SharedSet& set, CpuId cpu) {
    const std::int64_t cost = set.lines * dirty_line(set.writer, cpu);
    set.writer = cpu;
    return cost;
}

std::int64_t CacheModel::fetch_cold(std::int64_t lines, CpuId cpu) {
    brought_[cache_of_[cpu.v]] += static_cast<std::uint64_t>(lines * line_bytes_);
    return lines * line_memory_;
}

}  // namespace wakelab::sim
