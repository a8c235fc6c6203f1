// runqueue_lock, the one lock of all CPUs, as time (goodness.md 9): how long it is held, who waits
// for it, and what it costs to walk the list under it.
//
// Every task structure starts an 8 KiB-aligned block, so the one line of each that the walk reads
// competes for few sets of the cache. A line of N listed tasks misses when its set holds more of
// them than it has ways: P(Binomial(N - 1, 1 / sets) >= ways), kept here as a table of fixed-point
// integers.
//
// The lock is served in order of request. The real one is unfair; by how much is not known.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "topo/machine.hpp"

namespace wakelab::policy::goodness {

class RunqueueLock {
 public:
    explicit RunqueueLock(const topo::Machine& machine);

    // Room for a walk over `tasks` listed tasks. May allocate.
    void expect_tasks(std::uint32_t tasks);

    // `cpu` takes the lock at `now`, or when its turn comes, and keeps it for `hold`. Returns how
    // long it spins before.
    Duration take(Time now, CpuId cpu, Duration hold);

    // The walk over n listed tasks, without the fixed part of schedule().
    [[nodiscard]] Duration scan(std::uint32_t n) const { return Duration{scan_ns_[n]}; }
    // Share of the visited lines that miss, in 2^-40.
    [[nodiscard]] std::uint64_t miss(std::uint32_t n) const { return miss_[n]; }
    [[nodiscard]] const topo::Costs& costs() const { return costs_; }

    static constexpr int kMissBits = 40;

 private:
    topo::Costs costs_;
    std::uint32_t ways_;
    std::uint64_t sets_;
    std::vector<std::uint64_t> in_set_;  // P(k other tasks in a line's set), k < ways, 2^-40
    std::vector<std::uint64_t> miss_;    // by list length
    std::vector<std::int64_t> scan_ns_;
    Time free_at_{};
    CpuId holder_;
};

}  // namespace wakelab::policy::goodness
