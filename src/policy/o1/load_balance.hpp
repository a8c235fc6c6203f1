// Balancing one domain (o1.md 8.4, 8.5).
#pragma once

#include "policy/o1/state.hpp"

namespace wakelab::policy::o1 {

struct BalanceResult {
    // Tasks pulled; -1: none, but a busy sibling shares the CPU's power (o1.md 8.4).
    int moved = 0;
    bool may_balance = true;  // false: leave this level and those above to another CPU
};

// Periodic balancing of this_cpu's domain `sd`, executed on `on_cpu`.
BalanceResult load_balance(State& s, CpuId this_cpu, CpuId on_cpu, SchedDomain& sd, IdleType idle);
// The same when the queue of this_cpu just ran empty.
int load_balance_newidle(State& s, CpuId this_cpu, SchedDomain& sd);
// Body of the migration thread of `busiest`: pushes the task it interrupted.
void active_load_balance(State& s, CpuId busiest);

}  // namespace wakelab::policy::o1
