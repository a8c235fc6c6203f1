// Where a woken or forked task goes (cfs.md 4.1 .. 4.5, 6.5, 6.7).
#pragma once

#include "policy/cfs/sched.hpp"

namespace wakelab::policy::cfs {

// CPU for the sleeping task p, and the rule that decided.
[[nodiscard]] CpuId select_task_rq(Sched& s, SchedTask& p, const WakeContext& ctx, PlaceRule& rule);

// wake_idle(): `cpu` itself, or an idle CPU near it if `cpu` is busy with one task.
[[nodiscard]] CpuId wake_idle(Sched& s, CpuId cpu, const SchedTask& p);

// Ran less than migration_cost before `now` (a clock of its own CPU), or is a buddy there.
[[nodiscard]] bool task_hot(Sched& s, const SchedTask& p, std::uint64_t now);

// sched_balance_self() at fork or exec for a task that is on `cpu`, in the levels that have `flag`
// (kBalanceFork, kBalanceExec).
[[nodiscard]] CpuId sched_balance_self(Sched& s, const SchedTask& p, CpuId cpu, std::uint32_t flag);

// The lowest domain of `cpu` that spans `other` too; null if there is none.
[[nodiscard]] inline const SchedDomain* common_domain(Sched& s, CpuId cpu, CpuId other) {
    for (const SchedDomain& d : s.rq(cpu).domains)
        if (d.span.test(other)) return &d;
    return nullptr;
}

}  // namespace wakelab::policy::cfs
