#include "metrics/slice_store.hpp"

#include <algorithm>
#include <utility>

namespace wakelab::metrics {

using trace::EventType;
using trace::kNobody;
using trace::TraceRecord;

namespace {

constexpr std::int64_t kFirstMergeNs = 1'000;

// One pass over a lane: neighbours melt together while the slices and the pause between them are
// shorter than `below_ns`.
void merge_lane(std::vector<Slice>& lane, std::int64_t below_ns) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < lane.size(); ++i) {
        const Slice s = lane[i];
        if (kept > 0) {
            Slice& last = lane[kept - 1];
            const std::int64_t pause = s.start_ns - (last.start_ns + last.span_ns);
            if (pause < below_ns && s.span_ns < below_ns && last.span_ns < below_ns) {
                if (s.busy_ns > last.busy_ns) last.task = s.task;
                last.span_ns = s.start_ns + s.span_ns - last.start_ns;
                last.busy_ns += s.busy_ns;
                last.merged += s.merged;
                continue;
            }
        }
        lane[kept++] = s;
    }
    lane.resize(kept);
}

}  // namespace

std::size_t Lanes::slices() const {
    std::size_t n = 0;
    for (const auto& lane : cpus) n += lane.size();
    return n;
}

void SliceStore::begin(const trace::TraceInfo& info) {
    lanes_ = {};
    cpus_.clear();
    tasks_.assign(std::min<std::size_t>(info.task_names.size(), kMaxTasks), {});
    kept_ = 0;
    last_ns_ = INT64_MIN;
    const bool bounded = info.end_ns > info.start_ns;
    from_ns_ = bounded ? info.start_ns : INT64_MIN;
    until_ns_ = bounded ? info.end_ns : INT64_MAX;
    add_cpus(info.cpus);
}

void SliceStore::add_cpus(std::uint32_t cpus) {
    const std::size_t count = std::min(cpus, kMaxCpus);
    if (count <= cpus_.size()) return;
    cpus_.resize(count);
    lanes_.cpus.resize(count);
}

SliceStore::Task* SliceStore::task_of(std::uint32_t task) {
    if (task >= kMaxTasks) return nullptr;  // kNobody, too
    if (task >= tasks_.size())
        tasks_.resize(std::max<std::size_t>(task + 1, tasks_.size() * 3 / 2));
    return &tasks_[task];
}

void SliceStore::consume(std::span<const TraceRecord> records) {
    for (const TraceRecord& record : records)
        if (record.cpu < cpus_.size() && record.ns <= until_ns_) add(record);
}

void SliceStore::add(const TraceRecord& record) {
    TraceRecord r = record;
    r.ns = std::max(r.ns, last_ns_);  // as RunAnalysis does: earlier is taken as simultaneous
    if (last_ns_ == INT64_MIN) lanes_.start_ns = std::max(r.ns, from_ns_);
    last_ns_ = r.ns;
    switch (r.type) {
        case EventType::kSwitch:
            return on_switch(r);
        case EventType::kWaking:
            if (Task* wakee = task_of(r.arg)) {
                wakee->waking = true;
                wakee->waker_cpu = r.cpu;
            }
            return;
        case EventType::kWakeup:
        case EventType::kWakeupNew:
            return on_wakeup(r);
        case EventType::kLost:
            return on_lost(r);
        default:
            return;
    }
}

void SliceStore::on_switch(const TraceRecord& r) {
    Cpu& cpu = cpus_[r.cpu];
    if (!cpu.seen) cpu.current = r.task;  // it ran since before the recording began
    close_slice(r.cpu, r.ns);
    if (Task* out = task_of(r.task)) out->cpu = kNobody;
    cpu = {.current = r.arg, .since_ns = r.ns, .seen = true};
    if (Task* in = task_of(r.arg)) {
        in->cpu = r.cpu;
        if (in->woken) close_arrow(r.arg, r.cpu, r.ns);
    }
}

