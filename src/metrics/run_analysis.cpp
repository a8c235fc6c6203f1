#include "metrics/run_analysis.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "metrics/kernel_threads.hpp"

namespace wakelab::metrics {

using trace::kNobody;
using trace::TraceRecord;

namespace {

bool lacks_subject(const TraceRecord& record) {
    using enum trace::EventType;
    const bool needs_wakee = record.type == kWaking || record.type == kWakeup ||
                             record.type == kWakeupNew || record.type == kMigrate ||
                             record.type == kBlockedReason;
    return needs_wakee && record.arg == kNobody;
}

}  // namespace

void RunAnalysis::begin(const trace::TraceInfo& info) {
    parts_ = std::make_unique<Parts>(info);
    tasks_ = static_cast<std::uint32_t>(info.task_names.size());
    end_ns_ = info.end_ns > info.start_ns ? info.end_ns : INT64_MAX;
    last_ns_ = INT64_MIN;
    recorded_ = info.recorded;
    told_.assign(info.allowed.size(), true);
    for (std::uint32_t task = 0; task < tasks_; ++task) guess_affinity(task, info.task_names[task]);
}

void RunAnalysis::add_cpus(std::uint32_t cpus) {
    WK_CHECK(parts_ != nullptr && cpus <= topo::kMaxCpus);
    parts_->topology.add_cpus(cpus);
    parts_->states.add_cpus(cpus);
    parts_->metrics.add_cpus(cpus);
    parts_->graph.add_cpus(cpus);
}

void RunAnalysis::make_room(std::uint32_t tasks) {
    if (tasks <= tasks_) return;
    tasks_ = std::max(tasks, tasks_ + tasks_ / 2);
    parts_->states.grow(tasks_);
    parts_->metrics.grow(tasks_);
    parts_->graph.grow(tasks_);
}

void RunAnalysis::add_task(std::uint32_t task, std::string_view name) {
    WK_CHECK(parts_ != nullptr && task < kMaxTasks);
    make_room(task + 1);
    parts_->metrics.add_task(task, name);
    guess_affinity(task, name);
}

void RunAnalysis::rename_task(std::uint32_t task, std::string_view name) {
    WK_CHECK(parts_ != nullptr && task < kMaxTasks);
    make_room(task + 1);
    parts_->metrics.rename_task(task, name);
    guess_affinity(task, name);
}

void RunAnalysis::describe_task(std::uint32_t task, const trace::TaskFacts& facts) {
    WK_CHECK(parts_ != nullptr && task < kMaxTasks);
    make_room(task + 1);
    TaskNotes& notes = parts_->metrics.notes(task);
    if (facts.pid >= 0) notes.pid = facts.pid;
    if (facts.tgid >= 0) notes.tgid = facts.tgid;
    if (!facts.allowed) return;
    if (told_.size() <= task) told_.resize(task + 1);
    told_[task] = true;
    notes.guessed = false;
    parts_->states.set_allowed(task, *facts.allowed, notes.bound_kernel_thread);
}

// A task that is called like a per-CPU kernel thread is one until it is seen elsewhere or its mask told.
void RunAnalysis::guess_affinity(std::uint32_t task, std::string_view name) {
    if (!recorded_) return;
    TaskNotes& notes = parts_->metrics.notes(task);
    const std::optional<std::uint32_t> cpu = cpu_in_name(name);
    notes.bound_kernel_thread = cpu && *cpu < parts_->states.cpus();
    if (task < told_.size() && told_[task]) return;
    if (!notes.bound_kernel_thread && !notes.guessed) return;
    notes.guessed = notes.bound_kernel_thread;
    topo::CpuMask mask;
    if (notes.guessed) mask.set(CpuId{*cpu});
    parts_->states.set_allowed(task, mask, true);
}

// False: the record names something that cannot exist. Makes room for tasks that nobody announced.
bool RunAnalysis::is_sound(const TraceRecord& record) {
    if (record.cpu >= parts_->states.cpus()) return false;
    if (record.type > trace::EventType::kLost || lacks_subject(record)) return false;
    for (const std::uint32_t task : {record.task, record.arg}) {
        if (task == kNobody || task < tasks_) continue;
        if (task >= kMaxTasks) return false;
        make_room(task + 1);
    }
    return true;
}

void RunAnalysis::add(const TraceRecord& record) {
    const Step step = parts_->states.apply(record);
    parts_->metrics.add(record, step, parts_->states, parts_->watch);
    parts_->graph.add(record, step, parts_->states, parts_->watch);
}

void RunAnalysis::consume(std::span<const TraceRecord> records) {
    WK_CHECK(parts_ != nullptr);
    Anomalies& anomalies = parts_->states.anomalies();
    for (const TraceRecord& record : records) {
        if (record.ns > end_ns_) continue;
        if (!is_sound(record)) {
            ++anomalies.bad_record;
            continue;
        }
        if (record.ns >= last_ns_) {
            last_ns_ = record.ns;
            add(record);
            continue;
        }
        ++anomalies.time_backwards;
        TraceRecord later = record;
        later.ns = last_ns_;
        add(later);
    }
}

void RunAnalysis::finish(std::int64_t end_ns) {
    WK_CHECK(parts_ != nullptr);
    end_ns = std::clamp(end_ns, last_ns_, end_ns_);
    parts_->watch.advance(end_ns);
    parts_->watch.finish();
    summary_.metrics = parts_->metrics.finish(end_ns, parts_->states, parts_->watch);
    summary_.graph = parts_->graph.finish();
    summary_.cache_of = parts_->topology.cache_of();
    summary_.core_of = parts_->topology.core_of();
    parts_.reset();
}

RunSummary RunAnalysis::take() {
    return std::move(summary_);
}

}  // namespace wakelab::metrics
