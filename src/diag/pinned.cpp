// Tasks that wait while CPUs idle, none of which they may use: not the scheduler's doing.
#include <fmt/format.h>

#include <algorithm>

#include "diag/rules.hpp"
#include "diag/words.hpp"

namespace wakelab::diag {

namespace {

constexpr double kExcludedShare = 0.03;  // of all CPU time
constexpr double kSureShare = 0.1;

// The group whose restricted tasks waited most.
std::uint32_t most_waiting(const metrics::RunMetrics& m) {
    std::vector<std::int64_t> runnable(m.groups.count());
    for (std::uint32_t task = 0; task < m.tasks.size(); ++task)
        if (m.notes[task].restricted && !m.notes[task].bound_kernel_thread)
            runnable[m.groups.group_of(task)] += m.tasks[task].runnable_ns;
    return static_cast<std::uint32_t>(std::ranges::max_element(runnable) - runnable.begin());
}

}  // namespace

std::optional<Finding> find_pinned(const Case& c) {
    const metrics::RunMetrics& m = c.run.metrics;
    const double share = m.capacity_share(m.idle.excluded_cpu_ns);
    if (share < kExcludedShare) return {};
    const std::uint32_t group = most_waiting(m);
    const double waiting =
        static_cast<double>(m.idle.excluded_wait_ns) / static_cast<double>(m.duration_ns());
    Finding f;
    f.id = "pinned";
    f.title = fmt::format("{} waits for CPUs that its affinity allows while others idle",
                          m.groups.name(group));
    f.symptom.push_back(
        fmt::format("On average {} tasks waited while CPUs idled of which their affinity masks allow "
                    "none; {} of the machine's CPU time was free for them otherwise.",
                    rate_words(waiting), share_words(share)));
    f.symptom.push_back(busy_sentence(m));
    f.evidence = {{"excluded_waiting_tasks_mean", waiting}, {"excluded_share", share}};
    f.groups = {group};
    f.explains = share;
    f.confidence = share >= kSureShare ? Confidence::kHigh : Confidence::kMedium;
    if (m.groups.size(group) > 0 && m.cpus.size() > 1) {
        Experiment e;
        const std::string name = m.groups.name(group);
        e.pins = {{name.substr(0, name.find_last_not_of("-*") + 1),
                   fmt::format("0-{}", m.cpus.size() - 1)}};
        e.why = "lets it use every CPU";
        f.experiments.push_back(std::move(e));
    }
    return f;
}

}  // namespace wakelab::diag
