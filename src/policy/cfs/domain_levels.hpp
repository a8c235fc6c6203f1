// Parameters of the MC and CPU domain levels by version, without SMT (cfs.md 6.6).
#pragma once

#include "policy/domains.hpp"

namespace wakelab::policy::cfs {

// SD_PREFER_SIBLING, V32: a group of the parent level should take one task before a sibling group
// has two.
inline constexpr std::uint32_t kPreferSibling = 4096;

namespace levels {

inline constexpr std::uint32_t kCommon = kLoadBalance | kBalanceExec | kWakeAffine;

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

// V32 places by instantaneous loads.
constexpr LevelParams instantaneous(LevelParams level) {
    level.newidle_idx = level.wake_idx = level.forkexec_idx = 0;
    return level;
}

inline constexpr LevelParams k24[] = {mc(kBalanceNewidle | kWakeIdle), cpu(kBalanceNewidle)};
inline constexpr LevelParams k25[] = {mc(kBalanceNewidle | kBalanceFork),
                                      cpu(kBalanceNewidle | kBalanceFork)};
inline constexpr LevelParams k28[] = {mc(kBalanceFork | kWakeBalanceFlag),
                                      cpu(kBalanceFork | kWakeBalanceFlag)};
inline constexpr LevelParams k32[] = {
    instantaneous(mc(kBalanceNewidle | kBalanceFork | kPreferSibling)),
    instantaneous(cpu(kBalanceNewidle | kBalanceFork | kPreferSibling))};

}  // namespace levels

}  // namespace wakelab::policy::cfs
