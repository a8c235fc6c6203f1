// Who runs while others wait: per-CPU kernel threads, and hogs. Both read from GroupMetrics::delayed_by
// how long the task that ran last before a wait ended had held the CPU meanwhile.
#include <fmt/format.h>

#include <algorithm>

#include "diag/rules.hpp"
#include "diag/words.hpp"

namespace wakelab::diag {

namespace {

using metrics::GroupDelay;
using metrics::RunMetrics;
using metrics::TaskMetrics;

constexpr std::uint64_t kEnough = 20;          // waits
constexpr double kLongWaitNs = 500'000;        // mean: a person or a deadline begins to notice
constexpr double kOftenShare = 0.05;           // of the victims' wake-ups
constexpr double kLongBurstNs = 1'000'000;     // of a hog
constexpr double kBurstRatio = 4;              // hog : victim
constexpr double kMachineShare = 0.01;         // waiting time per duration

double burst_ns(const TaskMetrics& t) {
    return t.switches == 0 ? 0 : static_cast<double>(t.run_ns) / static_cast<double>(t.switches);
}

// What a task needs between two sleeps.
double period_ns(const TaskMetrics& t) {
    const std::uint64_t periods = t.near_periods.periods + t.far_periods.periods;
    return periods == 0 ? static_cast<double>(t.run_ns)
                        : static_cast<double>(t.near_periods.run_ns + t.far_periods.run_ns) /
                              static_cast<double>(periods);
}

double mean_ns(const GroupDelay& d) {
    return d.waits == 0 ? 0 : static_cast<double>(d.ns) / static_cast<double>(d.waits);
}

struct Pair {
    std::uint32_t victim = 0;
    std::uint32_t holder = 0;
    GroupDelay delay;
};

// Most delay first.
template <class Wanted>
std::optional<Pair> worst_pair(const RunMetrics& m, Wanted wanted) {
    std::optional<Pair> worst;
    for (std::uint32_t v = 0; v < m.groups.count(); ++v)
        for (std::uint32_t h = 0; h < m.groups.count(); ++h) {
            const GroupDelay& d = m.group_metrics[v].delayed_by[h];
            if (d.waits < kEnough || v == h || !wanted(v, h, d)) continue;
            if (!worst || d.ns > worst->delay.ns) worst = Pair{v, h, d};
        }
    return worst;
}

// Groups of which every task is bound to a CPU.
std::vector<bool> kernel_groups(const RunMetrics& m) {
    std::vector<bool> bound(m.groups.count(), false);
    std::vector<bool> others(m.groups.count(), false);
    for (std::uint32_t task = 0; task < m.notes.size(); ++task) {
        const std::uint32_t g = m.groups.group_of(task);
        if (m.notes[task].bound_kernel_thread)
            bound[g] = true;
        else
            others[g] = true;
    }
    for (std::size_t g = 0; g < bound.size(); ++g) bound[g] = bound[g] && !others[g];
    return bound;
}

Finding pair_finding(const RunMetrics& m, const Pair& p) {
    Finding f;
    f.evidence = {{"waits", static_cast<double>(p.delay.waits)},
                  {"held_us_mean", mean_ns(p.delay) / 1000},
                  {"waiting_tasks_mean",
                   static_cast<double>(p.delay.ns) / static_cast<double>(m.duration_ns())}};
    f.groups = {p.holder, p.victim};
    f.explains = 0;
    return f;
}

}  // namespace

std::optional<Finding> find_kernel_thread(const Case& c) {
    const RunMetrics& m = c.run.metrics;
    const std::vector<bool> kernel = kernel_groups(m);
    if (std::ranges::find(kernel, true) == kernel.end()) return {};
    const auto pair = worst_pair(m, [&](std::uint32_t v, std::uint32_t h, const GroupDelay& d) {
        const double share = static_cast<double>(d.ns) / static_cast<double>(m.duration_ns());
        return kernel[v] != kernel[h] && share >= kMachineShare && mean_ns(d) >= kLongWaitNs;
    });
    if (!pair) return {};
    const bool delays = kernel[pair->holder];
    Finding f = pair_finding(m, *pair);
    f.id = "kernel-thread";
    f.title = delays ? fmt::format("The per-CPU kernel threads {} delay {}",
                                   m.groups.name(pair->holder), m.groups.name(pair->victim))
                     : fmt::format("{} keeps the per-CPU kernel threads {} waiting",
                                   m.groups.name(pair->holder), m.groups.name(pair->victim));
    f.symptom.push_back(fmt::format(
        "{} times {} waited while {} had the CPU, {} on average. A kernel thread that is bound to a "
        "CPU cannot go to another: what shares its CPU waits for it, or it for that.",
        count_words(pair->delay.waits), m.groups.name(pair->victim), m.groups.name(pair->holder),
        duration_words(mean_ns(pair->delay))));
    f.symptom.push_back("That they are bound is taken from their names where no mask was recorded.");
    return f;
}

std::optional<Finding> find_hog(const Case& c) {
    const RunMetrics& m = c.run.metrics;
    const std::vector<bool> kernel = kernel_groups(m);
    const std::vector<TaskMetrics> totals = m.group_totals();
    const auto pair = worst_pair(m, [&](std::uint32_t v, std::uint32_t h, const GroupDelay& d) {
        const TaskMetrics& victim = totals[v];
        const std::uint64_t waits = victim.latencies + victim.delays;
        return !kernel[v] && !kernel[h] && mean_ns(d) >= kLongWaitNs &&
               static_cast<double>(d.waits) >= kOftenShare * static_cast<double>(waits) &&
               burst_ns(totals[h]) >= kLongBurstNs &&
               period_ns(totals[h]) >= kBurstRatio * period_ns(victim);
    });
    if (!pair) return {};
    const TaskMetrics& victim = totals[pair->victim];
    Finding f = pair_finding(m, *pair);
    f.id = "hog";
    f.title = fmt::format("{} keeps {} waiting", m.groups.name(pair->holder),
                          m.groups.name(pair->victim));
    f.symptom.push_back(fmt::format(
        "{} needs {} of CPU time between two sleeps, {} runs for {} at a time: {} of {} waits of the "
        "former ended only when the latter had held the CPU for {} on average.",
        m.groups.name(pair->victim), duration_words(period_ns(victim)), m.groups.name(pair->holder),
        duration_words(burst_ns(totals[pair->holder])), count_words(pair->delay.waits),
        count_words(victim.latencies + victim.delays), duration_words(mean_ns(pair->delay))));
    const metrics::ExactHistogram& latency = m.group_metrics[pair->victim].wakeup_latency;
    f.symptom.push_back(fmt::format("Its wake-up latency is {} in the median, {} at most.",
                                    duration_words(static_cast<double>(latency.quantile_ns(0.5))),
                                    duration_words(static_cast<double>(latency.max_ns()))));
    f.evidence.push_back({"victim_period_us", period_ns(victim) / 1000});
    f.evidence.push_back({"hog_burst_us", burst_ns(totals[pair->holder]) / 1000});
    return f;
}

}  // namespace wakelab::diag
