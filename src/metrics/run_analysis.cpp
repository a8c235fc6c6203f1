#include "metrics/run_analysis.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace wakelab::metrics {

using trace::kNobody;
using trace::TraceRecord;

namespace {

bool lacks_subject(const TraceRecord& record) {
    using enum trace::EventType;
    const bool needs_wakee = record.type == kWaking || record.type == kWakeup ||
                             record.type == kWakeupNew || record.type == kMigrate;
    return needs_wakee && record.arg == kNobody;
}

}  // namespace

void RunAnalysis::begin(const trace::TraceInfo& info) {
    parts_ = std::make_unique<Parts>(info);
    tasks_ = static_cast<std::uint32_t>(info.task_names.size());
    end_ns_ = info.end_ns > info.start_ns ? info.end_ns : INT64_MAX;
    last_ns_ = INT64_MIN;
    summary_.cache_of = info.cache_of;
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
}

// False: the record names something that cannot exist. Makes room for tasks that nobody announced.
bool RunAnalysis::is_sound(const TraceRecord& record) {
    if (record.cpu >= parts_->states.cpus()) return false;
    if (record.type > trace::EventType::kSleepUntil || lacks_subject(record)) return false;
    for (const std::uint32_t task : {record.task, record.arg}) {
        if (task == kNobody || task < tasks_) continue;
        if (task >= kMaxTasks) return false;
        make_room(task + 1);
    }
    return true;
}

void RunAnalysis::add(const TraceRecord& record) {
    const Step step = parts_->states.apply(record);
    parts_->metrics.add(record, step);
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
    summary_.metrics = parts_->metrics.finish(end_ns, parts_->states, parts_->watch);
    summary_.graph = parts_->graph.finish();
    parts_.reset();
}

RunSummary RunAnalysis::take() {
    return std::move(summary_);
}

}  // namespace wakelab::metrics
