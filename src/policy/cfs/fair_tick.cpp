#include <algorithm>
#include <utility>

#include "policy/cfs/clock.hpp"
#include "policy/cfs/fair.hpp"
#include "policy/cfs/wait_runtime.hpp"

namespace wakelab::policy::cfs {

namespace {

constexpr std::int64_t kShortestSliceTimer = 10'000;  // ns

// V32: the running task may also be too far ahead of the leftmost one. The kernel compares the
// signed lead with an unsigned slice, so a task that is *behind* is rescheduled too (cfs.md 2.9).
bool leads_too_far(const Sched& s, CfsRq& cfs, const Entity& se, std::uint64_t ran,
                   std::uint64_t ideal) {
    if (!s.has(Feature::kWakeupPreempt) || ran < s.tune.min_granularity) return false;
    return cfs.nr_running > 1 && se.vruntime - cfs.leftmost()->vruntime > ideal;
}

void check_preempt_tick(Sched& s, CfsRq& cfs, Entity& se) {
    Rq& rq = *cfs.rq;
    const std::uint64_t ideal = sched_slice(s, cfs, se);
    const std::uint64_t ran = se.sum_exec - se.prev_sum;
    if (ran > ideal) {
        if (s.v.limits_preempters) se.last_preempter = nullptr;
        s.host.resched(rq.cpu);
        if (s.v.buddy_clear >= BuddyClear::kPicked) clear_buddies(s, se);
    } else if (s.v.tick_checks_lead && leads_too_far(s, cfs, se, ran, ideal)) {
        s.host.resched(rq.cpu);
    }
}

}  // namespace

namespace {

void entity_tick(Sched& s, CfsRq& cfs, Entity& se, bool queued) {
    Rq& rq = *cfs.rq;
    update_curr(s, cfs);
    if (s.v.model == FairModel::kWaitRuntime) [[unlikely]] {
        wait_runtime::tick(s, rq, se);
        return;
    }
    if (queued) {
        s.host.resched(rq.cpu);
        return;
    }
    if (s.hrtick && !s.has(Feature::kDoubleTick) && s.host.hrtick_active(rq.cpu)) return;
    if (cfs.nr_running > 1 || !s.has(Feature::kWakeupPreempt)) check_preempt_tick(s, cfs, se);
}

}  // namespace

void task_tick_fair(Sched& s, Entity& se, bool queued) {
    for (Entity* e = &se; e != nullptr; e = e->parent) entity_tick(s, *e->cfs, *e, queued);
}

void hrtick_start_fair(Sched& s, Rq& rq, Entity& se) {
    CfsRq& cfs = *se.cfs;
    if (!s.hrtick || cfs.nr_running <= 1) return;
    const std::uint64_t ran = se.sum_exec - se.prev_sum;
    const auto left = static_cast<std::int64_t>(sched_slice(s, cfs, se) - ran);
    const bool running = rq.curr == se.task;
    if (left < 0) {
        if (running) s.host.resched(rq.cpu);
        return;
    }
    s.host.arm_hrtick(rq.cpu, {running ? left : std::max(left, kShortestSliceTimer)});
}

void yield_task_fair(Sched& s, Rq& rq) {
    Entity& se = entity_of(*rq.curr);
    CfsRq& cfs = *se.cfs;
    if (cfs.nr_running == 1) return;
    if (s.v.model == FairModel::kWaitRuntime) {
        wait_runtime::yield(s, rq, se);
        return;
    }
    if (s.v.buddy_clear != BuddyClear::kLeavesTree) clear_buddies(s, se);
    if (!s.tune.compat_yield && se.task->policy != SchedPolicy::kBatch) {
        update_rq_clock(s, rq);
        update_curr(s, cfs);
        return;
    }
    const Entity* right = cfs.rightmost();
    if (right == nullptr) return;
    // Raw comparison up to 2.6.31 (cfs.md 0.2).
    const bool is_before =
        s.v.compares_signed ? before(right->vruntime, se.vruntime) : right->vruntime < se.vruntime;
    if (!is_before) se.vruntime = right->vruntime + 1;
}

void task_new_fair(Sched& s, Rq& rq, Entity& child) {
    CfsRq& cfs = *child.cfs;
    Entity* curr = cfs.curr;
    update_curr(s, cfs);
    if (s.v.model == FairModel::kWaitRuntime) {
        wait_runtime::place_new(s, rq, child);
        enqueue_keyed(s, cfs, child);
        return;
    }
    if (s.v.new_task_inherits_vruntime && curr != nullptr) child.vruntime = curr->vruntime;
    place_entity(s, cfs, child, true);
    bool swapped = false;
    if (s.tune.child_runs_first && s.this_cpu == rq.cpu && curr != nullptr) {
        swapped = s.v.compares_signed ? before(curr->vruntime, child.vruntime)
                                      : curr->vruntime < child.vruntime;
        if (swapped) std::swap(curr->vruntime, child.vruntime);
    }
    enqueue_task_fair(s, rq, child, false);
    if (swapped || s.v.new_task_always_rescheds) s.host.resched(rq.cpu);
}

}  // namespace wakelab::policy::cfs
