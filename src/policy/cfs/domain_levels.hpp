// Parameters of the MC and CPU domain levels by version, without SMT (cfs.md 6.6).
#pragma once

#include "policy/domains.hpp"

namespace wakelab::policy::cfs {

// SD_PREFER_LOCAL, V32A: a fork or exec stays while the domain has CPUs to spare.
inline constexpr std::uint32_t kPreferLocal = 8192;
// SD_PREFER_SIBLING, V32A+: a group of the parent level should take one task before a sibling group
// has two.
inline constexpr std::uint32_t kPreferSibling = 4096;

namespace levels {

inline constexpr std::uint32_t kCommon = kLoadBalance | kBalanceExec | kWakeAffine;
inline constexpr std::uint32_t kFlags32 = kBalanceNewidle | kBalanceFork | kPreferSibling;

constexpr LevelParams mc(std::uint32_t flags) {
    return {.kind = LevelKind::kMc,
            .flags = kCommon | kSharePkgResources | flags,
            .busy_idx = 2,
            .wake_idx = 1,
            .forkexec_idx = 1};
}

constexpr LevelParams cpu(std::uint32_t flags) {
    return {.kind = LevelKind::kCpu,
            .flags = kCommon | flags,
            .busy_idx = 2,
            .idle_idx = 1,
            .newidle_idx = 2,
            .wake_idx = 1,
            .forkexec_idx = 1};
}

constexpr LevelParams without(std::uint32_t flag, LevelParams level) {
    level.flags &= ~flag;
    return level;
}

// V32A and V32 place by instantaneous loads.
constexpr LevelParams instantaneous(LevelParams level) {
    level.newidle_idx = level.wake_idx = level.forkexec_idx = 0;
    return level;
}

// V23 looks at instantaneous loads when a CPU is or becomes idle.
constexpr LevelParams idle_now(LevelParams level) {
    level.idle_idx = level.newidle_idx = 0;
    return level;
}

inline constexpr LevelParams k23[] = {mc(kBalanceNewidle | kWakeIdle),
                                      idle_now(cpu(kBalanceNewidle | kWakeIdle))};
inline constexpr LevelParams k24[] = {mc(kBalanceNewidle | kWakeIdle), cpu(kBalanceNewidle)};
inline constexpr LevelParams k25[] = {mc(kBalanceNewidle | kBalanceFork),
                                      cpu(kBalanceNewidle | kBalanceFork)};
inline constexpr LevelParams k28[] = {mc(kBalanceFork | kWakeBalanceFlag),
                                      cpu(kBalanceFork | kWakeBalanceFlag)};
// Between caches nobody is pulled (no WAKE_AFFINE on the CPU level).
inline constexpr LevelParams k0913[] = {
    mc(kBalanceNewidle | kBalanceFork | kWakeIdle | kWakeBalanceFlag),
    without(kWakeAffine, cpu(kBalanceNewidle | kBalanceFork | kWakeIdle | kWakeBalanceFlag))};
inline constexpr LevelParams k32a[] = {instantaneous(mc(kFlags32 | kPreferLocal)),
                                       instantaneous(cpu(kFlags32 | kPreferLocal))};
inline constexpr LevelParams k32[] = {instantaneous(mc(kFlags32)), instantaneous(cpu(kFlags32))};

}  // namespace levels

}  // namespace wakelab::policy::cfs
