// Where a task that forks or replaces its image goes (o1.md 8.6).
#pragma once

#include "policy/o1/state.hpp"

namespace wakelab::policy::o1 {

// sched_balance_self() of 2.6.13 and later: the idlest allowed CPU of the idlest group, level by
// level from the top, among the levels of `cpu` that have `flag` (kBalanceExec, kBalanceFork).
// Returns `cpu` when nothing is enough idler.
[[nodiscard]] CpuId sched_balance_self(const State& s, const SchedTask& p, CpuId cpu,
                                       std::uint32_t flag);

// sched_exec() by the rule of the version: the CPU on which the running task `p` shall go on.
[[nodiscard]] CpuId sched_exec(const State& s, const SchedTask& p);

}  // namespace wakelab::policy::o1
