// Wake-ups, and what the scheduler asks of its host.
#include <fmt/format.h>

#include "base/check.hpp"
#include "sim/engine.hpp"

namespace wakelab::sim {

// In select() the task is TASK_INTERRUPTIBLE from the start of a scan; before that (tail, user code) a
// wake-up finds nobody on the wait queue.
bool Engine::scanning(const Task& p) const {
    if (!p.polling || p.woken_early || !p.on_cpu) return false;
    const std::int64_t elapsed = (now() - cpus_[p.cpu.v].segment_start).ns;
    return p.segment.in_head || elapsed >= p.segment.tail + p.segment.user;
}

void Engine::wake(Task& p, bool sync) {
    if (p.state == policy::TaskState::kRunning) {
        if (!scanning(p)) return;
        p.woken_early = true;
        p.state = policy::TaskState::kInterruptible;
    }
    if (p.state == policy::TaskState::kDead) return;
    Task* waker = cpus_[this_cpu_.v].curr;
    const policy::WakeContext ctx{
        .this_cpu = this_cpu_, .waker = waker, .sync = sync, .in_interrupt = in_interrupt_};
    const std::uint32_t waker_id = waker != nullptr ? waker->id.v : trace::kNobody;
    const std::uint32_t flags = (sync ? trace::kWakeSync : 0u) |
                                (in_interrupt_ ? trace::kWakeInInterrupt : 0u);
    trace(trace::EventType::kWaking, waker_id, p.id.v, this_cpu_, flags, 0);
    const ReschedCause outer = resched_cause_;
    resched_cause_ = ReschedCause::kWakeup;
    const policy::WakeResult r = policy::try_to_wake_up(*sched_, p, ctx);
    resched_cause_ = outer;
    if (!r.allowed) {
        fail(ExitKind::kForbiddenCpu,
             fmt::format("at t = {} ns scheduler {} placed task {} on CPU {}, which its affinity "
                         "forbids",
                         now().ns, options_.scheduler->name, p.name, r.cpu.v));
        return;
    }
    charge_wakeup(p, r.cpu);
    const std::int64_t payload =
        (static_cast<std::int64_t>(r.prev.v) << 32) | static_cast<std::int64_t>(r.rule);
    if (!r.activated) {
        ++counters_.early_wakeups;
        trace(trace::EventType::kWakeupEarly, waker_id, p.id.v, r.cpu, flags, payload);
        return;
    }
    ++counters_.wakeups;
    ++p.stats.wakeups;
    if (r.cpu != r.prev) {
        ++counters_.migrations;
        ++counters_.wake_migrations;
        ++p.stats.migrations;
    }
    mix_fingerprint(static_cast<std::uint64_t>(now().ns) + p.id.v, r.cpu.v + 0x100);
    trace(trace::EventType::kWakeup, waker_id, p.id.v, r.cpu, flags, payload);
}

// The waker pays for the wake-up, and for the lines of the wakee's task and queue when those are in
// another cache; the wakee fetches them back when it is switched in.
void Engine::charge_wakeup(Task& p, CpuId target) {
    kernel_cost_ += costs().wake;
    p.woken_by = this_cpu_;
    if (target == this_cpu_) return;
    if (!options_.config.kernel.one_runqueue) kernel_cost_ += costs().wake_remote;
    if (machine_.same_cache(target, this_cpu_)) return;
    kernel_cost_ += costs().wake_far_lines * costs().line_far;
    p.woken_far = true;
}

void Engine::resched(CpuId id) {
    Cpu& cpu = cpus_[id.v];
    if (cpu.need_resched) return;
    cpu.need_resched = true;
    cpu.cause = resched_cause_;
    const std::uint32_t running = cpu.curr != nullptr ? cpu.curr->id.v : trace::kNobody;
    trace(trace::EventType::kResched, running, trace::kNobody, id, 0, 0);
    if (id == this_cpu_ || cpu.ipi.queued()) return;
    queue_.schedule(cpu.ipi,
                    now() + Duration{cpu.curr == nullptr ? costs().idle_wake : costs().ipi});
}

void Engine::arm_hrtick(CpuId cpu, Duration delay) {
    kernel_cost_ += costs().hrtimer_program;
    queue_.reschedule(cpus_[cpu.v].slice_end, now() + delay);
}

void Engine::kick_active_balance(CpuId busiest) { wake(*migration_threads_[busiest.v], false); }

void Engine::note_migration(const policy::SchedTask& p, CpuId from, CpuId to) {
    kernel_cost_ += costs().pull;
    count_migration(p, from, to);
}

// The lines of its task come from the cache of whoever touched them last.
void Engine::note_taken(const policy::SchedTask& p, CpuId from, CpuId to) {
    Task& t = tasks_[p.id.v];
    t.woken_far = !machine_.same_cache(to, t.woken_by.valid() ? t.woken_by : from);
    count_migration(p, from, to);
}

void Engine::count_migration(const policy::SchedTask& p, CpuId from, CpuId to) {
    ++counters_.migrations;
    ++tasks_[p.id.v].stats.migrations;
    mix_fingerprint(static_cast<std::uint64_t>(now().ns) + p.id.v, to.v + 0x200);
    trace(trace::EventType::kMigrate, trace::kNobody, p.id.v, to, 0, from.v);
}

void Engine::send_ipi(CpuId id) {
    Cpu& cpu = cpus_[id.v];
    if (!cpu.ipi.queued()) queue_.schedule(cpu.ipi, now() + Duration{costs().ipi});
}

}  // namespace wakelab::sim
