// When and where: the worst waits of the run that show what a finding says.
#include <fmt/format.h>

#include <algorithm>

#include "diag/rules.hpp"
#include "diag/words.hpp"

namespace wakelab::diag {

namespace {

using metrics::RunMetrics;
using metrics::WaitCase;
using trace::kNobody;

constexpr std::size_t kCases = 3;

std::string wait_words(const RunMetrics& m, const WaitCase& w) {
    const auto duration = [](std::int64_t ns) { return duration_words(static_cast<double>(ns)); };
    std::string text = fmt::format("{} waited {} on CPU {}", m.task_name(w.task),
                                   duration(w.wait_ns), w.cpu);
    if (w.ran_cpu != w.cpu) text += fmt::format(" and then CPU {}", w.ran_cpu);
    if (w.why == metrics::QueuedBy::kPreemption)
        text += " to go on";
    else if (w.waker != kNobody)
        text += fmt::format(", woken by {}", m.task_name(w.waker));
    const metrics::RanInstead& first = w.instead[0];
    if (first.ns > 0 && first.task != kNobody && first.task != metrics::WaitCases::kNotKnown)
        text += fmt::format("; {} ran there for {}", m.task_name(first.task), duration(first.ns));
    if (w.idle_cpu != kNobody)
        text += fmt::format("; CPU {} idled for {} meanwhile", w.idle_cpu, duration(w.idle_ns));
    return text;
}

bool is_in(const std::vector<std::uint32_t>& groups, std::size_t from, std::uint32_t group) {
    return std::find(groups.begin() + static_cast<std::ptrdiff_t>(std::min(from, groups.size())),
                     groups.end(), group) != groups.end();
}

bool shows(const Finding& f, const RunMetrics& m, const WaitCase& w) {
    const std::uint32_t group = m.groups.group_of(w.task);
    const bool woken = w.why == metrics::QueuedBy::kWakeup;
    const std::uint32_t culprit = f.groups.empty() ? ~0u : f.groups[0];
    const auto held_by = [&](std::uint32_t g) {
        const std::uint32_t ran = w.instead[0].task;
        return w.instead[0].ns > 0 && ran < m.tasks.size() && m.groups.group_of(ran) == g;
    };
    if (f.id == "stacked-wakeups" || f.id == "misplaced-wakeups")
        return woken && w.idle_cpu != kNobody && is_in(f.groups, 1, group);
    if (f.id == "cut-batches")
        return !woken && group == culprit && w.instead[0].ns > 0 &&
               w.instead[0].task < m.tasks.size() &&
               is_in(f.groups, 1, m.groups.group_of(w.instead[0].task));
    if (f.id == "late-balance") return w.idle_cpu != kNobody;
    if (f.id == "pinned") return group == culprit && w.idle_cpu == kNobody;
    if (f.id == "hog" || f.id == "kernel-thread")
        return f.groups.size() > 1 && group == f.groups[1] && held_by(culprit);
    return false;
}

ConcreteCase concrete(const RunMetrics& m, const WaitCase& w) {
    return {.at_ns = w.from_ns - m.start_ns,
            .length_ns = w.wait_ns,
            .task = w.task,
            .cpu = w.cpu,
            .words = wait_words(m, w)};
}

}  // namespace

void add_cases(const Case& c, std::vector<Finding>& findings) {
    const RunMetrics& m = c.run.metrics;
    for (Finding& f : findings)
        for (const auto* waits : {&m.worst_wakeups, &m.worst_preemptions})
            for (const WaitCase& w : *waits)
                if (f.cases.size() < kCases && shows(f, m, w)) f.cases.push_back(concrete(m, w));
}

}  // namespace wakelab::diag
