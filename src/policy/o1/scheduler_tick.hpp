// The timer tick (o1.md 4.3, 4.4).
#pragma once

#include "policy/o1/state.hpp"

namespace wakelab::policy::o1 {

// scheduler_tick() of `cpu`: slice, cpu_load[], periodic balancing.
void scheduler_tick(State& s, CpuId cpu);
// The slice accounting of the running task alone.
void task_running_tick(State& s, CpuId cpu);

}  // namespace wakelab::policy::o1
