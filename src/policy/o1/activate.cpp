#include "policy/o1/activate.hpp"

#include "base/check.hpp"
#include "policy/o1/sleep_avg.hpp"

namespace wakelab::policy::o1 {

void activate_plain(State& s, Entity& e) {
    RunQueue& rq = s.rq(e.task->cpu);
    // From 2.6.17 a batch task waits until everything active has had its turn.
    const bool expires = s.version.batch_expires && e.task->policy == SchedPolicy::kBatch;
    (expires ? rq.expired : rq.active)->enqueue(e);
    rq.inc_nr_running(e);
    e.task->on_rq = true;
}

void activate_woken(State& s, Entity& e, const WakeContext& ctx) {
    const SchedTask& p = *e.task;
    if (p.state == TaskState::kUninterruptible) {
        e.sleep_type = SleepType::kNoninteractive;
    } else if (p.noninteractive_sleep) {
        if (!s.version.pipe_sleep_typed) {
            activate_plain(s, e);
            return;
        }
        e.sleep_type = SleepType::kNoninteractive;
    }
    const RtActivation rt = s.version.rt_activation;
    if (!e.rt() || rt != RtActivation::kNothing) {
        const std::uint64_t now = s.shifted(s.now(), ctx.this_cpu, p.cpu);
        if (!e.rt() || rt == RtActivation::kAsOthers) e.prio = recalc_task_prio(s, e, now);
        if (e.sleep_type == SleepType::kNormal)
            e.sleep_type = ctx.in_interrupt ? SleepType::kInterrupted : SleepType::kInteractive;
        e.timestamp = now;
    }
    activate_plain(s, e);
}

void deactivate_task(State& s, Entity& e) {
    WK_CHECK(e.array != nullptr);
    s.rq(e.task->cpu).dec_nr_running(e);
    e.array->dequeue(e);
    e.task->on_rq = false;
}

void resched_if_preempted_by(State& s, const Entity& e) {
    if (s.rq(e.task->cpu).preempted_by(e)) s.host.resched(e.task->cpu);
}

}  // namespace wakelab::policy::o1
