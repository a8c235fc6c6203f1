// Scheduling domains: per CPU a list of levels, bottom up, each with groups of CPUs to balance between.
// The levels and their parameters depend on the kernel version and the machine (cfs.md 6.6, o1.md 9);
// each family builds them with build_domains from its own table of level parameters.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.hpp"
#include "topo/cpu_mask.hpp"
#include "topo/machine.hpp"

namespace wakelab::policy {

enum DomainFlag : std::uint32_t {      // bits of V23..V31 and 2.6.22 (cfs.md 6.6)
    kLoadBalance = 1,
    kBalanceNewidle = 2,
    kBalanceExec = 4,
    kBalanceFork = 8,
    kWakeIdle = 16,
    kWakeAffine = 32,
    kWakeBalanceFlag = 64,
    kShareCpuPower = 128,
    kPowerSavings = 256,
    kSharePkgResources = 512,
    kSerialize = 1024,
    kWakeIdleFar = 2048,
};

enum class LevelKind : std::uint8_t { kSmt, kMc, kCpu, kNode };

struct LevelParams {
    LevelKind kind = LevelKind::kCpu;
    std::uint32_t flags = 0;
    std::uint32_t imbalance_pct = 125;
    std::uint32_t cache_nice_tries = 1;
    std::uint32_t busy_idx = 0, idle_idx = 0, newidle_idx = 0, wake_idx = 0, forkexec_idx = 0;
    std::uint32_t min_interval_ms = 1, max_interval_ms = 4, busy_factor = 64;
    std::int64_t cache_hot_time_ns = 0;  // O(1) only
};

struct SchedGroup {
    topo::CpuMask mask;
    std::vector<CpuId> cpus;           // ascending
    std::uint64_t power = 0;
};

struct SchedDomain {
    LevelParams params;
    topo::CpuMask span;
    std::vector<CpuId> cpus;           // of the span, ascending
    std::uint32_t child_flags = 0;     // of the level below on this CPU; 0: lowest level
    std::vector<SchedGroup> groups;    // the CPU's own group first, then ascending and wrapping round
    // State of this CPU's balancing at this level.
    std::uint32_t balance_interval_ms = 1;
    std::uint32_t nr_balance_failed = 0;
    std::uint64_t last_balance = 0;    // jiffies
    std::uint64_t last_shares_update = 0;  // ns; CFS with groups

    [[nodiscard]] bool has(std::uint32_t flag) const { return (params.flags & flag) != 0; }
};

// Imbalance in percent that placement tolerates: half of the balancer's.
[[nodiscard]] constexpr std::uint64_t placement_imbalance(const SchedDomain& d) {
    return 100 + (d.params.imbalance_pct - 100) / 2;
}

// [cpu][level, bottom up]. `levels`: parameters bottom up; kSmt spans a core, kMc a cache, kNode the
// machine, kCpu the machine or, below a kNode, a node of it.
// Levels whose span is one CPU, and levels with a single group that add nothing to their child, are
// dropped. `unit_power`: power of a group of one CPU (1024; O(1): 128); a group whose child level
// shares package resources or a core keeps one unit, otherwise it has the sum of the groups below.
[[nodiscard]] std::vector<std::vector<SchedDomain>> build_domains(
    const topo::Machine& machine, std::span<const LevelParams> levels, std::uint64_t unit_power);

// Parameters of the levels that `cpu` has there, without building the groups of every CPU.
[[nodiscard]] std::vector<LevelParams> levels_of_cpu(const topo::Machine& machine,
                                                     std::span<const LevelParams> levels,
                                                     CpuId cpu);

}  // namespace wakelab::policy
