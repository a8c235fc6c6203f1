#include "metrics/thread_states.hpp"

#include <algorithm>

namespace wakelab::metrics {

using trace::EventType;
using trace::kNobody;
using trace::PrevState;
using trace::TraceRecord;

namespace {

SleepKind kind_of(PrevState state) {
    if (state == PrevState::kUninterruptible) return SleepKind::kUninterruptible;
    return state == PrevState::kStopped ? SleepKind::kStopped : SleepKind::kInterruptible;
}

}  // namespace

ThreadStates::ThreadStates(const trace::TraceInfo& info, IdleWatch& watch)
    : watch_(watch),
      threads_(info.task_names.size()),
      cpus_(info.cpus),
      recorded_(info.recorded) {}

void ThreadStates::grow(std::uint32_t count) {
    if (threads_.size() < count) threads_.resize(count);
    watch_.grow(count);
}

void ThreadStates::add_cpus(std::uint32_t cpus) {
    if (cpus_.size() < cpus) cpus_.resize(cpus);
    watch_.add_cpus(cpus);
}

void ThreadStates::set_allowed(std::uint32_t task, const topo::CpuMask& allowed,
                               bool kernel_thread) {
    const Thread& t = now(task);
    const bool waits = t.state == ThreadState::kRunnable;
    if (waits) watch_.wait_end(task, t.cpu);
    watch_.set_allowed(task, allowed, kernel_thread);
    if (waits) watch_.wait_begin(task, t.cpu, watch_.cause_of(task));
}

Step ThreadStates::apply(const TraceRecord& record) {
    watch_.advance(record.ns);
    switch (record.type) {
        case EventType::kSwitch:
            return on_switch(record);
        case EventType::kWakeup:
            return on_wakeup(record, QueuedBy::kWakeup);
        case EventType::kWakeupNew:
            return on_wakeup(record, QueuedBy::kFork);
        case EventType::kMigrate:
            return on_migrate(record);
        case EventType::kLost:
            return on_lost(record);
        case EventType::kBlockedReason: {
            Thread& t = now(record.arg);
            if (t.state == ThreadState::kSleeping && (record.flags & 1) != 0)
                t.sleep = SleepKind::kIo;
            return {};
        }
        case EventType::kWaking:
        case EventType::kIrqEntry:
        case EventType::kIrqExit:
        case EventType::kSoftirqEntry:
        case EventType::kSoftirqExit:
        case EventType::kIpi:
        case EventType::kSyscallEnter:
        case EventType::kSyscallExit:
            hear(record);
            return {};
        case EventType::kCpuIdle: {
            // Told by the idle task; record.task may be who runs on another CPU.
            TraceRecord idle = record;
            idle.task = kNobody;
            hear(idle);
            return {};
        }
        default:
            return {};
    }
}

// A task that ran or waited on a CPU before that lost events may be anywhere now.
void ThreadStates::forget_lost(Thread& t) const {
    if (t.state != ThreadState::kRunning && t.state != ThreadState::kRunnable) return;
    if (t.epoch < cpus_[t.cpu].lost_epoch) t.state = ThreadState::kUnknown;
}

void ThreadStates::enqueue(std::uint32_t task, std::uint32_t cpu, WaitCause cause) {
    Thread& t = threads_[task];
    t.state = ThreadState::kRunnable;
    t.cpu = cpu;
    ++cpus_[cpu].queued;
    watch_.wait_begin(task, cpu, cause);
}

void ThreadStates::dequeue(std::uint32_t task) {
    Thread& t = now(task);
    if (t.state != ThreadState::kRunnable) return;
    --cpus_[t.cpu].queued;
    watch_.wait_end(task, t.cpu);
    t.state = ThreadState::kUnknown;
}

Step ThreadStates::on_switch(const TraceRecord& record) {
    if (record.task == record.arg) return {.accepted = false};  // picked again: no switch
    CpuLane& lane = cpus_[record.cpu];
    Step step;
    step.cpu_since_ns = lane.since_ns;
    if (lane.current != record.task) believe_current(record);
    if (record.task != kNobody) switch_out(record);
    if (record.arg != kNobody) switch_in(record, step);
    watch_.set_running(record.cpu, record.arg != kNobody);
    lane.current = record.arg;
    lane.since_ns = record.ns;
    lane.heard_ns = record.ns;
    lane.seen = true;
    return step;
}

// The first switch of a CPU tells who ran there since the start, or since its events were lost; later
// it is a contradiction.
void ThreadStates::believe_current(const TraceRecord& record) {
    const CpuLane& lane = cpus_[record.cpu];
    if (lane.seen) ++anomalies_.wrong_current;
    if (lane.current != kNobody) {
        threads_[lane.current].state = ThreadState::kUnknown;
        threads_[lane.current].since_ns = record.ns;
    }
    if (record.task != kNobody) dequeue(record.task);
}

// Not a switch, but it tells who runs there: since the start, or since its events were lost.
void ThreadStates::learn_current(const TraceRecord& record) {
    CpuLane& lane = cpus_[record.cpu];
    lane.seen = true;
    lane.current = record.task;
    watch_.set_running(record.cpu, record.task != kNobody);
    if (record.task == kNobody) return;
    dequeue(record.task);
    Thread& t = threads_[record.task];
    t.state = ThreadState::kRunning;
    t.cpu = record.cpu;
    t.since_ns = lane.since_ns;
    t.epoch = epoch_;
}

void ThreadStates::switch_out(const TraceRecord& record) {
    Thread& out = threads_[record.task];
    out.cpu = record.cpu;
    out.since_ns = record.ns;
    out.epoch = epoch_;
    const auto how = static_cast<PrevState>(record.flags);
    if (trace::is_blocked(how)) {
        out.state = ThreadState::kSleeping;
        out.sleep = kind_of(how);
        return;
    }
    if (how == PrevState::kDead) {
        out.state = ThreadState::kDead;
        return;
    }
    out.queued_by = how == PrevState::kYielded ? QueuedBy::kYield : QueuedBy::kPreemption;
    out.first_cpu = record.cpu;
    out.moved_ns = record.ns;
    enqueue(record.task, record.cpu, WaitCause::kPreempted);
}

void ThreadStates::switch_in(const TraceRecord& record, Step& step) {
    Thread& in = now(record.arg);
    const bool same_epoch = in.epoch == epoch_;
    if (in.state == ThreadState::kRunnable) {
        if (same_epoch) step.queued_since_ns = in.since_ns;
        step.spans_gap = !same_epoch;
        step.queued_by = in.queued_by;
        step.moved_ns = in.moved_ns;
        step.first_cpu = in.first_cpu;
        step.waker = in.waker;
        if (in.cpu != record.cpu) ++anomalies_.missing_migration;
        dequeue(record.arg);
    } else if (in.state != ThreadState::kUnknown) {
        if (same_epoch) ++anomalies_.missing_wakeup;
        step.spans_gap = !same_epoch;
    } else {
        step.spans_gap = !same_epoch && in.cpu != kNobody;
    }
    // A mask that a recording told once may have been changed since, and a guess may be wrong.
    if (watch_.is_restricted(record.arg) && !watch_.allows(record.arg, record.cpu)) {
        step.left_affinity = true;
        if (recorded_) watch_.set_allowed(record.arg, {}, false);
    }
    in.state = ThreadState::kRunning;
    in.cpu = record.cpu;
    in.since_ns = record.ns;
    in.epoch = epoch_;
}

Step ThreadStates::on_wakeup(const TraceRecord& record, QueuedBy by) {
    Thread& wakee = now(record.arg);
    Step step;
    const bool same_epoch = wakee.epoch == epoch_;
    if (wakee.state == ThreadState::kRunnable && !same_epoch) dequeue(record.arg);
    if (wakee.state == ThreadState::kRunning || wakee.state == ThreadState::kRunnable) {
        if (same_epoch) ++anomalies_.woken_awake;
        step.accepted = false;
        return step;
    }
    if (wakee.state == ThreadState::kSleeping) {
        if (same_epoch) step.slept_since_ns = wakee.since_ns;
        step.spans_gap = !same_epoch;
        step.slept_as = wakee.sleep;
    }
    step.onto_idle = watch_.is_idle(record.cpu);
    step.misplaced = !step.onto_idle && watch_.idle_cpu_for(record.arg) &&
                     is_known(record.cpu);
    wakee.queued_by = by;
    wakee.since_ns = record.ns;
    wakee.epoch = epoch_;
    wakee.waker = (record.flags & trace::kWakeInInterrupt) != 0 ? kNobody : record.task;
    wakee.first_cpu = record.cpu;
    wakee.moved_ns = record.ns;
    enqueue(record.arg, record.cpu, step.misplaced ? WaitCause::kPlacement : WaitCause::kAllBusy);
    return step;
}

Step ThreadStates::on_migrate(const TraceRecord& record) {
    Thread& moved = now(record.arg);
    if (moved.state != ThreadState::kRunnable) {
        // A sleeper whose affinity changed moves silently; a running task cannot.
        if (moved.state == ThreadState::kRunning) {
            if (moved.epoch == epoch_) ++anomalies_.migrated_running;
            return {.accepted = false};
        }
        moved.cpu = record.cpu;
        return {};
    }
    const WaitCause cause = watch_.cause_of(record.arg);
    dequeue(record.arg);
    moved.moved_ns = record.ns;
    enqueue(record.arg, record.cpu, cause);
    return {};
}

Step ThreadStates::on_lost(const TraceRecord& record) {
    CpuLane& lane = cpus_[record.cpu];
    Step step;
    step.cpu_since_ns = lane.since_ns;
    if (lane.seen) {
        step.lost_current = lane.current;
        step.known_until_ns = std::max(lane.since_ns, lane.heard_ns);
    }
    watch_.set_unknown(record.cpu);
    lane = {.current = kNobody,
            .queued = 0,
            .since_ns = record.ns,
            .heard_ns = record.ns,
            .lost_epoch = ++epoch_,
            .seen = false};
    return step;
}

}  // namespace wakelab::metrics
