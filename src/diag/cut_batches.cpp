// A driver that is preempted by the first task it wakes hands out its work one by one; the rest of
// the batch waits with it (cfs.md 7.3: wakees carry up to a full latency of sleeper credit).
#include <fmt/format.h>

#include <algorithm>

#include "diag/rules.hpp"
#include "diag/words.hpp"

namespace wakelab::diag {

namespace {

constexpr double kCutShare = 0.05;   // cuts per wake-up
constexpr double kIdleShare = 0.01;  // of all CPU time, idle while the driver waited

const WakerGroup* most_cut_driver(const Case& c) {
    const WakerGroup* worst = nullptr;
    for (const WakerGroup& g : c.wakers) {
        if (g.role != metrics::WakeRole::kOneToMany) continue;
        if (worst == nullptr || g.batch.cut.idle_ns > worst->batch.cut.idle_ns) worst = &g;
    }
    return worst;
}

std::vector<Experiment> experiments(const Knobs& knobs) {
    std::vector<Experiment> out;
    try_without_feature(knobs, "WAKEUP_PREEMPT",
                        "a woken task never preempts, the batch is finished", out);
    if (const TunableKnob* knob = knobs.tunable("sched_wakeup_granularity_ns"))
        try_tunable(knobs, knob->name, 4 * std::max<std::int64_t>(knob->value, 1'000'000),
                    "a wakee must be further behind to preempt", out);
    try_batch(knobs, "SCHED_BATCH wakees do not preempt", out);
    return out;
}

}  // namespace

std::optional<Finding> find_cut_batches(const Case& c) {
    const WakerGroup* driver = most_cut_driver(c);
    if (driver == nullptr) return {};
    const metrics::RunMetrics& m = c.run.metrics;
    const metrics::BatchCounts& b = driver->batch;
    const double cut_share = ratio(b.cut.cuts, driver->placed.wakeups);
    // Several drivers may wait at the same time; the machine cannot be more idle than it is.
    const double idle = std::min(m.capacity_share(b.cut.idle_ns), m.idle_share());
    if (cut_share < kCutShare || idle < kIdleShare) return {};

    const double wait_ns = static_cast<double>(b.cut.wait_ns) / static_cast<double>(b.cut.cuts);
    const double wait_share =
        static_cast<double>(b.cut.wait_ns) / driver->tasks / static_cast<double>(m.duration_ns());
    Finding f;
    f.id = "cut-batches";
    f.title = fmt::format("{} is preempted by the tasks it wakes before it has woken the rest",
                          driver->name);
    f.symptom.push_back(
        fmt::format("After {} of its wake-ups the wakee preempts {} although it has more to wake.",
                    share_words(cut_share), driver->subject()));
    f.symptom.push_back(
        b.batches == 0 ? std::string("It never sleeps in between: some client is always ready.")
                       : fmt::format("Between two sleeps it wakes {} tasks on average, {} at most.",
                                     rate_words(b.mean_size()), count_words(b.largest)));
    f.symptom.push_back(
        fmt::format("Each time it waits {} until it may go on, {} of the run in all; meanwhile {} "
                    "of the machine "
                    "idles.",
                    duration_words(wait_ns), share_words(wait_share), share_words(idle)));
    f.evidence = {{"cut_share", cut_share},
                  {"cut_wait_us_mean", wait_ns / 1000},
                  {"cut_wait_share", wait_share},
                  {"batch_wakeups_mean", b.mean_size()}};
    f.groups.push_back(driver->group);
    for (const WakeeShare& w : driver->wakees) f.groups.push_back(w.group);
    f.explains = idle;
    f.confidence = cut_share > 0.5 ? Confidence::kHigh : Confidence::kMedium;
    f.experiments = experiments(c.knobs);
    return f;
}

}  // namespace wakelab::diag
