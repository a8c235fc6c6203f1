// schedule() and its tail (goodness.md 4).
#pragma once

#include "policy/goodness/state.hpp"

namespace wakelab::policy::goodness {

// Step 2: an RR task whose ticks are used up gets new ones and goes to the end of the list.
void refill_rr(State& s, Entity& prev);
// Step 3: prev sleeps or exits. It still occupies its CPU.
void deactivate(State& s, Entity& prev);
// Steps 4 to 9 on `cpu`: the best task that may run there, wherever it ran last; null: idle.
Entity* pick_next(State& s, CpuId cpu, Entity* prev);
// Step 9: prev is switched out, and offered to another CPU when it wants to go on.
void schedule_tail(State& s, CpuId cpu, Entity& prev);
// sys_sched_yield() of the running task.
void yield_task(State& s, CpuId cpu);
// update_process_times(): the running task pays for the whole tick.
void scheduler_tick(State& s, CpuId cpu);

}  // namespace wakelab::policy::goodness
