#include "policy/o1/set_policy.hpp"

#include "policy/o1/activate.hpp"
#include "policy/o1/sleep_avg.hpp"

namespace wakelab::policy::o1 {

namespace {

bool running(const State& s, const Entity& e) {
    return s.rq(e.task->cpu).curr == &e;
}

}  // namespace

void set_user_nice(State& s, Entity& e, std::int8_t nice) {
    SchedTask& p = *e.task;
    RunQueue& rq = s.rq(p.cpu);
    p.nice = nice;
    if (p.is_rt()) {  // takes effect when the task becomes an ordinary one again
        e.static_prio = nice_to_prio(nice);
        return;
    }
    PrioArray* const array = e.array;
    if (array != nullptr) {
        array->dequeue(e);
        rq.dec_nr_running(e);
    }
    const int old_prio = e.prio;
    e.static_prio = nice_to_prio(nice);
    set_load_weight(s, e);
    // Up to 2.6.17 the difference to the old dynamic priority is added: the bonus is lost until the
    // next recalculation.
    e.prio = s.version.nice_keeps_bonus ? effective_prio(s, e) : e.static_prio;
    if (array == nullptr) return;
    array->enqueue(e);
    rq.inc_nr_running(e);
    if (e.prio < old_prio || (e.prio > old_prio && running(s, e))) s.host.resched(p.cpu);
}

void set_scheduler(State& s, Entity& e, SchedPolicy policy, std::uint8_t rt_priority) {
    SchedTask& p = *e.task;
    const bool queued = e.array != nullptr;
    const int old_prio = e.prio;
    if (queued) deactivate_task(s, e);
    p.policy = policy;
    p.rt_priority = rt_priority;
    if (p.is_rt())
        e.prio = rt_to_prio(rt_priority);
    else
        e.prio = s.version.nice_keeps_bonus ? s.prio.normal_prio(e.static_prio, e.sleep_avg)
                                            : e.static_prio;
    if (s.version.has_batch && policy == SchedPolicy::kBatch) e.sleep_avg = 0;
    set_load_weight(s, e);
    if (!queued) return;
    activate_plain(s, e);
    if (!running(s, e))
        resched_if_preempted_by(s, e);
    else if (e.prio > old_prio)
        s.host.resched(p.cpu);
}

bool set_cpus_allowed(State& s, Entity& e, const topo::CpuMask& allowed) {
    SchedTask& p = *e.task;
    p.allowed = allowed;
    if (allowed.test(p.cpu)) return false;
    if (running(s, e)) return true;
    const CpuId from = p.cpu, to = allowed.first();
    if (e.array == nullptr) {
        p.cpu = to;
        return false;
    }
    e.timestamp = s.shifted(e.timestamp, from, to);
    deactivate_task(s, e);
    p.cpu = to;
    activate_plain(s, e);
    s.host.note_migration(p, from, to);
    resched_if_preempted_by(s, e);
    return false;
}

}  // namespace wakelab::policy::o1
