#include "diag/diagnose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "diag/rules.hpp"
#include "diag/words.hpp"

namespace wakelab::diag {

namespace {

using Rule = std::optional<Finding> (*)(const Case&);
constexpr std::array<Rule, 12> kRules = {
    find_stacked_wakeups, find_misplaced_wakeups, find_cut_batches, find_late_balance,
    find_ping_pong,       find_split_pairs,       find_pinned,      find_hog,
    find_kernel_thread,   find_serialisation,     find_busy_sibling, find_saturation};

Finding nothing_wrong(const metrics::RunMetrics& m) {
    const double stuck = static_cast<double>(m.idle.stuck_time_ns) /
                         static_cast<double>(std::max<std::int64_t>(m.duration_ns(), 1));
    Finding f;
    f.id = "nothing-wrong";
    f.title = "Nothing wrong with the placement";
    f.symptom.push_back(
        fmt::format("The CPUs idled {} of the time. During {} of it a task waited behind another "
                    "while a CPU it may "
                    "use was idle, which cost {} of the machine: the load hardly asks for more CPU "
                    "time than it "
                    "gets.",
                    share_words(m.idle_share()), share_words(stuck),
                    share_words(m.capacity_share(m.idle.lost_cpu_ns))));
    f.evidence = {{"idle_share", m.idle_share()}, {"stuck_time_share", stuck}};
    f.explains = 0;
    return f;
}

// A recording without sched_switch: that no CPU is seen to idle says nothing.
Finding no_switches() {
    Finding f;
    f.id = "no-switches";
    f.title = "The recording does not say who ran";
    f.symptom.emplace_back(
        "It holds no context switch (event sched_switch): who ran, waited or idled is not known, and "
        "run times, waits and idle time below mean nothing. Wake-ups and migrations are as recorded.");
    f.symptom.emplace_back(
        "wakelab record, perf sched record and trace-cmd record -e sched record what is needed.");
    f.confidence = Confidence::kHigh;
    f.explains = 0;
    return f;
}

// Do wake-ups keep filling the waker's CPU? They do when they pull about as many wakees there as the
// balancers carry away. With fewer pulls than that, wakees are there because a balancer left them.
bool pulls_keep_up(const Case& c) {
    constexpr double kPullsPerMove = 0.75;
    const WakerGroup* driver = worst_driver(c);
    return driver != nullptr && static_cast<double>(driver->placed.pulled) >=
                                    kPullsPerMove * static_cast<double>(c.run.metrics.balance_migrations);
}

// A wakee can cut the waker's batch only from the waker's own CPU. When the wake-ups that put it there are
// a finding themselves, they are the cause and come first, whatever the two explain on their own.
void put_cause_first(const Case& c, std::vector<Finding>& findings) {
    const auto stacked = std::ranges::find(findings, "stacked-wakeups", &Finding::id);
    const auto cut = std::ranges::find(findings, "cut-batches", &Finding::id);
    if (stacked != findings.end() && cut < stacked && pulls_keep_up(c))
        std::rotate(cut, stacked, stacked + 1);
}

}  // namespace

std::vector<Finding> diagnose(const metrics::RunSummary& run, const Knobs& knobs) {
    std::vector<Finding> findings;
    if (run.metrics.duration_ns() <= 0) return {nothing_wrong(run.metrics)};
    if (run.metrics.recorded && !run.metrics.has_switches) return {no_switches()};
    const Case c(run, knobs);
    for (const Rule rule : kRules)
        if (std::optional<Finding> f = rule(c)) findings.push_back(std::move(*f));
    add_cases(c, findings);
    if (knobs.live)
        for (Finding& f : findings) propose_live(c, f);
    if (findings.empty()) findings.push_back(nothing_wrong(run.metrics));
    std::ranges::stable_sort(findings, std::greater{},
                             [](const Finding& f) { return f.explains.value_or(-1); });
    put_cause_first(c, findings);
    return findings;
}

}  // namespace wakelab::diag
