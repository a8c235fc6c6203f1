#include "metrics/timeline_window.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace wakelab::metrics {

using trace::EventType;
using trace::kNobody;
using trace::TraceRecord;

namespace {

bool needs_arg(EventType type) {
    return type == EventType::kWaking || type == EventType::kWakeup ||
           type == EventType::kWakeupNew || type == EventType::kMigrate ||
           type == EventType::kBlockedReason;
}

}  // namespace

void TimelineWindow::begin(const trace::TraceInfo& info) {
    watch_.emplace(info);
    states_.emplace(info, *watch_);
    timeline_ = {.from_ns = info.start_ns, .to_ns = info.start_ns, .cut = false,
                 .lanes = {}, .task_names = info.task_names};
    if (info.end_ns > info.start_ns) end_ns_ = info.end_ns;
    open_.clear();
    open_.resize(info.cpus, {.since_ns = info.start_ns, .known = !info.recorded});
    timeline_.lanes.resize(info.cpus);
}

void TimelineWindow::add_cpus(std::uint32_t cpus) {
    states_->add_cpus(cpus);
    if (cpus <= open_.size()) return;
    open_.resize(cpus, {.since_ns = timeline_.from_ns});
    timeline_.lanes.resize(cpus);
}

void TimelineWindow::add_task(std::uint32_t task, std::string_view name) {
    if (timeline_.task_names.size() <= task) timeline_.task_names.resize(task + 1);
    timeline_.task_names[task] = name;
    states_->grow(task + 1);
}

void TimelineWindow::close(std::uint32_t cpu, std::int64_t ns) {
    Open& open = open_[cpu];
    const std::int64_t to_ns = std::min(ns, end_ns_);
    if (to_ns > open.since_ns) {
        timeline_.lanes[cpu].push_back(
            {open.since_ns, to_ns, open.task, open.queued, open.known});
        ++slices_;
    }
    open.since_ns = std::max(ns, timeline_.from_ns);
}

// The CPU may do something else, or have another queue, from ns on.
void TimelineWindow::note(std::uint32_t cpu, std::int64_t ns) {
    const CpuLane& lane = states_->cpu(cpu);
    const Open after{std::max(ns, timeline_.from_ns), lane.current, lane.queued,
                     states_->is_known(cpu)};
    Open& open = open_[cpu];
    if (open.task == after.task && open.queued == after.queued && open.known == after.known) return;
    close(cpu, ns);
    open = after;
}

void TimelineWindow::consume(std::span<const TraceRecord> records) {
    WK_CHECK(states_.has_value());
    for (const TraceRecord& record : records) {
        if (record.ns > end_ns_ || record.cpu >= open_.size()) continue;
        if (slices_ >= max_slices_) {
            if (!timeline_.cut) end_ns_ = record.ns;
            timeline_.cut = true;
            continue;
        }
        if (record.type > EventType::kLost || (needs_arg(record.type) && record.arg == kNobody))
            continue;
        std::uint32_t room = 0;
        for (const std::uint32_t task : {record.task, record.arg})
            if (task != kNobody) room = std::max(room, task + 1);
        if (room > (1u << 22)) continue;
        states_->grow(room);
        // Before its first switch a CPU ran what that switch takes away.
        if (record.type == EventType::kSwitch && !open_[record.cpu].known) {
            open_[record.cpu].known = true;
            open_[record.cpu].task = record.task;
        }
        const bool was_known = states_->is_known(record.cpu);
        states_->apply(record);
        if (!was_known && record.type != EventType::kLost) {
            open_[record.cpu].known = states_->is_known(record.cpu);
            if (record.type != EventType::kSwitch)
                open_[record.cpu].task = states_->cpu(record.cpu).current;
        }
        note(record.cpu, record.ns);
        if (record.type == EventType::kMigrate &&
            static_cast<std::uint64_t>(record.payload) < open_.size())
            note(static_cast<std::uint32_t>(record.payload), record.ns);
    }
}

void TimelineWindow::finish(std::int64_t end_ns) {
    end_ns = std::min(end_ns, end_ns_);
    for (std::uint32_t cpu = 0; cpu < open_.size(); ++cpu) close(cpu, end_ns);
    timeline_.to_ns = std::max(end_ns, timeline_.from_ns);
}

}  // namespace wakelab::metrics
