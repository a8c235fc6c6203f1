// nice, sched_setscheduler and set_cpus_allowed (o1.md 4.8).
#pragma once

#include "policy/o1/state.hpp"

namespace wakelab::policy::o1 {

// set_user_nice() for a task whose policy does not change.
void set_user_nice(State& s, Entity& e, std::int8_t nice);
// sched_setscheduler(); the nice level only takes effect through set_user_nice().
void set_scheduler(State& s, Entity& e, SchedPolicy policy, std::uint8_t rt_priority);
// Moves a task that is not running off a CPU it may no longer use. True: it runs there now.
bool set_cpus_allowed(State& s, Entity& e, const topo::CpuMask& allowed);

}  // namespace wakelab::policy::o1
