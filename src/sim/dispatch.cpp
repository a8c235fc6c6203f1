// schedule(), the work segments of running tasks, and interrupts: when need_resched takes effect.
#include "base/check.hpp"
#include "sim/engine.hpp"

namespace wakelab::sim {

namespace {

std::int64_t take(std::int64_t& part, std::int64_t& elapsed) {
    const std::int64_t t = part < elapsed ? part : elapsed;
    part -= t;
    elapsed -= t;
    return t;
}

}  // namespace

// Time passed since the segment was last accounted is work done, in the order tail, user, head.
void Engine::account_segment(Cpu& cpu) {
    Segment& s = cpu.curr->segment;
    std::int64_t elapsed = (now() - cpu.segment_start).ns;
    cpu.segment_start = now();
    if (elapsed >= s.total()) {  // nearly always: the segment is done
        s.in_head |= elapsed > s.tail + s.user;
        s.tail = s.user = s.head = 0;
        return;
    }
    take(s.tail, elapsed);
    take(s.user, elapsed);
    if (elapsed > 0) s.in_head = true;
    take(s.head, elapsed);
}

// Where this kernel looks at need_resched: on return to user mode and within it; a preemptible kernel
// anywhere (cfs.md 8, o1.md 1.6).
bool Engine::resched_allowed(const Segment& s) const {
    if (options_.config.kernel.preempt == policy::PreemptModel::kFull) return true;
    return s.tail == 0 && !s.in_head;
}

void Engine::program_work_done(Cpu& cpu) {
    const Segment& s = cpu.curr->segment;
    std::int64_t delay = s.total();
    if (cpu.need_resched) {
        if (options_.config.kernel.preempt == policy::PreemptModel::kFull)
            delay = 0;
        else if (!s.in_head)
            delay = s.tail;
    }
    queue_.reschedule(cpu.work_done, now() + Duration{delay});
}

// The refill of a cold cache is paid when user code runs, not at the switch: a spurious wake-up stays in
// the kernel and touches little (lessons.md 3).
void Engine::start_segment(Cpu& cpu) {
    Task& t = *cpu.curr;
    if (t.segment.user > 0) t.segment.user += caches_.use(t.footprint, cpu.id);
    cpu.segment_start = now();
    program_work_done(cpu);
}

void Engine::on_work_done(Cpu& cpu) {
    account_segment(cpu);
    Task& t = *cpu.curr;
    this_cpu_ = cpu.id;
    in_interrupt_ = false;
    kernel_cost_ = 0;
    if (cpu.need_resched && resched_allowed(t.segment)) {
        count_preemption(cpu);
        run_schedule(cpu);
        return;
    }
    if (t.segment.total() > 0) {
        program_work_done(cpu);
        return;
    }
    t.effect(*this, t);
    if (cpu.curr == &t && !cpu.work_done.queued()) start_segment(cpu);
}

void Engine::count_preemption(const Cpu& cpu) {
    ++counters_.preemptions;
    if (cpu.cause == ReschedCause::kWakeup) ++counters_.preempt_wakeup;
    if (cpu.cause == ReschedCause::kTick) ++counters_.preempt_tick;
}

void Engine::finish_call(Task& task, std::int64_t after) {
    task.segment = {.tail = after + kernel_cost_};
    kernel_cost_ = 0;
    resume_program(task);
}

void Engine::continue_in_kernel(Task& task, std::int64_t cost, Effect effect) {
    task.segment = {.head = cost + kernel_cost_, .in_head = true};
    kernel_cost_ = 0;
    task.effect = effect;
}

void Engine::sleep_in_call(Task& task, policy::TaskState state, Effect retry, std::int64_t more) {
    task.state = state;
    task.retry = retry;
    task.retry_cost = costs().block + more;
    continue_in_kernel(task, costs().block, &Engine::leave_cpu);
}

void Engine::leave_cpu(Engine& engine, Task& task) {
    task.segment = {.head = task.retry_cost, .in_head = true};
    task.effect = task.retry;
    engine.give_up_cpu(task);
}

// The kernel hands a task on a forbidden CPU to the migration thread, which moves it to the first allowed
// one; here it goes to sleep, is re-homed and wakes there in the same instant.
void Engine::set_affinity(Task& task, const topo::CpuMask& mask) {
    const bool must_leave = sched_->set_allowed(task, mask);
    tell_affinity(task);
    if (!must_leave) {
        finish_call(task, 0);
        return;
    }
    continue_in_kernel(task, 0, [](Engine& e, Task& t) { e.finish_call(t, 0); });
    task.state = policy::TaskState::kUninterruptible;
    run_schedule(cpus_[task.cpu.v]);
    sched_->set_task_cpu(task, mask.first());
    wake(task, false);
}

// sched_migrate_task(): the task waits for the migration thread of its CPU, which re-homes and wakes it.
void Engine::exec(Task& task) {
    task.mm = task.id;
    const CpuId to = sched_->exec(task);
    if (to == task.cpu) {
        finish_call(task, costs().exec_call);
        return;
    }
    Cpu& cpu = cpus_[task.cpu.v];
    cpu.leaving = &task;
    cpu.leaving_to = to;
    wake(*migration_threads_[task.cpu.v], false);
    continue_in_kernel(task, 0, [](Engine& e, Task& t) { e.finish_call(t, e.costs().exec_call); });
    task.state = policy::TaskState::kUninterruptible;
    give_up_cpu(task);
}

void Engine::give_up_cpu(Task& task) {
    WK_CHECK(task.on_cpu);
    run_schedule(cpus_[task.cpu.v]);
}

void Engine::run_schedule(Cpu& cpu) {
    Task* prev = cpu.curr;
    this_cpu_ = cpu.id;
    in_interrupt_ = false;
    kernel_cost_ = 0;
    resched_cause_ = ReschedCause::kOther;
    const ReschedCause cause = cpu.cause;
    Task* next = static_cast<Task*>(policy::schedule(*sched_, cpu.id, prev));
    cpu.need_resched = false;
    cpu.cause = ReschedCause::kNone;
    if (prev != nullptr) queue_.cancel(cpu.work_done);
    if (next == prev) {
        if (next == nullptr) {
            idle_again(cpu);
            return;
        }
        Segment& s = next->segment;
        (s.in_head ? s.head : s.tail) += costs().switch_direct + kernel_cost_;
        start_segment(cpu);
        return;
    }
    auto state = trace::PrevState::kBlocked;
    if (prev != nullptr) {
        const std::int64_t ran = (now() - cpu.curr_since).ns;
        prev->stats.cpu_ns += ran;
        cpu.busy_ns += ran;
        prev->on_cpu = false;
        if (prev->state == policy::TaskState::kDead)
            state = trace::PrevState::kDead;
        else if (prev->state == policy::TaskState::kRunning)
            state = cause == ReschedCause::kWakeup ? trace::PrevState::kPreemptedByWakeup
                    : cause == ReschedCause::kTick ? trace::PrevState::kPreemptedByTick
                                                   : trace::PrevState::kPreemptedOther;
    }
    ++counters_.switches;
    const std::uint32_t out = prev != nullptr ? prev->id.v : trace::kNobody;
    const std::uint32_t in = next != nullptr ? next->id.v : trace::kNobody;
    mix_fingerprint(static_cast<std::uint64_t>(now().ns), in + (static_cast<std::uint64_t>(cpu.id.v) << 20));
    trace(trace::EventType::kSwitch, out, in, cpu.id, static_cast<std::uint32_t>(state), 0);
    cpu.curr = next;
    if (prev == nullptr) {
        ++runnable_cpus_;
        if (options_.config.kernel.no_hz) {
            sched_->nohz_idle_exit(cpu.id);
            restart_tick(cpu);
        }
    }
    cpu.curr_since = now();
    if (next == nullptr)
        go_idle(cpu);
    else
        switch_in(cpu, *next);
}

void Engine::switch_in(Cpu& cpu, Task& next) {
    std::int64_t cost = kernel_cost_ + costs().switch_direct;
    if (cpu.last_task == &next)
        cost = kernel_cost_ + costs().switch_idle;
    else if (cpu.last_task != nullptr)
        cost += costs().switch_refill;
    if (next.woken_far) cost += costs().wake_far_lines * costs().line_far;
    next.woken_far = false;
    next.woken_by = kNoCpu;
    cpu.last_task = &next;
    next.on_cpu = true;
    ++next.stats.switches;
    Segment& s = next.segment;
    (s.in_head ? s.head : s.tail) += cost;
    start_segment(cpu);
}

void Engine::go_idle(Cpu& cpu) {
    --runnable_cpus_;
    if (options_.config.kernel.no_hz) stop_tick(cpu);
}

// Kicked out of the idle loop and nothing to run: on the way back in, the CPU asks again whether its tick
// may stop. That is how a kicked CPU becomes the balancing owner, and how an owner resigns.
void Engine::idle_again(Cpu& cpu) {
    if (!options_.config.kernel.no_hz) return;
    sched_->nohz_idle_exit(cpu.id);
    restart_tick(cpu);
    stop_tick(cpu);
}

void Engine::stop_tick(Cpu& cpu) {
    if (!sched_->nohz_idle_enter(cpu.id)) {
        queue_.cancel(cpu.tick);
        cpu.tick_stopped = true;
    }
}

// The tick goes on in its old phase.
void Engine::restart_tick(Cpu& cpu) {
    if (!cpu.tick_stopped) return;
    cpu.tick_stopped = false;
    const std::int64_t since = (now() - (Time{} + cpu.tick_phase)).ns;
    const std::int64_t periods = since < 0 ? 0 : since / tick_.ns + 1;
    queue_.schedule(cpu.tick, Time{} + cpu.tick_phase + tick_ * periods);
}

void Engine::enter_interrupt(Cpu& cpu, std::int64_t cost) {
    this_cpu_ = cpu.id;
    in_interrupt_ = true;
    kernel_cost_ = cost;
    if (cpu.curr != nullptr) account_segment(cpu);
}

void Engine::leave_interrupt(Cpu& cpu) {
    in_interrupt_ = false;
    if (cpu.curr != nullptr) {
        Segment& s = cpu.curr->segment;
        (s.in_head ? s.head : s.tail) += kernel_cost_;
        program_work_done(cpu);
    } else if (cpu.need_resched && !cpu.ipi.queued()) {
        queue_.schedule(cpu.ipi, now() + Duration{costs().idle_wake + kernel_cost_});
    }
    kernel_cost_ = 0;
}

// A reschedule IPI: to an idle CPU it stands for the idle exit, too.
void Engine::on_ipi(Cpu& cpu) {
    if (cpu.curr == nullptr) {
        if (cpu.need_resched) run_schedule(cpu);
        return;
    }
    enter_interrupt(cpu, costs().irq);
    leave_interrupt(cpu);
}

void Engine::on_tick(Cpu& cpu) {
    queue_.schedule(cpu.tick, now() + tick_);
    enter_interrupt(cpu, costs().tick);
    resched_cause_ = ReschedCause::kTick;
    sched_->tick(cpu.id);
    if (cpu.curr == nullptr) check_stuck();
    leave_interrupt(cpu);
}

void Engine::on_slice_end(Cpu& cpu) {
    enter_interrupt(cpu, costs().irq);
    resched_cause_ = ReschedCause::kTick;
    sched_->hrtick(cpu.id);
    leave_interrupt(cpu);
}

void Engine::arm_timer(Task& task, Time when) {
    task.timer_cpu = task.cpu;
    ++armed_timers_;
    queue_.schedule(task.timer, when < now() ? now() : when);
}

void Engine::on_timer(Task& task) {
    --armed_timers_;
    Cpu& cpu = cpus_[task.timer_cpu.v];
    enter_interrupt(cpu, costs().irq);
    wake(task, false);
    leave_interrupt(cpu);
}

}  // namespace wakelab::sim
