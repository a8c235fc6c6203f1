// Load balancing (cfs.md 6):
//   find_busiest_group.cpp  which group of a domain is too busy, and by how much
//   load_balance.cpp        from whom to take: periodic, newly idle, active
//   move_tasks.cpp          which tasks to take
//   rebalance.cpp           when: ticks, next_balance, the tick-less CPUs' balancer
#pragma once

#include "policy/cfs/sched.hpp"

namespace wakelab::policy::cfs {

enum class IdleType : std::uint8_t { kIdle, kNotIdle, kNewlyIdle };

struct BusiestGroup {
    const SchedGroup* group = nullptr;  // null: balanced
    std::uint64_t imbalance = 0;        // load to move
    bool my_job = true;  // false: another CPU of the local group balances this domain
};

[[nodiscard]] BusiestGroup find_busiest_group(Sched& s, const SchedDomain& d, CpuId this_cpu,
                                              IdleType idle, const topo::CpuMask& candidates);

// load_balance(): whether this CPU counts as not idle in the levels above: something was moved, or
// a sibling works. `my_job` is cleared as in BusiestGroup.
bool load_balance(Sched& s, CpuId this_cpu, SchedDomain& d, IdleType idle, bool& my_job);
// load_balance_newidle(): whether idle_balance() should stop here.
bool load_balance_newidle(Sched& s, CpuId this_cpu, SchedDomain& d);
// active_load_balance(): the migration thread of `busiest` pushes one task to its push_cpu.
void active_load_balance(Sched& s, CpuId busiest);

// idle_balance(): this queue has just become empty.
void idle_balance(Sched& s, CpuId this_cpu);
// Balancing part of scheduler_tick(): trigger_load_balance() and, when due, the softirq.
void balance_at_tick(Sched& s, Rq& rq);
// select_nohz_load_balancer(1) and (0).
bool nohz_enter(Sched& s, Rq& rq);
void nohz_exit(Sched& s, Rq& rq);

}  // namespace wakelab::policy::cfs
