// schedule() (o1.md 4.1): the parts before and after the newly-idle balance.
#pragma once

#include "policy/o1/state.hpp"

namespace wakelab::policy::o1 {

// Measures what prev (null: idle) ran.
void schedule_begin(State& s, CpuId cpu, Entity* prev);
// Array switch, choice of the next task (null: idle), accounting of both.
Entity* pick_next(State& s, CpuId cpu, Entity* prev);
// sys_sched_yield() of the running task; the caller schedules next.
void yield_task(State& s, CpuId cpu);

}  // namespace wakelab::policy::o1
