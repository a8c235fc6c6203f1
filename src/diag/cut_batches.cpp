// A driver that is preempted by the first task it wakes hands out its work one by one; the rest of
// the batch waits with it (cfs.md 7.3: wakees carry up to a full latency of sleeper credit).
#include <fmt/format.h>

#include <algorithm>

#include "diag/rules.hpp"
#include "diag/words.hpp"

namespace wakelab::diag {

namespace {

constexpr double kCutShare = 0.1;    // cuts per batch
constexpr double kIdleShare = 0.01;  // of all CPU time, idle while the driver waited

const WakerGroup* worst_driver(const Case& c) {
    const WakerGroup* worst = nullptr;
    for (const WakerGroup& g : c.wakers) {
        if (g.role != metrics::WakeRole::kOneToMany) continue;
        if (worst == nullptr || g.batch.cut_idle_ns > worst->batch.cut_idle_ns) worst = &g;
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
    const WakerGroup* driver = worst_driver(c);
    if (driver == nullptr || driver->batch.batches == 0) return {};
    const metrics::RunMetrics& m = c.run.metrics;
    const metrics::BatchCounts& b = driver->batch;
    const double per_batch = static_cast<double>(b.cut) / static_cast<double>(b.batches);
    // Several drivers may wait at the same time; the machine cannot be more idle than it is.
    const double idle = std::min(m.capacity_share(b.cut_idle_ns), m.idle_share());
    if (per_batch < kCutShare || idle < kIdleShare) return {};

    const double wait_ns = static_cast<double>(b.cut_wait_ns) / static_cast<double>(b.cut);
    Finding f;
    f.id = "cut-batches";
    f.title = fmt::format("{} is preempted by the tasks it wakes before it has woken the rest",
                          driver->name);
    f.symptom.push_back(fmt::format(
        "Between two sleeps {} wakes {} tasks on average (at most {}), and {} times per batch the "
        "task just woken preempts it with more wake-ups to come.",
        driver->subject(), rate_words(b.mean_size()), b.largest, rate_words(per_batch)));
    f.symptom.push_back(fmt::format(
        "Each time it waits {} until it may go on, {} of the run in all; meanwhile {} of the "
        "machine idled.",
        duration_words(wait_ns),
        share_words(static_cast<double>(b.cut_wait_ns) / driver->tasks /
                    static_cast<double>(m.duration_ns())),
        share_words(idle)));
    f.evidence = {{"batch_wakeups_mean", b.mean_size()},
                  {"batch_wakeups_max", static_cast<double>(b.largest)},
                  {"cuts_per_batch", per_batch},
                  {"cut_wait_us_mean", wait_ns / 1000}};
    f.explains = idle;
    f.confidence = per_batch > 0.5 ? Confidence::kHigh : Confidence::kMedium;
    f.experiments = experiments(c.knobs);
    return f;
}

}  // namespace wakelab::diag
