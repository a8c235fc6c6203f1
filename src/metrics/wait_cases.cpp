#include "metrics/wait_cases.hpp"

#include <algorithm>

namespace wakelab::metrics {

using trace::kNobody;

void WaitCases::add_cpus(std::uint32_t cpus) {
    const std::size_t before = lanes_.size();
    if (cpus <= before) return;
    lanes_.resize(cpus);
    for (std::size_t cpu = before; cpu < cpus; ++cpu) lanes_[cpu].slices.resize(kSlices);
}

void WaitCases::found(std::uint32_t task, std::int64_t ns) {
    if (ns <= 0) return;
    const auto known = std::ranges::find(found_, task, &RanInstead::task);
    if (known == found_.end())
        found_.push_back({task, ns});
    else
        known->ns += ns;
}

// Adds what ran on `cpu` in [from_ns, to_ns) to found_.
void WaitCases::look_back(WaitCase& c, std::uint32_t cpu, std::int64_t from_ns,
                          std::int64_t to_ns) {
    const Lane& lane = lanes_[cpu];
    std::int64_t until = to_ns;  // what is later has been looked at
    std::uint32_t task = lane.current;
    for (std::uint32_t back = 1; back <= kSlices && until > from_ns; ++back) {
        const Slice& earlier = lane.slices[(lane.next - back) % kSlices];
        if (earlier.until_ns == INT64_MIN) break;
        const std::int64_t begin = std::max(earlier.until_ns, from_ns);
        found(task, until - begin);
        until = std::min(until, begin);
        task = earlier.task;
    }
    c.not_kept_ns += std::max<std::int64_t>(0, until - from_ns);
}

std::int64_t WaitCases::idle_between(std::uint32_t cpu, std::int64_t from_ns, std::int64_t to_ns,
                                     const IdleWatch& watch) const {
    const Lane& lane = lanes_[cpu];
    std::int64_t idle = 0;
    std::int64_t until = to_ns;
    bool was_idle = lane.current == kNobody && watch.is_idle(cpu);
    for (std::uint32_t back = 1; back <= kSlices && until > from_ns; ++back) {
        const Slice& earlier = lane.slices[(lane.next - back) % kSlices];
        if (earlier.until_ns == INT64_MIN) break;
        const std::int64_t begin = std::max(earlier.until_ns, from_ns);
        if (was_idle) idle += std::max<std::int64_t>(0, until - begin);
        until = std::min(until, begin);
        was_idle = earlier.task == kNobody;
    }
    return idle;
}

void WaitCases::keep(Worst& worst, const trace::TraceRecord& record, const Step& step,
                     const IdleWatch& watch) {
    WaitCase c{.task = record.arg,
               .why = step.queued_by,
               .from_ns = step.queued_since_ns,
               .wait_ns = record.ns - step.queued_since_ns,
               .cpu = step.first_cpu,
               .ran_cpu = record.cpu,
               .waker = step.waker};
    found_.clear();
    if (step.first_cpu == record.cpu || step.moved_ns <= step.queued_since_ns) {
        look_back(c, record.cpu, step.queued_since_ns, record.ns);
    } else {
        look_back(c, step.first_cpu, step.queued_since_ns, step.moved_ns);
        look_back(c, record.cpu, step.moved_ns, record.ns);
    }
    std::ranges::stable_sort(found_, std::greater{}, &RanInstead::ns);
    std::copy_n(found_.begin(), std::min(found_.size(), WaitCase::kNamed), c.instead.begin());
    for (std::uint32_t cpu = 0; cpu < lanes_.size(); ++cpu) {
        if (cpu == step.first_cpu || !watch.allows(record.arg, cpu)) continue;
        // The CPU where it ran may have idled before it was moved there.
        const std::int64_t to_ns = cpu == record.cpu ? step.moved_ns : record.ns;
        const std::int64_t idle = idle_between(cpu, step.queued_since_ns, to_ns, watch);
        if (idle <= c.idle_ns) continue;
        c.idle_ns = idle;
        c.idle_cpu = cpu;
    }
    if (worst.cases.size() == kKept) {
        const auto shortest = std::ranges::min_element(worst.cases, {}, &WaitCase::wait_ns);
        *shortest = c;
    } else {
        worst.cases.push_back(c);
    }
    if (worst.cases.size() == kKept)
        worst.threshold_ns = std::ranges::min_element(worst.cases, {}, &WaitCase::wait_ns)->wait_ns;
}

std::vector<WaitCase> WaitCases::sorted(const Worst& worst) {
    std::vector<WaitCase> cases = worst.cases;
    std::ranges::sort(cases, [](const WaitCase& a, const WaitCase& b) {
        return a.wait_ns != b.wait_ns ? a.wait_ns > b.wait_ns
               : a.from_ns != b.from_ns ? a.from_ns < b.from_ns
                                        : a.task < b.task;
    });
    return cases;
}

}  // namespace wakelab::metrics
