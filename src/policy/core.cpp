#include "policy/core.hpp"

#include "base/check.hpp"

namespace wakelab::policy {

WakeResult try_to_wake_up(SchedClass& sched, SchedTask& p, const WakeContext& ctx) {
    WK_CHECK(p.state == TaskState::kInterruptible || p.state == TaskState::kUninterruptible);
    WakeResult r{.cpu = p.cpu, .prev = p.cpu};
    if (p.on_rq) {
        p.state = TaskState::kRunning;
        sched.wake_queued(p, ctx);
    } else {
        r.cpu = sched.select_task_rq(p, ctx, r.rule);
        if (!p.allowed.test(r.cpu)) {
            r.allowed = false;
            return r;
        }
        if (r.cpu != p.cpu) sched.set_task_cpu(p, r.cpu);
        sched.activate(p, ctx);
        sched.check_preempt(p, ctx);
        p.state = TaskState::kRunning;
        r.activated = true;
    }
    sched.wake_done(p, ctx, r.activated);
    return r;
}

SchedTask* schedule(SchedClass& sched, CpuId cpu, SchedTask* prev) {
    sched.schedule_begin(cpu, prev);
    if (prev != nullptr && prev->state != TaskState::kRunning) sched.deactivate(*prev);
    if (sched.nr_running(cpu) == 0) sched.idle_balance(cpu);
    return sched.pick_next(cpu, prev);
}

}  // namespace wakelab::policy
