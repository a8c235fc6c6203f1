// A wakee beside a busy thread of the same core shares its execution units, while a whole core idles.
#include <fmt/format.h>

#include "diag/rules.hpp"
#include "diag/words.hpp"

namespace wakelab::diag {

std::optional<Finding> find_busy_sibling(const Case& c) {
    constexpr double kShare = 0.1;          // of the wake-ups
    constexpr std::uint64_t kEnough = 100;  // wake-ups
    const metrics::PlacementCounts& p = c.run.graph.total;
    if (p.wakeups < kEnough || ratio(p.beside_busy, p.wakeups) < kShare) return {};
    const auto worst = std::ranges::max_element(
        c.wakers, {}, [](const WakerGroup& g) { return g.placed.beside_busy; });
    Finding f;
    f.id = "busy-sibling";
    f.title = "Woken tasks share a core with a running one while whole cores idle";
    f.symptom.push_back(fmt::format(
        "{} of all wake-ups chose an idle CPU whose sibling thread was busy although a core with no "
        "busy thread existed; {} of these are made by {}.",
        share_words(ratio(p.beside_busy, p.wakeups)),
        share_words(ratio(worst->placed.beside_busy, p.beside_busy)), worst->subject()));
    f.evidence = {{"beside_busy_share", ratio(p.beside_busy, p.wakeups)}};
    f.groups.push_back(worst->group);
    for (const WakeeShare& w : worst->wakees) f.groups.push_back(w.group);
    f.confidence = Confidence::kMedium;
    return f;
}

}  // namespace wakelab::diag
