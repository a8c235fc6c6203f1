// Wake-ups that choose a busy CPU while an idle one is allowed, when this is not the story of a 1:N
// waker (stacked_wakeups.cpp): pairs, N:1, timers.
#include <fmt/format.h>

#include <algorithm>

#include "diag/rules.hpp"
#include "diag/words.hpp"

namespace wakelab::diag {

namespace {

constexpr double kLostShare = 0.02;   // of all CPU time
constexpr double kDriverShare = 0.5;  // of the misplaced wake-ups, made by one 1:N waker

// Part of the placement waits that pairs and pipelines spend handing over: the wakee is put on its waker's
// CPU, which the waker leaves at once. That is what such tasks want; another CPU would not be faster.
double hand_over_share(const Case& c) {
    const std::int64_t all_ns = c.run.metrics.idle.stuck_wait_ns[static_cast<std::size_t>(
        metrics::WaitCause::kPlacement)];
    std::int64_t handed_ns = 0;
    for (const metrics::Waker& w : c.run.graph.wakers)
        if (w.role == metrics::WakeRole::kOneToOne || w.role == metrics::WakeRole::kPipeline)
            handed_ns += w.placed.handed_over_ns;
    return all_ns == 0 ? 0
                       : std::min(1.0, static_cast<double>(handed_ns) / static_cast<double>(all_ns));
}

}  // namespace

std::optional<Finding> find_misplaced_wakeups(const Case& c) {
    const metrics::PlacementCounts& p = c.run.graph.total;
    if (c.lost.placement * (1 - hand_over_share(c)) < kLostShare) return {};
    const WakerGroup* driver = worst_driver(c);
    if (driver != nullptr && ratio(driver->placed.stacked, p.misplaced) > kDriverShare) return {};
    const auto worst = std::ranges::max_element(
        c.wakers, {}, [](const WakerGroup& g) { return g.placed.misplaced; });
    if (worst == c.wakers.end()) return {};

    const metrics::RunMetrics& m = c.run.metrics;
    Finding f;
    f.id = "misplaced-wakeups";
    f.title = "Woken tasks are put on busy CPUs while others idle";
    f.symptom.push_back(
        fmt::format("{} of all wake-ups put the wakee on a busy CPU although one that it may use "
                    "was idle; {} of "
                    "these are made by {}, waking {}.",
                    share_words(ratio(p.misplaced, p.wakeups)),
                    share_words(ratio(worst->placed.misplaced, p.misplaced)), worst->subject(),
                    worst->objects()));
    f.symptom.push_back(busy_sentence(m));
    f.symptom.push_back(fmt::format("The waits that follow cost {} of the machine.",
                                    share_words(c.lost.placement)));
    f.evidence = {{"misplaced_share", ratio(p.misplaced, p.wakeups)},
                  {"stacked_share", ratio(p.stacked, p.wakeups)}};
    f.groups.push_back(worst->group);
    for (const WakeeShare& w : worst->wakees) f.groups.push_back(w.group);
    f.explains = c.lost.placement;
    try_other_placement(c.knobs, p, f.experiments);
    return f;
}

}  // namespace wakelab::diag
