// Tasks that were queued while all CPUs were busy go on waiting after one went idle: newidle
// balancing is off, or refuses tasks that it takes for cache-hot (cfs.md 6.4), and the next
// periodic round is far away.
#include <fmt/format.h>

#include "diag/rules.hpp"
#include "diag/words.hpp"

namespace wakelab::diag {

namespace {

constexpr double kLostShare = 0.01;  // of all CPU time
constexpr double kSureLostShare = 0.05;

std::vector<Experiment> experiments(const Knobs& knobs) {
    std::vector<Experiment> out;
    try_tunable(knobs, "sched_migration_cost", 0,
                "no task counts as cache-hot, idle CPUs may pull what waits", out);
    try_without_feature(knobs, "CACHE_HOT_BUDDY", "buddies may be pulled, too", out);
    return out;
}

}  // namespace

std::optional<Finding> find_late_balance(const Case& c) {
    if (c.lost.balance < kLostShare) return {};
    const metrics::RunMetrics& m = c.run.metrics;
    Finding f;
    f.id = "late-balance";
    f.title = "Work waits while CPUs idle and nothing pulls it";
    f.symptom.push_back(
        fmt::format("Tasks that had found every CPU busy stayed in their queue after another CPU "
                    "went idle; that "
                    "cost {} of the machine.",
                    share_words(c.lost.balance)));
    f.symptom.push_back(m.balance_migrations == 0
                            ? std::string("The balancer moved no task at all.")
                            : fmt::format("The balancer moved {} tasks a second.",
                                          rate_words(m.per_second(m.balance_migrations))));
    f.symptom.push_back(busy_sentence(m));
    f.evidence = {{"balance_migrations_per_s", m.per_second(m.balance_migrations)},
                  {"idle_share", m.idle_share()}};
    f.explains = c.lost.balance;
    f.confidence = c.lost.balance >= kSureLostShare ? Confidence::kHigh : Confidence::kMedium;
    f.experiments = experiments(c.knobs);
    return f;
}

}  // namespace wakelab::diag
