#include "metrics/thread_states.hpp"

namespace wakelab::metrics {

using trace::EventType;
using trace::kNobody;
using trace::PrevState;
using trace::TraceRecord;

ThreadStates::ThreadStates(const trace::TraceInfo& info, IdleWatch& watch)
    : watch_(watch), threads_(info.task_names.size()), cpus_(info.cpus) {}

void ThreadStates::grow(std::uint32_t count) {
    if (threads_.size() < count) threads_.resize(count);
    watch_.grow(count);
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
        default:
            return {};
    }
}

void ThreadStates::enqueue(std::uint32_t task, std::uint32_t cpu, WaitCause cause) {
    threads_[task].state = ThreadState::kRunnable;
    threads_[task].cpu = cpu;
    ++cpus_[cpu].queued;
    watch_.wait_begin(task, cpu, cause);
}

void ThreadStates::dequeue(std::uint32_t task) {
    if (threads_[task].state != ThreadState::kRunnable) return;
    --cpus_[threads_[task].cpu].queued;
    watch_.wait_end(task, threads_[task].cpu);
    threads_[task].state = ThreadState::kUnknown;
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
    lane.seen = true;
    return step;
}

// The first switch of a CPU tells who ran there since the start; later it is a contradiction.
void ThreadStates::believe_current(const TraceRecord& record) {
    const CpuLane& lane = cpus_[record.cpu];
    if (lane.seen) ++anomalies_.wrong_current;
    if (lane.current != kNobody) {
        threads_[lane.current].state = ThreadState::kUnknown;
        threads_[lane.current].since_ns = record.ns;
    }
    if (record.task != kNobody) dequeue(record.task);
}

void ThreadStates::switch_out(const TraceRecord& record) {
    Thread& out = threads_[record.task];
    out.cpu = record.cpu;
    out.since_ns = record.ns;
    switch (static_cast<PrevState>(record.flags)) {
        case PrevState::kBlocked:
            out.state = ThreadState::kSleeping;
            return;
        case PrevState::kDead:
            out.state = ThreadState::kDead;
            return;
        case PrevState::kYielded:
            out.queued_by = QueuedBy::kYield;
            break;
        default:
            out.queued_by = QueuedBy::kPreemption;
            break;
    }
    enqueue(record.task, record.cpu, WaitCause::kPreempted);
}

void ThreadStates::switch_in(const TraceRecord& record, Step& step) {
    Thread& in = threads_[record.arg];
    if (in.state == ThreadState::kRunnable) {
        step.queued_since_ns = in.since_ns;
        step.queued_by = in.queued_by;
        if (in.cpu != record.cpu) ++anomalies_.missing_migration;
        dequeue(record.arg);
    } else if (in.state != ThreadState::kUnknown) {
        ++anomalies_.missing_wakeup;
    }
    in.state = ThreadState::kRunning;
    in.cpu = record.cpu;
    in.since_ns = record.ns;
}

Step ThreadStates::on_wakeup(const TraceRecord& record, QueuedBy by) {
    Thread& wakee = threads_[record.arg];
    Step step;
    if (wakee.state == ThreadState::kRunning || wakee.state == ThreadState::kRunnable) {
        ++anomalies_.woken_awake;
        step.accepted = false;
        return step;
    }
    step.misplaced = !watch_.is_idle(record.cpu) && watch_.idle_cpu_for(record.arg);
    wakee.queued_by = by;
    wakee.since_ns = record.ns;
    enqueue(record.arg, record.cpu, step.misplaced ? WaitCause::kPlacement : WaitCause::kAllBusy);
    return step;
}

Step ThreadStates::on_migrate(const TraceRecord& record) {
    Thread& moved = threads_[record.arg];
    if (moved.state != ThreadState::kRunnable) {
        // A sleeper whose affinity changed moves silently; a running task cannot.
        if (moved.state == ThreadState::kRunning) {
            ++anomalies_.migrated_running;
            return {.accepted = false};
        }
        moved.cpu = record.cpu;
        return {};
    }
    const WaitCause cause = watch_.cause_of(record.arg);
    dequeue(record.arg);
    enqueue(record.arg, record.cpu, cause);
    return {};
}

}  // namespace wakelab::metrics
