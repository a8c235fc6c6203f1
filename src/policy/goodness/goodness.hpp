// goodness() and preemption_goodness() (goodness.md 3).
#pragma once

#include "policy/goodness/state.hpp"

namespace wakelab::policy::goodness {

// How much CPU `cpu`, with address space `mm` loaded, wants `e`. 0: e's ticks are used up.
[[nodiscard]] inline int goodness(const State& s, const Entity& e, CpuId cpu, TaskId mm) {
    const SchedTask& p = *e.task;
    if (e.yielding) return -1;
    if (p.is_rt()) return 1000 + p.rt_priority;
    if (e.counter == 0) return 0;
    const int credit = s.version.credit == Credit::kDynPrio ? e.dyn_prio + 1 : e.counter;
    int weight = credit + 20 - p.nice;
    if (p.cpu == cpu) weight += s.proc_change_penalty;
    if (!p.is_user || p.mm == mm) ++weight;
    return weight;
}

// By how much `e` beats the task that runs on `cpu`, which is not idle; > 0: it preempts.
[[nodiscard]] inline int preemption_goodness(const State& s, const Entity& e, CpuId cpu) {
    const CpuState& c = s.cpus[cpu.v];
    return goodness(s, e, cpu, c.mm) - goodness(s, *c.curr, cpu, c.mm);
}

}  // namespace wakelab::policy::goodness
