// The pgbench story of 2.6.25 (cfs.md 7.3): a driver wakes N servers, and every wake-up treats
// driver and server as a pair that wants to share a CPU.
#include <fmt/format.h>

#include <algorithm>

#include "diag/rules.hpp"
#include "diag/words.hpp"

namespace wakelab::diag {

namespace {

constexpr double kStackedShare = 0.1;  // of the waker's wake-ups, to be worth a word
constexpr double kCostShare = 0.01;    // of all CPU time
constexpr double kSureCostShare = 0.1;

// Rules and their counts, largest first, without the empty ones.
std::vector<std::pair<PlaceRule, std::uint64_t>> by_count(const metrics::RuleCounts& counts) {
    std::vector<std::pair<PlaceRule, std::uint64_t>> rules;
    for (std::size_t i = 0; i < counts.size(); ++i)
        if (counts[i] > 0) rules.emplace_back(static_cast<PlaceRule>(i), counts[i]);
    std::ranges::stable_sort(rules, std::greater{}, [](const auto& r) { return r.second; });
    return rules;
}

// "all", "97 %"
std::string part_words(double share) {
    return share > 0.995 ? "all" : share_words(share);
}

// How the wakees came to the waker's CPU: by pulls, or because they were there from earlier pulls.
void add_placement(const metrics::RunMetrics& m, const metrics::PlacementCounts& p, Finding& f) {
    f.symptom.push_back(fmt::format(
        "{} of its wake-ups left the wakee on the waker's own CPU although another CPU was idle.",
        share_words(ratio(p.stacked, p.wakeups))));
    const auto stayed = p.stacked_by_rule[static_cast<std::size_t>(PlaceRule::kPrevIsThis)];
    if (stayed > 0)
        f.symptom.push_back(
            fmt::format("In {} of these the wakee had run there last: then there is nothing to "
                        "pull, and no rule "
                        "looks for an idle CPU.",
                        part_words(ratio(stayed, p.stacked))));
    const auto pulls = by_count(p.pulled_by_rule);
    if (pulls.empty()) return;
    f.symptom.push_back(fmt::format(
        "Pulled over from another CPU: {} wakees a second, {} by {}; moved by the balancer: {} "
        "tasks a "
        "second.",
        rate_words(m.per_second(p.pulled)), part_words(ratio(pulls[0].second, p.pulled)),
        rule_words(pulls[0].first), rate_words(m.per_second(m.balance_migrations))));
}

void add_cost(const metrics::RunMetrics& m, const WakerGroup& driver, double stalled, Finding& f) {
    const double stuck_share =
        static_cast<double>(m.idle.stuck_time_ns) / static_cast<double>(m.duration_ns());
    f.symptom.push_back(fmt::format(
        "During {} of the time tasks waited behind another task while a CPU they may use was idle.",
        share_words(stuck_share)));
    f.evidence.push_back({"stuck_time_share", stuck_share});
    if (stalled == 0) return;
    f.symptom.push_back(
        fmt::format("Often it is {} itself that waits, behind what it has just woken: meanwhile no "
                    "new work goes "
                    "out and {} of the machine idles.",
                    driver.name, share_words(stalled)));
    f.evidence.push_back({"idle_while_waker_waits_share", stalled});
}

}  // namespace

std::optional<Finding> find_stacked_wakeups(const Case& c) {
    const WakerGroup* driver = worst_driver(c);
    if (driver == nullptr) return {};
    const metrics::RunMetrics& m = c.run.metrics;
    const metrics::PlacementCounts& p = driver->placed;
    const double stacked = ratio(p.stacked, p.wakeups);
    const double stalled =
        std::min(m.capacity_share(driver->batch.cut.stacked_idle_ns), m.idle_share());
    const double cost = std::max(c.lost.placement, stalled);
    if (stacked < kStackedShare || cost < kCostShare) return {};

    Finding f;
    f.id = "stacked-wakeups";
    f.title = fmt::format("{} and the tasks it wakes share a CPU while others idle", driver->name);
    const bool one = driver->tasks == 1;
    f.symptom.push_back(fmt::format("{}{} wakes {} (1:N), {}{} times a second.",
                                    one ? "" : "Each of ", driver->subject(), driver->objects(),
                                    one ? "" : "together ", rate_words(m.per_second(p.wakeups))));
    f.evidence = {{"waker_wakeups_per_s", m.per_second(p.wakeups)},
                  {"wakees", driver->fan_out},
                  {"stacked_share", stacked},
                  {"pulled_share", ratio(p.pulled, p.wakeups)},
                  {"sync_share", ratio(p.sync, p.wakeups)}};
    add_placement(m, p, f);
    f.symptom.push_back(busy_sentence(m));
    add_cost(m, *driver, stalled, f);
    f.groups.push_back(driver->group);
    for (const WakeeShare& w : driver->wakees) f.groups.push_back(w.group);
    f.explains = cost;
    f.confidence = cost >= kSureCostShare ? Confidence::kHigh : Confidence::kMedium;
    try_other_placement(c.knobs, p, f.experiments);
    return f;
}

}  // namespace wakelab::diag
