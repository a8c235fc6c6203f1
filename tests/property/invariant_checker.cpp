#include "property/invariant_checker.hpp"

#include <fmt/format.h>

namespace wakelab::property {

using trace::EventType;
using trace::PrevState;
using trace::TraceRecord;

namespace {

constexpr std::size_t kMaxViolations = 10;

}  // namespace

void InvariantChecker::begin(const trace::TraceInfo& info) {
    info_ = info;
    cpus_.assign(info.cpus, {});
    tasks_.assign(info.task_names.size(), {});
    for (std::size_t t = 0; t < tasks_.size(); ++t) tasks_[t].allowed = info.allowed[t];
}

void InvariantChecker::consume(std::span<const TraceRecord> records) {
    for (const TraceRecord& r : records) {
        switch (r.type) {
            case EventType::kSwitch:
                on_switch(r);
                break;
            case EventType::kWakeup:
                on_queued(r);
                break;
            case EventType::kWakeupNew:
                view(r.arg).allowed = view(r.task).allowed;
                on_queued(r);
                break;
            case EventType::kMigrate:
                on_migrate(r);
                break;
            default:
                break;
        }
    }
}

void InvariantChecker::on_switch(const TraceRecord& r) {
    CpuView& cpu = cpus_[r.cpu];
    require(cpu.curr == r.task, r, "another task was running there");
    require(r.task != r.arg, r, "a switch changes nothing");
    (cpu.curr == trace::kNobody ? cpu.idle_ns : cpu.busy_ns) += r.ns - cpu.since;
    cpu.since = r.ns;
    cpu.curr = r.arg;
    if (r.task != trace::kNobody) switch_out(r);
    if (r.arg != trace::kNobody) switch_in(r);
}

void InvariantChecker::switch_out(const TraceRecord& r) {
    TaskView& prev = view(r.task);
    const auto state = static_cast<PrevState>(r.flags);
    prev.ran_ns += r.ns - prev.since;
    prev.since = r.ns;
    const bool sleeps = state == PrevState::kBlocked || state == PrevState::kDead;
    prev.where = sleeps ? Where::kSleeping : Where::kQueued;
}

void InvariantChecker::switch_in(const TraceRecord& r) {
    TaskView& next = view(r.arg);
    require(next.where != Where::kRunning, r, "the next task runs elsewhere");
    require(next.where != Where::kSleeping, r, "the next task sleeps");
    require(next.cpu == r.cpu, r, "the next task is queued on another CPU");
    require_allowed(r);
    note_wait(r.arg, r.ns - next.since);
    next.where = Where::kRunning;
    next.since = r.ns;
}

void InvariantChecker::on_queued(const TraceRecord& r) {
    TaskView& task = view(r.arg);
    require(task.where == Where::kSleeping, r, "a wake-up of a task that does not sleep");
    require_allowed(r);
    task.where = Where::kQueued;
    task.cpu = r.cpu;
    task.since = r.ns;
}

void InvariantChecker::on_migrate(const TraceRecord& r) {
    TaskView& task = view(r.arg);
    require(task.where == Where::kQueued, r, "only queued tasks are pulled");
    require(task.cpu == static_cast<std::uint32_t>(r.payload), r, "pulled from where it was not");
    require_allowed(r);
    task.cpu = r.cpu;
}

void InvariantChecker::finish(std::int64_t end_ns) {
    for (CpuView& cpu : cpus_) {
        (cpu.curr == trace::kNobody ? cpu.idle_ns : cpu.busy_ns) += end_ns - cpu.since;
        cpu.since = end_ns;
    }
    for (std::uint32_t t = 0; t < tasks_.size(); ++t) {
        if (tasks_[t].where == Where::kRunning) tasks_[t].ran_ns += end_ns - tasks_[t].since;
        if (tasks_[t].where == Where::kQueued) note_wait(t, end_ns - tasks_[t].since);
    }
}

void InvariantChecker::require_allowed(const TraceRecord& r) {
    require(view(r.arg).allowed.test(CpuId{r.cpu}), r, "its affinity forbids this CPU");
}

void InvariantChecker::note_wait(std::uint32_t task, std::int64_t wait_ns) {
    if (wait_ns <= longest_wait_ns_) return;
    longest_wait_ns_ = wait_ns;
    longest_waiter_ = task;
}

// Forked tasks appear during the run.
InvariantChecker::TaskView& InvariantChecker::view(std::uint32_t task) {
    if (task >= tasks_.size()) tasks_.resize(task + 1);
    return tasks_[task];
}

void InvariantChecker::require(bool holds, const TraceRecord& r, const char* what) {
    if (holds || violations_.size() == kMaxViolations) return;
    violations_.push_back(
        fmt::format("at {} ns, cpu{}, {} -> {}: {}", r.ns, r.cpu, name(r.task), name(r.arg), what));
}

std::string InvariantChecker::name(std::uint32_t task) const {
    if (task == trace::kNobody) return "idle";
    if (task < info_.task_names.size()) return info_.task_names[task];
    return fmt::format("task-{}", task);
}

}  // namespace wakelab::property
