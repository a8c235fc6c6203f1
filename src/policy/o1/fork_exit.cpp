#include "policy/o1/fork_exit.hpp"

#include <algorithm>

#include "policy/o1/activate.hpp"
#include "policy/o1/scheduler_tick.hpp"
#include "policy/o1/sleep_avg.hpp"

namespace wakelab::policy::o1 {

void fork_task(State& s, Entity& parent, Entity& child, CpuId this_cpu) {
    child.prio = parent.prio;
    child.sleep_avg = parent.sleep_avg;
    child.sleep_type = parent.sleep_type;
    child.interactive_credit = parent.interactive_credit;
    child.time_slice = (parent.time_slice + 1) / 2;
    child.first_time_slice = true;
    child.timestamp = child.last_ran = s.now();
    child.last_waker_cpu = this_cpu;
    parent.time_slice /= 2;
    if (parent.time_slice > 0) return;
    // The parent forked its last jiffy away: it expires here, or the slices would never run out.
    parent.time_slice = 1;
    if (s.version.fork_runs_tick)
        scheduler_tick(s, this_cpu);
    else
        task_running_tick(s, this_cpu);
}

void wake_up_new_task(State& s, Entity& child, Entity* parent, CpuId this_cpu, bool clone_vm) {
    constexpr int kChildPenalty = 95;  // percent of the parent's bonus
    const SchedTask& p = *child.task;
    child.sleep_avg =
        s.prio.sleep_avg_of_bonus(s.prio.bonus(child.sleep_avg) * kChildPenalty / 100);
    child.interactive_credit = 0;
    child.prio = effective_prio(s, child);
    if (p.cpu != this_cpu) {
        child.timestamp = s.shifted(child.timestamp, this_cpu, p.cpu);
        activate_plain(s, child);
        resched_if_preempted_by(s, child);
    } else if (clone_vm || parent == nullptr || parent->array == nullptr) {
        activate_plain(s, child);
        if (!clone_vm) s.host.resched(this_cpu);
    } else {
        // The child runs first, in anticipation of an exec.
        child.prio = parent->prio;
        parent->array->enqueue_before(child, *parent);
        s.rq(this_cpu).inc_nr_running(child);
        child.task->on_rq = true;
        s.host.resched(this_cpu);
    }
    // PARENT_PENALTY 100: rounds the parent down to a whole bonus.
    if (parent != nullptr)
        parent->sleep_avg = s.prio.sleep_avg_of_bonus(s.prio.bonus(parent->sleep_avg));
}

void exit_task(State& s, Entity& child, Entity& parent) {
    constexpr std::uint64_t kExitWeight = 3;
    const bool same_cpu = child.task->cpu == parent.task->cpu;
    if (child.first_time_slice && (same_cpu || !s.version.exit_needs_same_cpu))
        parent.time_slice =
            std::min(parent.time_slice + child.time_slice, s.prio.timeslice(child.static_prio));
    if (child.sleep_avg < parent.sleep_avg)
        parent.sleep_avg = parent.sleep_avg / (kExitWeight + 1) * kExitWeight +
                           child.sleep_avg / (kExitWeight + 1);
}

}  // namespace wakelab::policy::o1
