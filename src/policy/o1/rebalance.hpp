// When to balance (o1.md 8.1), and the NO_HZ arrangements around it (o1.md 8.4).
#pragma once

#include "policy/o1/state.hpp"

namespace wakelab::policy::o1 {

// The balancing a tick of `cpu` triggers.
void trigger_load_balance(State& s, CpuId cpu, IdleType idle);
// The queue of `cpu` ran empty inside schedule().
void idle_balance(State& s, CpuId cpu);
// select_nohz_load_balancer(): `cpu` stops (true: it must go on ticking for the others) or restarts
// its tick.
bool nohz_idle_enter(State& s, CpuId cpu);
void nohz_idle_exit(State& s, CpuId cpu);

}  // namespace wakelab::policy::o1
