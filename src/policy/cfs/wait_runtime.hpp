// The fair class of 2.6.23 (cfs.md 2.11). A task is owed the share of the CPU it does not get while
// it waits, and owes what it gets beyond its share while it runs: wait_runtime. The tree is ordered
// by fair key = the queue's fair clock minus what the task is owed; the running task stays in it
// with the key of its last enqueue or tick. Entity::vruntime holds the key.
//
// The functions here do the arithmetic of one entity; trees and counts are the callers' (fair.hpp).
#pragma once

#include "policy/cfs/sched.hpp"

namespace wakelab::policy::cfs::wait_runtime {

// Charges the running entity up to rq.clock and advances the queue's fair clock.
void update_curr(const Sched& s, Rq& rq, Entity& curr);

// Before `se` enters the tree: credits its sleep if it was woken, and computes its key.
void place(const Sched& s, Rq& rq, Entity& se, bool wakeup);
// The same for a forked child that is to run before its parent, which runs now.
void place_new(const Sched& s, Rq& rq, Entity& child);
// Before `se` leaves the tree.
void leave(const Sched& s, CfsRq& cfs, Entity& se, bool sleep);
// update_stats_wait_end(): credits what it waited; nothing if it did not wait.
void stop_waiting(const Sched& s, CfsRq& cfs, Entity& se);

// entity_tick(): `curr` is accounted already.
void tick(Sched& s, Rq& rq, Entity& curr);
// yield_task_fair() beside other tasks.
void yield(Sched& s, Rq& rq, Entity& curr);
void check_preempt_wakeup(Sched& s, Rq& rq, Entity& curr, Entity& wakee);

// set_task_cpu(): times since which it waits or sleeps follow the other queue's fair clock.
void migrate(Entity& se, const CfsRq& from, const CfsRq& to);

// sched_granularity(): lead in fair clock the leftmost task needs at a tick.
[[nodiscard]] std::uint64_t granularity(const Sched& s, const CfsRq& cfs);

}  // namespace wakelab::policy::cfs::wait_runtime
