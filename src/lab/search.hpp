// The search for the guilty knob: everything a scheduler lets one change, changed alone (and bits
// in pairs), with the same seeds in every arm, ranked by what it does to the rate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "lab/change.hpp"
#include "lab/run.hpp"
#include "lab/sweep.hpp"
#include "metrics/stats.hpp"

namespace wakelab::lab {

enum class SearchOver : std::uint8_t { kFeatures, kTunables };

struct SearchPlan {
    RunSpec base;
    SearchOver over = SearchOver::kFeatures;
    std::uint64_t mask = 0;  // sched_features of the base; 0 when it has none
    std::vector<Change> changes;
    bool pairs = false;  // also each two changes that are wired
    std::vector<std::uint64_t> seeds;
};

// In the order in which they are ranked.
enum class Verdict : std::uint8_t {
    kHelps,        // certain, and at least kSmallGain
    kHurts,        // certain, and at least kSmallGain
    kSmall,        // certain, but less than kSmallGain
    kUncertain,    // the interval holds 0, or there is none
    kSameRun,      // every seed gave the same run, event for event
    kNotModelled,  // not run: policy::FeatureUse
    kUnread,       // not run
};

// Shares of the mean rate of the base: 0.5 = 50 % more.
using Gain = metrics::MeanInterval;

struct Effect {
    std::vector<Change> changes;  // one, or the two of a pair
    std::vector<double> rates;    // by seed; empty when not run
    double rate = 0;              // mean
    Gain gain;
    bool has_interval = false;  // at least two seeds; else low = high = mean
    Verdict verdict = Verdict::kUncertain;
    // Of a pair: what both together gain beyond the sum of each alone.
    std::optional<Gain> beyond;
};

struct SearchResult {
    SearchPlan plan;
    std::string unit;  // of rates: "transactions/s"
    std::vector<double> base_rates;
    double base_rate = 0;         // mean
    std::size_t comparisons = 0;  // intervals that hold together with kSearchConfidence
    // By verdict, then size of the gain; settings of one tunable stay together, ascending, at the
    // place of the best of them.
    std::vector<Effect> singles;
    std::vector<Effect> pairs;

    // The single or pair that gains most with certainty; null: nothing does.
    [[nodiscard]] const Effect* best_single() const;
    [[nodiscard]] const Effect* best_pair() const;
};

// Of all intervals of a search together (Bonferroni): with 40 arms, two would differ at 95 % each
// by chance alone.
inline constexpr double kSearchConfidence = 0.95;
inline constexpr double kSmallGain = 0.01;

// Error: unknown names, a scheduler without features (or tunables), pairs of tunables.
[[nodiscard]] Result<SearchPlan> plan_search(const RunSpec& base, SearchOver over, bool pairs,
                                             std::vector<std::uint64_t> seeds);

// The base, then every arm that is run, each with all seeds.
[[nodiscard]] std::vector<RunSpec> plan_runs(const SearchPlan& plan);
// `results` belong to plan_runs(plan), in that order. Error: the base did no work.
[[nodiscard]] Result<SearchResult> summarise(const SearchPlan& plan,
                                             const std::vector<RunResult>& results);
[[nodiscard]] Result<SearchResult> search(const SearchPlan& plan, const RunFunction& run,
                                          const SweepOptions& options = {});

}  // namespace wakelab::lab
