#include "lab/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "base/check.hpp"

namespace wakelab::lab {

namespace {

using Arm = std::vector<std::size_t>;  // indices of plan.changes

// The arms that are run: wired changes alone, then each two of them.
std::vector<Arm> arms_of(const SearchPlan& plan) {
    std::vector<Arm> arms;
    for (std::size_t i = 0; i < plan.changes.size(); ++i)
        if (plan.changes[i].wired()) arms.push_back({i});
    if (!plan.pairs) return arms;
    const std::size_t singles = arms.size();
    for (std::size_t a = 0; a < singles; ++a)
        for (std::size_t b = a + 1; b < singles; ++b)
            arms.push_back({arms[a].front(), arms[b].front()});
    return arms;
}

std::vector<double> rates_of(std::span<const RunResult> runs) {
    std::vector<double> rates;
    for (const RunResult& r : runs) rates.push_back(r.rate);
    return rates;
}

bool same_runs(std::span<const RunResult> a, std::span<const RunResult> b) {
    return std::ranges::equal(a, b, {}, &RunResult::fingerprint, &RunResult::fingerprint);
}

// Differences are paired by seed and told as shares of the base.
class Judge {
 public:
    Judge(std::vector<double> base, std::size_t comparisons)
        : base_(std::move(base)),
          mean_(metrics::arithmetic_mean(base_)),
          confidence_(1 - (1 - kSearchConfidence) /
                              static_cast<double>(std::max<std::size_t>(comparisons, 1))) {}

    [[nodiscard]] double mean() const { return mean_; }
    [[nodiscard]] bool has_interval() const { return base_.size() > 1; }

    // Of rates against the base.
    [[nodiscard]] Gain gain(const std::vector<double>& rates) const {
        return share(rates, [&](std::size_t i) { return rates[i] - base_[i]; });
    }
    // Of the two together beyond the sum of the two alone.
    [[nodiscard]] Gain beyond(const std::vector<double>& both, const std::vector<double>& one,
                              const std::vector<double>& other) const {
        return share(both, [&](std::size_t i) { return both[i] - one[i] - other[i] + base_[i]; });
    }

 private:
    template <class Difference>
    Gain share(const std::vector<double>& rates, Difference difference) const {
        std::vector<double> shares;
        for (std::size_t i = 0; i < rates.size(); ++i) shares.push_back(difference(i) / mean_);
        if (const auto interval = metrics::mean_interval(shares, confidence_)) return *interval;
        return {.mean = shares.front(), .low = shares.front(), .high = shares.front()};
    }

