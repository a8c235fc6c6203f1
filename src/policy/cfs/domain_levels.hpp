// Parameters of the domain levels by version (cfs.md 6.6; NODE: SD_NODE_INIT of x86_64, on machines
// with nodes).
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

// Threads of a core: balanced eagerly and by present loads.
constexpr LevelParams smt(std::uint32_t flags) {
    return {.kind = LevelKind::kSmt,
            .flags = kCommon | kBalanceNewidle | kShareCpuPower | flags,
            .imbalance_pct = 110,
            .cache_nice_tries = 0,
            .max_interval_ms = 2};
}

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

// Up to 2.6.31 no version balances newly idle CPUs across nodes, so newidle_idx is not read there.
constexpr LevelParams node(std::uint32_t flags) {
    return {.kind = LevelKind::kNode,
            .flags = kLoadBalance | kBalanceExec | kBalanceFork | kSerialize | flags,
            .cache_nice_tries = 2,
            .busy_idx = 3,
            .idle_idx = 2,
            .wake_idx = 1,
            .forkexec_idx = 1,
            .min_interval_ms = 8,
            .max_interval_ms = 32,
            .busy_factor = 32};
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

inline constexpr LevelParams k23[] = {smt(kWakeIdle), mc(kBalanceNewidle | kWakeIdle),
                                      idle_now(cpu(kBalanceNewidle | kWakeIdle)),
                                      node(kWakeBalanceFlag)};
inline constexpr LevelParams k24[] = {smt(kWakeIdle), mc(kBalanceNewidle | kWakeIdle),
                                      cpu(kBalanceNewidle), node(kWakeBalanceFlag)};
inline constexpr LevelParams k25[] = {smt(kWakeIdle), mc(kBalanceNewidle | kBalanceFork),
                                      cpu(kBalanceNewidle | kBalanceFork), node(kWakeBalanceFlag)};
inline constexpr LevelParams k28[] = {smt(kWakeBalanceFlag), mc(kBalanceFork | kWakeBalanceFlag),
                                      cpu(kBalanceFork | kWakeBalanceFlag),
                                      node(kWakeAffine | kWakeBalanceFlag)};
// Between caches nobody is pulled (no WAKE_AFFINE on the CPU level).
inline constexpr LevelParams k0913[] = {
    smt(kWakeBalanceFlag), mc(kBalanceNewidle | kBalanceFork | kWakeIdle | kWakeBalanceFlag),
    without(kWakeAffine, cpu(kBalanceNewidle | kBalanceFork | kWakeIdle | kWakeBalanceFlag)),
    node(kWakeAffine | kWakeBalanceFlag)};  // taken to be that of 2.6.31
inline constexpr LevelParams kNode32 = instantaneous(node(kBalanceNewidle | kWakeAffine));
inline constexpr LevelParams k32a[] = {smt(0), instantaneous(mc(kFlags32 | kPreferLocal)),
                                       instantaneous(cpu(kFlags32 | kPreferLocal)), kNode32};
inline constexpr LevelParams k32[] = {smt(0), instantaneous(mc(kFlags32)),
                                      instantaneous(cpu(kFlags32)), kNode32};

}  // namespace levels

}  // namespace wakelab::policy::cfs
