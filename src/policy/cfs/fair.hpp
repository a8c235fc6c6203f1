// The fair class on one runqueue: kernel/sched_fair.c under its own function names, split over
//   update_curr.cpp    accounting, min_vruntime
//   slice.cpp          period, slice, vslice, granularity
//   place_entity.cpp   virtual time of a woken or new entity
//   fair_queue.cpp     enqueue, dequeue, pick, put
//   check_preempt.cpp  wake-up preemption
//   fair_tick.cpp      tick, hrtick, yield, new tasks
// Each of them that deals with virtual time hands over to wait_runtime.hpp in V23.
// Without groups every entity is a task on rq.cfs; with them (groups.hpp) the functions on tasks
// walk up Entity::parent, the functions on entities work on one queue.
#pragma once

#include <cstdint>

#include "policy/cfs/sched.hpp"

namespace wakelab::policy::cfs {

// What the preemption check is told about the wake-up.
struct WakeHint {
    bool sync = false;                 // the waker is about to sleep
    bool fork = false;                 // first wake-up of a new task
    const SchedTask* waker = nullptr;  // task that issues it; null: an interrupt, or no wake-up
};

// --- update_curr.cpp ---

// Charges the running entity of `cfs` up to the CPU's clock.
void update_curr(Sched& s, CfsRq& cfs);
// `delta` times queue weight over weight, on every level up to the root (cfs.md 2.1).
[[nodiscard]] std::uint64_t queue_weighted(const Sched& s, std::uint64_t delta, Entity& se);
// U of cfs.md 2.2, V28+.
void update_min_vruntime(const Sched& s, CfsRq& cfs);
void insert_into_tree(const Sched& s, CfsRq& cfs, Entity& se);
void remove_from_tree(const Sched& s, CfsRq& cfs, Entity& se);

// --- slice.cpp ---

[[nodiscard]] std::uint64_t sched_period(const Sched& s, std::uint64_t nr_running);
// `cfs` is the queue of `se`; groups above it scale further where the version says so.
[[nodiscard]] std::uint64_t sched_slice(const Sched& s, const CfsRq& cfs, const Entity& se);
[[nodiscard]] std::uint64_t sched_vslice(const Sched& s, const CfsRq& cfs, Entity& se);
// Lead that `wakee` needs over `curr`.
[[nodiscard]] std::uint64_t wakeup_gran(const Sched& s, CfsRq& cfs, Entity& curr, Entity& wakee);
// Should `wakee` preempt `curr`: -1 it is behind, 0 not far enough ahead, 1 yes.
[[nodiscard]] int wakeup_preempt_entity(const Sched& s, CfsRq& cfs, Entity& curr, Entity& wakee);

// --- place_entity.cpp ---

void place_entity(const Sched& s, CfsRq& cfs, Entity& se, bool initial);

// --- fair_queue.cpp ---

void enqueue_task_fair(Sched& s, Rq& rq, Entity& se, bool wakeup);
void dequeue_task_fair(Sched& s, Rq& rq, Entity& se, bool sleep);
// V23: `se` enters the tree under the key it has, and the counts.
void enqueue_keyed(const Sched& s, CfsRq& cfs, Entity& se);
// clear_buddies(): takes the marks from `se`, from 2.6.29 on from its groups, too.
void clear_buddies(const Sched& s, const Entity& se);
// set_curr_task_fair(): se, a task, becomes the running one.
void set_curr_task_fair(Sched& s, Entity& se);
void put_prev_task_fair(Sched& s, Entity& se);
// Precondition: rq.cfs.nr_running > 0 and nothing runs.
[[nodiscard]] Entity& pick_next_entity(Sched& s, Rq& rq);

// --- check_preempt.cpp ---

// check_preempt_wakeup(); rq.curr is a fair task.
void check_preempt_wakeup(Sched& s, Rq& rq, SchedTask& p, WakeHint hint);

// --- fair_tick.cpp ---

void task_tick_fair(Sched& s, Entity& se, bool queued);
void yield_task_fair(Sched& s, Rq& rq);
// task_new_fair(): first enqueue of a forked child.
void task_new_fair(Sched& s, Rq& rq, Entity& child);
// Arms the slice timer for `p` of `rq`, which runs or is about to (HRTICK).
void hrtick_start_fair(Sched& s, Rq& rq, Entity& se);

}  // namespace wakelab::policy::cfs
