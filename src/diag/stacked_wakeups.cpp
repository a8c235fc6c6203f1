// The pgbench story of 2.6.25 (cfs.md 7.3): a driver wakes N servers, and every wake-up treats
// driver and server as a pair that wants to share a CPU.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "diag/rules.hpp"
#include "diag/words.hpp"

namespace wakelab::diag {

namespace {

constexpr double kStackedShare = 0.2;  // of the waker's wake-ups, to be worth a word
constexpr double kLostShare = 0.01;    // of all CPU time
constexpr double kSureLostShare = 0.1;

const WakerGroup* worst_driver(const Case& c) {
    const WakerGroup* worst = nullptr;
    for (const WakerGroup& g : c.wakers) {
        if (g.role != metrics::WakeRole::kOneToMany) continue;
        if (worst == nullptr || g.placed.stacked > worst->placed.stacked) worst = &g;
    }
    return worst;
}

double ratio(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

// Rules and their counts, largest first, without the empty ones.
std::vector<std::pair<PlaceRule, std::uint64_t>> by_count(const metrics::RuleCounts& counts) {
    std::vector<std::pair<PlaceRule, std::uint64_t>> rules;
    for (std::size_t i = 0; i < counts.size(); ++i)
        if (counts[i] > 0) rules.emplace_back(static_cast<PlaceRule>(i), counts[i]);
    std::ranges::stable_sort(rules, std::greater{}, [](const auto& r) { return r.second; });
    return rules;
}

// How the wakees came to the waker's CPU: by pulls, or because they were there from earlier pulls.
std::vector<std::string> placement_sentences(const WakerGroup& g) {
    const metrics::PlacementCounts& p = g.placed;
    std::vector<std::string> text;
    text.push_back(fmt::format(
        "{} of its wake-ups left the wakee on the waker's own CPU although another CPU was idle.",
        share_words(ratio(p.stacked, p.wakeups))));
    const auto stayed = p.stacked_by_rule[static_cast<std::size_t>(PlaceRule::kPrevIsThis)];
    if (stayed > 0)
        text.push_back(
            fmt::format("In {} of these the wakee had run there last: then there is nothing to "
                        "pull and no rule "
                        "looks for an idle CPU.",
                        share_words(ratio(stayed, p.stacked))));
    const auto pulls = by_count(p.pulled_by_rule);
    if (pulls.empty()) return text;
    text.push_back(
        fmt::format("{} wake-ups pulled the wakee over from another CPU, {} of them by {}.",
                    share_words(ratio(p.pulled, p.wakeups)),
                    share_words(ratio(pulls[0].second, p.pulled)), rule_words(pulls[0].first)));
    return text;
}

bool pulled_by_affinity(const WakerGroup& g, PlaceRule rule) {
    return g.placed.pulled_by_rule[static_cast<std::size_t>(rule)] > 0;
}

std::vector<Experiment> experiments(const Case& c, const WakerGroup& g) {
    std::vector<Experiment> out;
    if (g.placed.sync > 0)
        try_without_feature(c.knobs, "SYNC_WAKEUPS",
                            "takes the sync hint away, which the pull relies on", out);
    try_without_feature(c.knobs, "AFFINE_WAKEUPS", "wakees are no longer pulled to the waker", out);
    if (pulled_by_affinity(g, PlaceRule::kAffineShortcut))
        try_tunable(c.knobs, "sched_migration_cost", 0,
                    "no overlap is below it, so the shortcut is never taken", out);
    if (c.knobs.features.empty() || out.empty())
        try_batch(c.knobs, "wakees no longer preempt the waker, so that it stays ahead of them",
                  out);
    return out;
}

}  // namespace

std::optional<Finding> find_stacked_wakeups(const Case& c) {
    const WakerGroup* driver = worst_driver(c);
    if (driver == nullptr) return {};
    const metrics::RunMetrics& m = c.run.metrics;
    const metrics::PlacementCounts& p = driver->placed;
    const double stacked = ratio(p.stacked, p.wakeups);
    if (stacked < kStackedShare || c.lost.placement < kLostShare) return {};

    Finding f;
    f.id = "stacked-wakeups";
    f.title = fmt::format("{} and the tasks it wakes share a CPU while others idle", driver->name);
    f.symptom.push_back(fmt::format("{} wakes {} (1:N), {} times a second.", driver->subject(),
                                    driver->objects(), rate_words(m.per_second(p.wakeups))));
    if (driver->tasks > 1)
        f.symptom.back() =
            fmt::format("Each of {} wakes {} (1:N), together {} times a second.", driver->subject(),
                        driver->objects(), rate_words(m.per_second(p.wakeups)));
    for (std::string& s : placement_sentences(*driver)) f.symptom.push_back(std::move(s));
    f.symptom.push_back(busy_sentence(m));
    const double stuck_share =
        static_cast<double>(m.idle.stuck_time_ns) / static_cast<double>(m.duration_ns());
    const auto& waits = m.idle.stuck_wait_ns;
    const double waiting =
        static_cast<double>(std::accumulate(waits.begin(), waits.end(), std::int64_t{0})) /
        static_cast<double>(std::max<std::int64_t>(m.idle.stuck_time_ns, 1));
    f.symptom.push_back(fmt::format(
        "During {} of the time tasks waited behind another task while a CPU they may use was idle, "
        "{} of them on average; that cost {} of the machine.",
        share_words(stuck_share), rate_words(waiting),
        share_words(m.capacity_share(m.idle.lost_cpu_ns))));
    f.evidence = {{"waker_wakeups_per_s", m.per_second(p.wakeups)},
                  {"wakees", driver->fan_out},
                  {"stacked_share", stacked},
                  {"pulled_share", ratio(p.pulled, p.wakeups)},
                  {"sync_share", ratio(p.sync, p.wakeups)},
                  {"stuck_time_share", stuck_share},
                  {"tasks_waiting_mean", waiting}};
    f.explains = c.lost.placement;
    f.confidence = c.lost.placement >= kSureLostShare ? Confidence::kHigh : Confidence::kMedium;
    f.experiments = experiments(c, *driver);
    return f;
}

}  // namespace wakelab::diag
