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
      evicted_(table_for(machine.cache_stages)),
      line_bytes_(machine.costs.line_bytes),
      line_near_(machine.costs.line_near),
      line_far_(machine.costs.line_far),
      line_memory_(machine.costs.line_memory) {
    for (const topo::Cache& c : machine.caches) size_.push_back(c.size_bytes);
}

std::int64_t CacheModel::evicted_q16(std::uint64_t foreign_bytes, std::uint32_t cache) const {
    const std::uint64_t x64 = foreign_bytes * 64 / size_[cache];
    return (*evicted_)[std::min<std::uint64_t>(x64, 256)];
}

std::int64_t CacheModel::use(Footprint& f, CpuId cpu) {
    const std::uint32_t cache = cache_of_[cpu.v];
    if (f.last_cache == cache && f.mark == brought_[cache]) return 0;
    std::int64_t cost = 0;
    std::int64_t missing_q16 = 65536;
    if (f.last_cache == cache) {
        missing_q16 = evicted_q16(brought_[cache] - f.mark, cache);
        cost = f.bytes * missing_q16 / 65536 / line_bytes_ * line_memory_;
    } else if (f.last_cache != ~0u) {
        // Still in the cache it left: far lines. Evicted there: memory.
        const std::int64_t lost_q16 = evicted_q16(brought_[f.last_cache] - f.mark, f.last_cache);
        const std::int64_t lines = f.bytes / line_bytes_;
        cost = lines * lost_q16 / 65536 * line_memory_ + lines * (65536 - lost_q16) / 65536 * line_far_;
    }
    const std::int64_t bytes_in = f.bytes * missing_q16 / 65536;
    brought_[cache] += static_cast<std::uint64_t>(bytes_in + (f.bytes - bytes_in) * kReuseQ16 / 65536);
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