void SliceStore::on_wakeup(const TraceRecord& r) {
    Task* wakee = task_of(r.arg);
    if (wakee == nullptr) return;
    const std::uint32_t waker_runs_on = r.task < tasks_.size() ? tasks_[r.task].cpu : kNobody;
    if (!wakee->waking)
        wakee->waker_cpu =
            waker_runs_on == kNobody ? r.cpu : static_cast<std::uint16_t>(waker_runs_on);
    wakee->waking = false;
    wakee->woken = true;
    wakee->waker = r.task;
    wakee->wake_ns = r.ns;
}

void SliceStore::on_lost(const TraceRecord& r) {
    Cpu& cpu = cpus_[r.cpu];
    const std::int64_t start = std::max(cpu.since_ns, lanes_.start_ns);
    if (lanes_.gaps.size() < limits_.gaps && r.ns > start)
        lanes_.gaps.push_back({r.cpu, start, r.ns - start});
    if (Task* lost = task_of(cpu.current)) lost->cpu = kNobody;
    cpu = {.current = kNobody, .since_ns = r.ns, .seen = true};
}

void SliceStore::close_slice(std::uint32_t cpu, std::int64_t end_ns) {
    const Cpu& c = cpus_[cpu];
    if (c.current == kNobody) return;
    const std::int64_t start = std::max(c.since_ns, lanes_.start_ns);
    if (end_ns <= start) return;
    const std::int64_t span = end_ns - start;
    lanes_.cpus[cpu].push_back(
        {.start_ns = start, .span_ns = span, .busy_ns = span, .task = c.current, .merged = 1});
    ++lanes_.slices_seen;
    if (++kept_ > limits_.slices) merge_slices();
}

void SliceStore::close_arrow(std::uint32_t task, std::uint16_t cpu, std::int64_t now_ns) {
    Task& t = tasks_[task];
    t.woken = false;
    if (t.wake_ns < lanes_.start_ns) return;
    ++lanes_.arrows_seen;
    const std::int64_t latency = now_ns - t.wake_ns;
    if (latency < lanes_.arrows_from_ns) return;
    lanes_.arrows.push_back({.wake_ns = t.wake_ns,
                             .latency_ns = latency,
                             .waker = t.waker,
                             .wakee = task,
                             .waker_cpu = t.waker_cpu,
                             .cpu = cpu});
    if (lanes_.arrows.size() > limits_.arrows) drop_arrows();
}

// Down to half of the limit, so that the cost per slice stays constant.
void SliceStore::merge_slices() {
    while (kept_ > limits_.slices / 2 && lanes_.merged_below_ns < INT64_MAX / 4) {
        lanes_.merged_below_ns = std::max(lanes_.merged_below_ns * 2, kFirstMergeNs);
        kept_ = 0;
        for (auto& lane : lanes_.cpus) {
            merge_lane(lane, lanes_.merged_below_ns);
            kept_ += lane.size();
        }
    }
}

void SliceStore::drop_arrows() {
    std::vector<WakeArrow>& arrows = lanes_.arrows;
    std::vector<std::int64_t> latencies(arrows.size());
    std::ranges::transform(arrows, latencies.begin(), &WakeArrow::latency_ns);
    const auto middle = latencies.begin() + static_cast<std::ptrdiff_t>(latencies.size() / 2);
    std::ranges::nth_element(latencies, middle);
    lanes_.arrows_from_ns = std::max(*middle, lanes_.arrows_from_ns) + 1;
    std::erase_if(arrows, [&](const WakeArrow& a) { return a.latency_ns < lanes_.arrows_from_ns; });
}

void SliceStore::finish(std::int64_t end_ns) {
    end_ns = std::min(std::max(end_ns, last_ns_), until_ns_);
    if (last_ns_ == INT64_MIN) lanes_.start_ns = std::max<std::int64_t>(from_ns_, 0);
    lanes_.end_ns = std::max(end_ns, lanes_.start_ns);
    for (std::uint32_t cpu = 0; cpu < cpus_.size(); ++cpu) close_slice(cpu, lanes_.end_ns);
    std::ranges::stable_sort(lanes_.arrows, {}, &WakeArrow::wake_ns);
}

Lanes SliceStore::take() {
    cpus_.clear();
    tasks_.clear();
    return std::move(lanes_);
}

}  // namespace wakelab::metrics
