#include "lab/compare.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.hpp"
#include "metrics/stats.hpp"

namespace wakelab::lab {

namespace {

CompareCell level(MetricKind kind, std::vector<double> values) {
    CompareCell cell;
    cell.median = metrics::median(values);
    cell.mean = kind == MetricKind::kRate ? metrics::harmonic_mean(values)
                                          : metrics::arithmetic_mean(values);
    cell.stddev = metrics::stddev(values);
    cell.variation = metrics::coefficient_of_variation(values);
    cell.min = std::ranges::min(values);
    cell.max = std::ranges::max(values);
    cell.two_humps = metrics::find_humps(values).two;
    cell.values = std::move(values);
    return cell;
}

void relate(MetricKind kind, const CompareCell& baseline, CompareCell& cell) {
    if (baseline.median <= 0 || cell.median <= 0) return;
    const double quotient = cell.median / baseline.median;
    cell.ratio = kind == MetricKind::kRate ? quotient : 1 / quotient;
    const auto welch = metrics::welch_interval(baseline.values, cell.values, kCompareConfidence);
    // Of two humps median and mean may disagree about the direction; then nothing is certain.
    const bool same_side = welch && (welch->difference > 0) == (quotient > 1);
    cell.significant = same_side && welch->excludes_zero();
}

std::optional<double> mean_ratio(const std::vector<std::vector<CompareCell>>& cells,
                                 std::size_t variant) {
    std::vector<double> ratios;
    for (const auto& row : cells) {
        if (!row[variant].ratio) return {};
        ratios.push_back(*row[variant].ratio);
    }
    return metrics::geometric_mean(ratios);
}

std::string title_of(const ComparePlan& plan) {
    const RunSpec& first = plan.variants.front().spec;
    const auto all_have = [&](std::string RunSpec::*field) {
        return std::ranges::all_of(plan.variants,
                                   [&](const Variant& v) { return v.spec.*field == first.*field; });
    };
    std::string title = all_have(&RunSpec::scenario) ? first.scenario : "several scenarios";
    if (all_have(&RunSpec::machine)) title += " on " + first.machine;
    return title;
}

Status check(const ComparePlan& plan) {
    if (plan.variants.empty()) return Error{"compare: no variant to run"};
    if (plan.loads.empty()) return Error{"compare: no load level to run"};
    if (plan.seeds.empty()) return Error{"compare: no seed to run"};
    for (auto v = plan.variants.begin(); v != plan.variants.end(); ++v)
        if (std::ranges::find(plan.variants.begin(), v, v->label, &Variant::label) != v)
            return Error{fmt::format("compare: two variants are called '{}'", v->label)};
    return {};
}

}  // namespace

Metric rate_metric() {
    return {.name = "rate", .unit = {}, .kind = MetricKind::kRate, .value = [](const RunResult& r) {
                return r.rate;
            }};
}

std::vector<RunSpec> plan_runs(const ComparePlan& plan) {
    std::vector<RunSpec> runs;
    runs.reserve(plan.loads.size() * plan.variants.size() * plan.seeds.size());
    for (const std::int32_t load : plan.loads) {
        for (const Variant& variant : plan.variants) {
            for (const std::uint64_t seed : plan.seeds) {
                RunSpec spec = variant.spec;
                spec.clients = load;
                spec.seed = seed;
                runs.push_back(std::move(spec));
            }
        }
    }
    return runs;
}

Comparison summarise(const ComparePlan& plan, std::span<const RunResult> results) {
    WK_CHECK(results.size() == plan.loads.size() * plan.variants.size() * plan.seeds.size());
    WK_CHECK(!results.empty());
    Comparison c;
    c.title = title_of(plan);
    c.metric = plan.metric.name;
    c.unit = plan.metric.unit.empty() ? results.front().unit + "/s" : plan.metric.unit;
    c.kind = plan.metric.kind;
    c.confidence = kCompareConfidence;
    for (const Variant& v : plan.variants) c.labels.push_back(v.label);
    c.loads = plan.loads;
    c.seeds = plan.seeds;
    std::size_t next = 0;
    for (std::size_t l = 0; l < plan.loads.size(); ++l) {
        std::vector<CompareCell>& row = c.cells.emplace_back();
        for (std::size_t v = 0; v < plan.variants.size(); ++v) {
            std::vector<double> values;
            for (std::size_t s = 0; s < plan.seeds.size(); ++s)
                values.push_back(plan.metric.value(results[next++]));
            row.push_back(level(c.kind, std::move(values)));
            if (v > 0) relate(c.kind, row.front(), row.back());
        }
    }
    c.mean_ratio.resize(plan.variants.size());
    for (std::size_t v = 1; v < plan.variants.size(); ++v) c.mean_ratio[v] = mean_ratio(c.cells, v);
    return c;
}

Result<Comparison> compare(const ComparePlan& plan, const RunFunction& run,
                           const SweepOptions& options) {
    if (Status s = check(plan); !s) return s.error();
    const Result<std::vector<RunResult>> results = sweep(plan_runs(plan), run, options);
    if (!results) return results.error();
    return summarise(plan, *results);
}

}  // namespace wakelab::lab
