// check_preempt_wakeup(), in the order of the table of cfs.md 2.8.
#include "policy/cfs/clock.hpp"
#include "policy/cfs/fair.hpp"
#include "policy/cfs/wait_runtime.hpp"

namespace wakelab::policy::cfs {

namespace {

bool overlap_little(const Sched& s, const Entity& curr, const Entity& wakee) {
    return curr.avg_overlap < s.tune.migration_cost && wakee.avg_overlap < s.tune.migration_cost;
}

// Step 9: features that preempt whatever the virtual times say. True: reschedule.
bool preempts_by_overlap(const Sched& s, const Entity& curr, Entity& wakee, bool sync) {
    const bool overlap = s.has(Feature::kWakeupOverlap);
    if (!s.v.preempt.sync_feature) return overlap && (sync || overlap_little(s, curr, wakee));
    if (s.has(Feature::kWakeupSync) && sync) return true;
    if (overlap && overlap_little(s, curr, wakee)) return true;
    if (!s.has(Feature::kWakeupRunning) || wakee.avg_running >= curr.avg_running) return false;
    wakee.cfs->next = &wakee;
    return true;
}

// Step 7: policies that wait for the tick.
bool never_preempts(const Sched& s, const SchedTask& p) {
    if (p.policy == SchedPolicy::kPreempt) return false;
    return s.v.preempt.only_normal_preempts ? p.policy != SchedPolicy::kNormal
                                            : p.policy == SchedPolicy::kBatch;
}

bool is_long(const Sched& s, const CfsRq& cfs) {
    return cfs.nr_running >= s.tune.nr_latency;
}

// From 2.6.28 on the groups of a buddy are buddies, too.
void set_last_buddy(const Sched& s, Entity& curr) {
    if (!s.has(Feature::kLastBuddy) || !curr.on_rq) return;
    if (s.v.preempt.idle_policy_yields && curr.task->policy == SchedPolicy::kIdle) return;
    for (Entity* e = &curr; e != nullptr; e = e->parent) e->cfs->last = e;
}

// Step 5. V32 keeps buddies for long queues; it and V32A do not use this one by default.
void set_next_buddy(const Sched& s, Entity& wakee, bool long_queue, WakeHint hint) {
    if (s.v.buddies == BuddyRule::kNone) return;
    const PreemptSteps& steps = s.v.preempt;
    if (steps.next_is_feature && !s.has(Feature::kNextBuddy)) return;
    if (steps.next_not_for_forks && hint.fork) return;
    if (steps.buddies_need_long_queue && !long_queue) return;
    if (s.v.preempt.idle_policy_yields && wakee.task->policy == SchedPolicy::kIdle) return;
    wakee.cfs->next = &wakee;
    if (s.v.buddy_clear == BuddyClear::kLeavesTree) return;
    for (Entity* e = wakee.parent; e != nullptr; e = e->parent) e->cfs->next = e;
}

// Step 11, on the queue where the two meet. 2.6.28 .. 2.6.30 go on to the levels above, where both
// have the same ancestor, which is never ahead of itself.
bool preempts_by_vruntime(const Sched& s, Entity& curr, Entity& wakee) {
    if (curr.cfs == wakee.cfs) return wakeup_preempt_entity(s, *curr.cfs, curr, wakee) == 1;
    const MatchedPair m = find_matching_se(curr, wakee);
    return wakeup_preempt_entity(s, *m.curr->cfs, *m.curr, *m.wakee) == 1;
}

// P4: a task that different wakees take turns to preempt gets some time between two of them.
bool refuses_preempter(const Sched& s, Entity& curr, Entity& wakee) {
    if (!s.v.limits_preempters) return false;
    const bool another = curr.last_preempter != nullptr && curr.last_preempter != &wakee;
    curr.last_preempter = &wakee;
    return another && curr.sum_exec - curr.prev_sum < s.tune.preempter_batch;
}

}  // namespace

void check_preempt_wakeup(Sched& s, Rq& rq, SchedTask& p, WakeHint hint) {
    Entity& curr = entity_of(*rq.curr);
    CfsRq& cfs = *curr.cfs;
    Entity& wakee = entity_of(p);
    const PreemptSteps& steps = s.v.preempt;

    if (steps.update_curr_first) update_curr(s, cfs);
    if (p.is_rt()) {
        if (!steps.update_curr_first) {
            update_rq_clock(s, rq);
            update_curr(s, cfs);
        }
        s.host.resched(rq.cpu);
        return;
    }
    if (s.v.model == FairModel::kWaitRuntime) [[unlikely]] {
        wait_runtime::check_preempt_wakeup(s, rq, curr, wakee);
        return;
    }
    if (s.v.mark == OverlapMark::kPreemptCheck) curr.last_wakeup = curr.sum_exec;
    if (steps.ignore_own_wakeup && &curr == &wakee) return;
    if (s.v.shortcut_filter == ShortcutFilter::kSameWaker) curr.waker = &wakee;
    if (s.v.buddies == BuddyRule::kNextThenLast) set_last_buddy(s, curr);
    set_next_buddy(s, wakee, is_long(s, cfs), hint);
    if (steps.stop_if_marked && s.host.need_resched(rq.cpu)) return;
    if (never_preempts(s, p)) return;
    if (p.policy == SchedPolicy::kPreempt && hint.waker == rq.curr) {
        s.host.resched(rq.cpu);
        return;
    }
    if (steps.idle_policy_yields && curr.task->policy == SchedPolicy::kIdle) {
        s.host.resched(rq.cpu);
        return;
    }
    if (!steps.sync_feature && !s.has(Feature::kWakeupPreempt)) return;
    if (steps.overlap_features && preempts_by_overlap(s, curr, wakee, hint.sync)) {
        s.host.resched(rq.cpu);
        return;
    }
    if (!s.has(Feature::kWakeupPreempt)) return;
    if (!preempts_by_vruntime(s, curr, wakee)) return;
    if (refuses_preempter(s, curr, wakee)) return;
    s.host.resched(rq.cpu);
    if (s.v.buddies == BuddyRule::kLastWins && is_long(s, cfs)) set_last_buddy(s, curr);
}

}  // namespace wakelab::policy::cfs
