#include "policy/cfs/core_queue.hpp"

#include <algorithm>

#include "policy/cfs/load_stat.hpp"
#include "policy/cfs/wait_runtime.hpp"

namespace wakelab::policy::cfs {

namespace {

// dequeue_task() of V27+ (cfs.md 4.6, 4.7).
void sample_at_sleep(const Sched& s, Entity& se) {
    if (s.v.mark == OverlapMark::kNever || s.v.mark == OverlapMark::kPreemptCheck) return;
    if (se.last_wakeup != 0) {
        update_avg(se.avg_overlap, se.sum_exec - se.last_wakeup);
        se.last_wakeup = 0;
    } else if (s.v.mark == OverlapMark::kActivation) {
        update_avg(se.avg_wakeup, s.tune.wakeup_granularity);
    }
}

// Where loads count top-level entities, the group of a task stands for it.
std::uint64_t cpu_load_of(const Sched& s, const SchedTask& p) {
    const Entity& se = entity_of(p);
    const bool in_its_group =
        se.parent != nullptr && s.v.groups != GroupRule::kFixedShares && !p.is_rt();
    return in_its_group ? 0 : se.load.weight;
}

void count_queued(Sched& s, Rq& rq, SchedTask& p) {
    p.on_rq = true;
    rq.nr_running++;
    if (s.has(Feature::kPreciseCpuLoad)) update_curr_load(s, rq);
    rq.load += cpu_load_of(s, p);
}

}  // namespace

void enqueue_task(Sched& s, SchedTask& p, bool wakeup) {
    Rq& rq = s.rq_of(p);
    Entity& se = entity_of(p);
    if (wakeup) se.start_runtime = se.sum_exec;
    if (p.is_rt())
        rq.rt.enqueue(se.rt);
    else
        enqueue_task_fair(s, rq, se, wakeup);
    count_queued(s, rq, p);
}

void enqueue_new_task(Sched& s, SchedTask& child) {
    Rq& rq = s.rq_of(child);
    task_new_fair(s, rq, entity_of(child));
    count_queued(s, rq, child);
}

void sample_at_switch(const Sched& s, SchedTask& prev) {
    if (s.v.preempted_sample == PreemptedSample::kNone) return;
    Entity& se = entity_of(prev);
    const std::uint64_t ran = se.sum_exec - se.prev_sum;
    const bool runnable = prev.state == TaskState::kRunning;
    if (runnable) {
        const bool since_wakeup =
            s.v.preempted_sample == PreemptedSample::kSinceWakeup && se.last_wakeup != 0;
        const std::uint64_t sample = since_wakeup ? se.sum_exec - se.last_wakeup : ran;
        update_avg(se.avg_overlap, std::min(sample, 2 * s.tune.migration_cost));
    }
    if (!s.v.tracks_running) return;
    update_avg(se.avg_running, ran);
    if (!runnable) update_avg(se.avg_running, 0);
}

void dequeue_task(Sched& s, SchedTask& p, bool sleep) {
    Rq& rq = s.rq_of(p);
    Entity& se = entity_of(p);
    if (sleep) sample_at_sleep(s, se);
    if (p.is_rt())
        rq.rt.dequeue(se.rt);
    else
        dequeue_task_fair(s, rq, se, sleep);
    p.on_rq = false;
    rq.nr_running--;
    if (s.has(Feature::kPreciseCpuLoad)) update_curr_load(s, rq);
    rq.load -= cpu_load_of(s, p);
}

void check_preempt_curr(Sched& s, SchedTask& p, WakeHint hint) {
    Rq& rq = s.rq_of(p);
    if (rq.idle())
        s.host.resched(rq.cpu);
    else if (!rq.curr->is_rt())
        check_preempt_wakeup(s, rq, p, hint);
    else if (prio_of(p) < prio_of(*rq.curr))
        s.host.resched(rq.cpu);
}

void set_task_cpu(Sched& s, SchedTask& p, CpuId cpu) {
    Entity& se = entity_of(p);
    const CfsRq& from = *se.cfs;
    p.cpu = cpu;
    join_queue(s, p);
    if (s.v.model == FairModel::kWaitRuntime)
        wait_runtime::migrate(se, from, *se.cfs);
    else
        se.vruntime -= from.min_vruntime - se.cfs->min_vruntime;
}

void move_queued_task(Sched& s, SchedTask& p, CpuId cpu) {
    dequeue_task(s, p, false);
    set_task_cpu(s, p, cpu);
    enqueue_task(s, p, false);
    check_preempt_curr(s, p, {});
}

}  // namespace wakelab::policy::cfs
