// Onto and off the runqueue (o1.md 3.5, 3.6, 4.6, 5).
#pragma once

#include "policy/o1/state.hpp"

namespace wakelab::policy::o1 {

// __activate_task(): enqueue on the runqueue of its CPU, without sleep credit.
void activate_plain(State& s, Entity& e);
// The end of try_to_wake_up(): sleep credit, mark for the waiting credit, enqueue.
void activate_woken(State& s, Entity& e, const WakeContext& ctx);
// deactivate_task().
void deactivate_task(State& s, Entity& e);
// Reschedules the CPU of `e` if its current task is worse.
void resched_if_preempted_by(State& s, const Entity& e);

}  // namespace wakelab::policy::o1
