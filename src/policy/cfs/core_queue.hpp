// activate_task() and deactivate_task() of kernel/sched.c: a task's class queue plus the counts of
// the whole runqueue.
#pragma once

#include "policy/cfs/fair.hpp"
#include "policy/cfs/groups.hpp"
#include "policy/cfs/sched.hpp"

namespace wakelab::policy::cfs {

void enqueue_task(Sched& s, SchedTask& p, bool wakeup);
void dequeue_task(Sched& s, SchedTask& p, bool sleep);
// First enqueue of a fair child whose parent is runnable.
void enqueue_new_task(Sched& s, SchedTask& child);
// Averages taken when `prev` leaves the CPU (cfs.md 4.6, 4.7): V30+ a task that is still runnable
// overlaps more than its marks say; V32 the time it ran.
void sample_at_switch(const Sched& s, SchedTask& prev);
// check_preempt_curr(): asks the class of the task that runs on p's queue.
void check_preempt_curr(Sched& s, SchedTask& p, WakeHint hint);
// set_task_cpu() of a task that is not queued.
void set_task_cpu(Sched& s, SchedTask& p, CpuId cpu);
// Moves a queued task that does not run: dequeue, set_task_cpu, enqueue, preemption check.
void move_queued_task(Sched& s, SchedTask& p, CpuId cpu);

}  // namespace wakelab::policy::cfs
