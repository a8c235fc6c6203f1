// Comparison of variants over load levels and seeds (workloads.md 16): what users of mmtests and
// pgbench-tools expect to see. The first variant is the baseline.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "lab/run.hpp"
#include "lab/sweep.hpp"

namespace wakelab::lab {

enum class MetricKind : std::uint8_t {
    kRate,  // more is better; mean over seeds is harmonic
    kTime,  // less is better; mean over seeds is arithmetic
};

struct Metric {
    std::string name;  // "rate"
    std::string unit;  // "transactions/s"; empty: from the results
    MetricKind kind = MetricKind::kRate;
    std::function<double(const RunResult&)> value;  // not negative
};

// RunResult::rate, in its unit per second.
[[nodiscard]] Metric rate_metric();

struct Variant {
    std::string label;
    RunSpec spec;  // clients and seed are replaced
};

struct ComparePlan {
    std::vector<Variant> variants;    // the baseline first; labels are distinct
    std::vector<std::int32_t> loads;  // client counts; 0 = the scenario's own
    std::vector<std::uint64_t> seeds;
    Metric metric = rate_metric();
};

// Runs behind one cell. The level is the median, because a bistable cell has no meaningful mean.
struct CompareCell {
    std::vector<double> values;  // in order of the plan's seeds
    double median = 0;
    double mean = 0;  // harmonic for rates, arithmetic for times
    double stddev = 0;
    double variation = 0;  // coefficient of variation, 0.02 = 2 %
    double min = 0;
    double max = 0;
    bool two_humps = false;  // metrics::find_humps
    // Against the baseline cell; nothing in the baseline column or when a level is 0.
    std::optional<double> ratio;  // of medians, above 1 = better than the baseline
    bool significant = false;     // Welch's interval of the means excludes 0, on ratio's side
};

struct Comparison {
    std::string title;  // scenario and machine, where all variants share them
    std::string metric;
    std::string unit;
    MetricKind kind = MetricKind::kRate;
    double confidence = 0;  // of the significance marks
    std::vector<std::string> labels;
    std::vector<std::int32_t> loads;
    std::vector<std::uint64_t> seeds;
    std::vector<std::vector<CompareCell>> cells;  // [load][variant]
    // Geometric mean of the ratios over all loads, by variant; nothing if one of them is missing.
    std::vector<std::optional<double>> mean_ratio;

    // Fewer than three seeds: neither humps nor significance can be judged.
    [[nodiscard]] bool few_seeds() const { return seeds.size() < 3; }
};

inline constexpr double kCompareConfidence = 0.95;

// All runs of a plan, by load, then variant, then seed.
[[nodiscard]] std::vector<RunSpec> plan_runs(const ComparePlan& plan);
// `results` belong to plan_runs(plan), in that order.
[[nodiscard]] Comparison summarise(const ComparePlan& plan, std::span<const RunResult> results);
// Runs and summarises. Error: an empty or ambiguous plan, or a run that failed.
[[nodiscard]] Result<Comparison> compare(const ComparePlan& plan, const RunFunction& run,
                                         const SweepOptions& options = {});

}  // namespace wakelab::lab
