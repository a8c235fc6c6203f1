// reschedule_idle(): which CPU is told about a task that waits, and the two callers that take
// runqueue_lock for it (goodness.md 5, 9.1). Being told binds nobody: whichever CPU enters
// schedule() first takes the task.
#pragma once

#include "policy/goodness/state.hpp"

namespace wakelab::policy::goodness {

// What it did, for its price.
struct Placement {
    std::uint32_t examined = 0;  // CPUs whose current task was looked at
    bool ipi = false;
};

// Runs on `this_cpu`, with runqueue_lock held.
Placement reschedule_idle(State& s, const Entity& e, CpuId this_cpu);

// What a wake-up costs beyond the machine's `wake`: the wait for the lock, the CPUs looked at, the
// IPI. `base`: the rest of the work under the lock is charged, too.
enum class WakeBase : std::uint8_t { kChargedByHost, kCharged };
void charge_wake(State& s, CpuId this_cpu, const Placement& done, WakeBase base);

}  // namespace wakelab::policy::goodness
