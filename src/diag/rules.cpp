#include "diag/rules.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "diag/words.hpp"

namespace wakelab::diag {

namespace {

LostTime lost_time(const metrics::RunMetrics& m) {
    using metrics::WaitCause;
    const auto& wait = m.idle.stuck_wait_ns;
    const auto placement =
        static_cast<double>(wait[static_cast<std::size_t>(WaitCause::kPlacement)]);
    const auto balance = static_cast<double>(wait[static_cast<std::size_t>(WaitCause::kAllBusy)]);
    const double lost = m.capacity_share(m.idle.lost_cpu_ns);
    if (placement + balance == 0) return {.placement = 0, .balance = lost};
    return {.placement = lost * placement / (placement + balance),
            .balance = lost * balance / (placement + balance)};
}

struct BusyPart {
    std::vector<std::uint32_t> cpus;
    double share_sum = 0;
    [[nodiscard]] double mean() const { return share_sum / static_cast<double>(cpus.size()); }
};

}  // namespace

Case::Case(const metrics::RunSummary& summary, const Knobs& available)
    : run(summary),
      knobs(available),
      wakers(group_wakers(summary)),
      lost(lost_time(summary.metrics)) {}

const WakerGroup* worst_driver(const Case& c) {
    const WakerGroup* worst = nullptr;
    for (const WakerGroup& g : c.wakers) {
        if (g.role != metrics::WakeRole::kOneToMany) continue;
        if (worst == nullptr || g.placed.stacked > worst->placed.stacked) worst = &g;
    }
    return worst;
}

std::string busy_sentence(const metrics::RunMetrics& m) {
    constexpr double kUneven = 0.15;
    std::vector<double> busy;
    for (const metrics::CpuMetrics& cpu : m.cpus)
        busy.push_back(static_cast<double>(cpu.busy_ns) / static_cast<double>(m.duration_ns()));
    const auto [low, high] = std::ranges::minmax(busy);
    const double middle = high - low > kUneven ? (low + high) / 2 : -1.0;
    BusyPart upper;
    BusyPart lower;
    for (std::uint32_t cpu = 0; cpu < busy.size(); ++cpu) {
        BusyPart& part = busy[cpu] > middle ? upper : lower;
        part.cpus.push_back(cpu);
        part.share_sum += busy[cpu];
    }
    std::string text =
        fmt::format("{} {} busy {} of the time", cpu_words(upper.cpus),
                    upper.cpus.size() == 1 ? "was" : "were", share_words(upper.mean()));
    if (!lower.cpus.empty())
        text += fmt::format(", {} {}", cpu_words(lower.cpus), share_words(lower.mean()));
    return text + ".";
}

void try_without_feature(const Knobs& knobs, std::string_view feature, std::string why,
                         std::vector<Experiment>& out) {
    if (!knobs.can_clear(feature)) return;
    Experiment e;
    e.features.push_back(fmt::format("NO_{}", feature));
    e.why = fmt::format("{} (mask {})", why, knobs.mask_without(feature));
    out.push_back(std::move(e));
}

void try_tunable(const Knobs& knobs, std::string_view tunable, std::int64_t value, std::string why,
                 std::vector<Experiment>& out) {
    const TunableKnob* knob = knobs.tunable(tunable);
    if (knob == nullptr) return;
    value = std::clamp(value, knob->min, knob->max);
    if (value == knob->value) return;
    Experiment e;
    e.tunables.emplace_back(tunable, value);
    e.why = fmt::format("{} (now {})", why, knob->value);
    out.push_back(std::move(e));
}

void try_batch(const Knobs& knobs, std::string why, std::vector<Experiment>& out) {
    if (!knobs.has_batch) return;
    Experiment e;
    e.batch.emplace_back("all");
    e.why = std::move(why);
    out.push_back(std::move(e));
}

void try_other_placement(const Knobs& knobs, const metrics::PlacementCounts& placed,
                         std::vector<Experiment>& out) {
    if (placed.sync > 0)
        try_without_feature(knobs, "SYNC_WAKEUPS",
                            "takes the sync hint away, which the pull relies on", out);
    try_without_feature(knobs, "AFFINE_WAKEUPS", "wakees are no longer pulled to the waker", out);
    const bool shortcut =
        placed.pulled_by_rule[static_cast<std::size_t>(PlaceRule::kAffineShortcut)] > 0;
    try_tunable(knobs, "sched_migration_cost", 0,
                shortcut
                    ? "no overlap is below it, so the shortcut is never taken; and idle CPUs may "
                      "pull what waits"
                    : "no task counts as cache-hot, so idle CPUs may pull what waits",
                out);
    if (out.empty())
        try_batch(knobs, "wakees no longer preempt the waker, so that it stays ahead of them", out);
}

}  // namespace wakelab::diag
