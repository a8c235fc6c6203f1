// Birth and death of a task, and what they do to the parent (o1.md 4.9).
#pragma once

#include "policy/o1/state.hpp"

namespace wakelab::policy::o1 {

// The slice is shared, the estimator inherited; `child` belongs to a task without a runqueue.
void fork_task(State& s, Entity& parent, Entity& child, CpuId this_cpu);
// `clone_vm`: the child is a thread of the parent and runs after it. parent null: none.
void wake_up_new_task(State& s, Entity& child, Entity* parent, CpuId this_cpu, bool clone_vm);
// Gives what is left of the child's first slice back and averages the estimators.
void exit_task(State& s, Entity& child, Entity& parent);

}  // namespace wakelab::policy::o1
