// The frames of kernel/sched.c that all versions share: which SchedClass calls make up one wake-up and
// one schedule(). Engine and conformance tests run the same code.
#pragma once

#include "policy/sched_class.hpp"

namespace wakelab::policy {

struct WakeResult {
    bool activated = false;        // false: p was queued already ("early") or its state did not match
    CpuId cpu;                     // CPU p is on afterwards
    CpuId prev;                    // CPU it was on before
    PlaceRule rule = PlaceRule::kStillQueued;
    bool allowed = true;           // false: the class chose a forbidden CPU; nothing was enqueued
};

// try_to_wake_up(). Precondition: p.state is not kRunning and not kDead (a wait queue skips those).
WakeResult try_to_wake_up(SchedClass& sched, SchedTask& p, const WakeContext& ctx);

// schedule() on `cpu`: prev (null: idle) gives up the CPU; returns who runs next (null: idle).
SchedTask* schedule(SchedClass& sched, CpuId cpu, SchedTask* prev);

}  // namespace wakelab::policy
