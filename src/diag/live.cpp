// Experiments on the recorded system. Where a knob lives depends on the kernel: until 5.12 the scheduler's
// tunables were sysctls and its features /sys/kernel/debug/sched_features; since 5.13 both are below
// /sys/kernel/debug/sched (commit 8a99b6833c88). EEVDF (6.6) has a base slice in place of granularities.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "diag/rules.hpp"

namespace wakelab::diag {

namespace {

constexpr std::size_t kPids = 4;

// Reads "12" of "12.3"; 0 for anything else.
int leading_number(std::string_view text) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
    return end == 0 || end > 4 ? 0 : static_cast<int>(parse_int(text.substr(0, end)).value_or(0));
}

// "812 813", at most kPids; "PID" where a recording does not tell.
std::string pids_of(const metrics::RunMetrics& m, std::uint32_t group) {
    std::string text;
    std::size_t found = 0;
    for (std::uint32_t task = 0; task < m.notes.size() && found < kPids; ++task) {
        if (m.groups.group_of(task) != group || m.notes[task].pid <= 0) continue;
        text += fmt::format("{}{}", found++ == 0 ? "" : " ", m.notes[task].pid);
    }
    return text.empty() ? "PID" : text;
}

// A command for each process of the group.
std::string for_each(const metrics::RunMetrics& m, std::uint32_t group, std::string_view command) {
    const std::string pids = pids_of(m, group);
    if (pids.find(' ') == std::string::npos) return fmt::format("{} {}", command, pids);
    return fmt::format("for p in {}; do {} $p; done", pids, command);
}

Experiment live(std::string command, std::string why) {
    Experiment e;
    e.command = std::move(command);
    e.why = std::move(why);
    return e;
}

std::string feature(const LiveSystem& s, std::string_view word) {
    return fmt::format("echo {} > /sys/kernel/debug/{}", word,
                       s.at_least(5, 13) ? "sched/features" : "sched_features");
}

std::string tunable(const LiveSystem& s, std::string_view name, std::string_view value) {
    return s.at_least(5, 13) ? fmt::format("echo {} > /sys/kernel/debug/sched/{}", value, name)
                             : fmt::format("sysctl -w kernel.sched_{}={}", name, value);
}

std::string all_cpus(const metrics::RunMetrics& m) {
    return fmt::format("0-{}", std::max<std::size_t>(m.cpus.size(), 1) - 1);
}

void other_placement(const LiveSystem& s, std::vector<Experiment>& out) {
    if (s.at_least(4, 14))
        out.push_back(live(feature(s, "NO_WA_IDLE"),
                           "a wakee is not pulled to the waker's CPU for being the idler one"));
    else
        out.push_back(live(feature(s, "NO_AFFINE_WAKEUPS"), "wakees are not pulled to the waker"));
}

void stacked(const Case& c, const LiveSystem& s, const Finding& f, std::vector<Experiment>& out) {
    const metrics::RunMetrics& m = c.run.metrics;
    if (!f.groups.empty() && m.cpus.size() > 1)
        out.push_back(live(for_each(m, f.groups[0], "taskset -pc 0"),
                           "with its wakees on the other CPUs (taskset -pc 1-...) no wake-up can "
                           "stack them: what that gains is what placement costs"));
    if (f.groups.size() > 1)
        out.push_back(live(for_each(m, f.groups[1], "chrt -b -p 0"),
                           "SCHED_BATCH wakees do not preempt the waker"));
    other_placement(s, out);
}

void cut(const Case& c, const LiveSystem& s, const Finding& f, std::vector<Experiment>& out) {
    if (f.groups.size() > 1)
        out.push_back(live(for_each(c.run.metrics, f.groups[1], "chrt -b -p 0"),
                           "SCHED_BATCH wakees do not preempt, the batch is finished"));
    out.push_back(live(feature(s, "NO_WAKEUP_PREEMPTION"), "no woken task preempts (all programs)"));
    if (s.major != 0 && !s.at_least(6, 6))
        out.push_back(live(tunable(s, "wakeup_granularity_ns", "20000000"),
                           "a wakee must be further behind to preempt"));
}

void hog(const Case& c, const Finding& f, std::vector<Experiment>& out) {
    const metrics::RunMetrics& m = c.run.metrics;
    out.push_back(live(for_each(m, f.groups[0], "chrt -i -p 0"),
                       "SCHED_IDLE gives way to everything else"));
    out.push_back(live(for_each(m, f.groups[0], "renice -n 19 -p"), "a smaller share of the CPU"));
    if (f.groups.size() > 1)
        out.push_back(live(for_each(m, f.groups[1], "chrt -f -p 1"),
                           "the waiting task runs at once: shows what the waits cost"));
}

void proposals(const Case& c, const LiveSystem& s, const Finding& f,
               std::vector<Experiment>& out) {
    const metrics::RunMetrics& m = c.run.metrics;
    const std::uint32_t first = f.groups.empty() ? 0 : f.groups[0];
    if (f.id == "stacked-wakeups" || f.id == "misplaced-wakeups") {
        stacked(c, s, f, out);
    } else if (f.id == "cut-batches") {
        cut(c, s, f, out);
    } else if (f.id == "late-balance") {
        out.push_back(live(tunable(s, "migration_cost_ns", "0"),
                           "no task counts as cache-hot, idle CPUs may pull what waits"));
    } else if (f.id == "ping-pong") {
        out.push_back(live(tunable(s, "migration_cost_ns", "5000000"),
                           "tasks that ran lately count as cache-hot and are not moved"));
        out.push_back(live(for_each(m, first, "taskset -pc CPUS"),
                           "CPUS of one cache: moves within it cost little"));
    } else if (f.id == "split-pairs") {
        for (const std::uint32_t group : f.groups)
            out.push_back(live(for_each(m, group, "taskset -pc CPUS"),
                               "CPUS of one cache, the same for both: keeps the pair together; "
                               "`perf stat -e cache-misses` shows the difference"));
    } else if (f.id == "pinned") {
        out.push_back(live(for_each(m, first, fmt::format("taskset -apc {}", all_cpus(m))),
                           "lets it use every CPU; look at cpuset.cpus of its cgroup, too"));
    } else if (f.id == "busy-sibling") {
        out.push_back(live("echo off > /sys/devices/system/cpu/smt/control",
                           "no siblings: if the program gets faster, sharing cores costs more than "
                           "the threads give"));
    } else if (f.id == "kernel-thread") {
        out.push_back(live(for_each(m, f.groups.back(), "taskset -pc CPUS"),
                           "CPUS without these kernel threads; if they serve a device, move its "
                           "interrupt (/proc/irq/N/smp_affinity_list)"));
    } else if (f.id == "hog") {
        hog(c, f, out);
    }
}

}  // namespace

LiveSystem LiveSystem::of_release(std::string_view release) {
    const std::size_t dot = release.find('.');
    if (dot == std::string_view::npos) return {};
    const int major = leading_number(release.substr(0, dot));
    return {.major = major, .minor = major == 0 ? 0 : leading_number(release.substr(dot + 1))};
}

void propose_live(const Case& c, Finding& finding) {
    finding.experiments.clear();
    proposals(c, *c.knobs.live, finding, finding.experiments);
}

}  // namespace wakelab::diag
