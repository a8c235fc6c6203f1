// Spreading real-time tasks, 2.6.25 and later: kernel/sched_rt.c pushes a task that has to wait to a CPU
// of lower priority, and pulls one when a CPU is about to run something less important. 2.6.24 moves
// them with the load balancer (load_balance.cpp).
//
// cfs.md has no section on this; written from what sched_rt.c of these versions documents and does. Not
// modelled: throttling (sched_rt_runtime_us), preemption among equal priorities by affinity (2.6.27+).
#pragma once

#include "policy/cfs/sched.hpp"

namespace wakelab::policy::cfs {

// select_task_rq_rt(): a wakee that would wait behind a real-time task goes to a CPU of lower priority.
[[nodiscard]] CpuId select_task_rq_rt(Sched& s, const SchedTask& p, CpuId this_cpu);
// pre_schedule_rt(): the real-time task `prev` has left `rq`; better ones may wait elsewhere.
void pre_schedule_rt(Sched& s, Rq& rq, const SchedTask& prev);
// post_schedule_rt(): a real-time task was picked on `rq`; those behind it may run elsewhere.
void post_schedule_rt(Sched& s, Rq& rq);
// task_wake_up_rt(): p has been queued by a wake-up.
void task_wake_up_rt(Sched& s, const SchedTask& p);
// switched_from_rt(): a task of `rq` is no longer real-time.
void switched_from_rt(Sched& s, Rq& rq);

}  // namespace wakelab::policy::cfs