    std::vector<double> base_;
    double mean_;
    double confidence_;
};

Verdict verdict_of(const Effect& e, bool same) {
    if (same) return Verdict::kSameRun;
    if (!e.has_interval || !e.gain.excludes_zero()) return Verdict::kUncertain;
    if (std::abs(e.gain.mean) < kSmallGain) return Verdict::kSmall;
    return e.gain.mean > 0 ? Verdict::kHelps : Verdict::kHurts;
}

Effect not_run(const Change& change) {
    Effect e;
    e.changes = {change};
    e.verdict =
        change.use == policy::FeatureUse::kUnread ? Verdict::kUnread : Verdict::kNotModelled;
    return e;
}

bool ranks_before(const Effect& a, const Effect& b) {
    if (a.verdict != b.verdict) return a.verdict < b.verdict;
    return std::abs(a.gain.mean) > std::abs(b.gain.mean);
}

// Moves the settings of a tunable to the first of them, which ranks best, in ascending order.
void keep_knobs_together(std::vector<Effect>& effects) {
    std::vector<std::string> order;
    for (const Effect& e : effects)
        if (std::ranges::find(order, e.changes[0].knob) == order.end())
            order.push_back(e.changes[0].knob);
    std::vector<Effect> grouped;
    for (const std::string& knob : order) {
        const std::size_t first = grouped.size();
        for (Effect& e : effects)
            if (e.changes[0].knob == knob) grouped.push_back(e);
        std::ranges::sort(grouped.begin() + static_cast<std::ptrdiff_t>(first), grouped.end(), {},
                          [](const Effect& e) { return e.changes[0].tunables[0].second; });
    }
    effects = std::move(grouped);
}

const Effect* best_of(const std::vector<Effect>& effects) {
    const Effect* best = nullptr;
    for (const Effect& e : effects)
        if (e.verdict == Verdict::kHelps && (best == nullptr || e.gain.mean > best->gain.mean))
            best = &e;
    return best;
}

}  // namespace

const Effect* SearchResult::best_single() const {
    return best_of(singles);
}

const Effect* SearchResult::best_pair() const {
    return best_of(pairs);
}

Result<SearchPlan> plan_search(const RunSpec& base, SearchOver over, bool pairs,
                               std::vector<std::uint64_t> seeds) {
    WK_CHECK(!seeds.empty());
    const auto machine = topo::load_machine(base.machine);
    if (!machine) return machine.error();
    const auto info = policy::find_scheduler(base.scheduler);
    if (!info) return info.error();
    const auto config = policy::configure(**info, *machine, base.features, base.tunables);
    if (!config) return config.error();
    SearchPlan plan{.base = base,
                    .over = over,
                    .mask = config->features,
                    .changes = {},
                    .pairs = pairs,
                    .seeds = std::move(seeds)};
    if (over == SearchOver::kFeatures) {
        plan.changes = feature_changes(**info, *config);
        if (plan.changes.empty())
            return Error{fmt::format("--over features: {} has no features; try --over tunables",
                                     base.scheduler)};
        return plan;
    }
    if (pairs) return Error{"--pairs: goes with --over features"};
    plan.changes = tunable_changes(*config);
    if (plan.changes.empty())
        return Error{fmt::format("--over tunables: {} has no tunables", base.scheduler)};
    return plan;
}

std::vector<RunSpec> plan_runs(const SearchPlan& plan) {
    std::vector<RunSpec> runs;
    const auto append = [&](const Arm& arm) {
        RunSpec spec = plan.base;
        for (const std::size_t change : arm) plan.changes[change].apply(spec);
        for (const std::uint64_t seed : plan.seeds) {
            spec.seed = seed;
            runs.push_back(spec);
        }
    };
    append({});
    for (const Arm& arm : arms_of(plan)) append(arm);
    return runs;
}

Result<SearchResult> summarise(const SearchPlan& plan, const std::vector<RunResult>& results) {
    const std::vector<Arm> arms = arms_of(plan);
    const std::size_t n = plan.seeds.size();
    WK_CHECK(results.size() == (arms.size() + 1) * n);
    const std::span<const RunResult> all = results;
    const std::span<const RunResult> base = all.first(n);
    const Judge judge(rates_of(base), arms.size());
    if (judge.mean() <= 0)
        return Error{fmt::format("{}: no work was done, so there is no rate to compare with",
                                 describe(plan.base))};
    SearchResult result;
    result.plan = plan;
    result.unit = results.front().unit + "/s";
    result.base_rates = rates_of(base);
    result.base_rate = judge.mean();
    result.comparisons = arms.size();
    std::vector<std::vector<double>> alone(plan.changes.size());
    for (std::size_t i = 0; i < arms.size(); ++i) {
        const std::span<const RunResult> runs = all.subspan((i + 1) * n, n);
        Effect e;
        for (const std::size_t change : arms[i]) e.changes.push_back(plan.changes[change]);
        e.rates = rates_of(runs);
        e.rate = metrics::arithmetic_mean(e.rates);
        e.gain = judge.gain(e.rates);
        e.has_interval = judge.has_interval();
        e.verdict = verdict_of(e, same_runs(runs, base));
        if (arms[i].size() == 2) {
            e.beyond = judge.beyond(e.rates, alone[arms[i][0]], alone[arms[i][1]]);
            result.pairs.push_back(std::move(e));
            continue;
        }
        alone[arms[i][0]] = e.rates;
        result.singles.push_back(std::move(e));
    }
    for (const Change& change : plan.changes)
        if (!change.wired()) result.singles.push_back(not_run(change));
    std::ranges::stable_sort(result.singles, ranks_before);
    std::ranges::stable_sort(result.pairs, ranks_before);
    if (plan.over == SearchOver::kTunables) keep_knobs_together(result.singles);
    return result;
}

Result<SearchResult> search(const SearchPlan& plan, const RunFunction& run,
                            const SweepOptions& options) {
    const auto results = sweep(plan_runs(plan), run, options);
    if (!results) return results.error();
    return summarise(plan, *results);
}

}  // namespace wakelab::lab
