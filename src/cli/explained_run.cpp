#include "cli/explained_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>

#include "diag/diagnose.hpp"
#include "metrics/stats.hpp"
#include "policy/registry.hpp"
#include "topo/machine.hpp"
#include "trace/tee.hpp"
#include "work/scenario.hpp"

namespace wakelab::cli {

namespace {

constexpr std::size_t kMoreExperiments = 2;  // beyond those of the first finding

diag::Knobs knobs_of(const lab::RunSpec& spec) {
    const auto machine = topo::load_machine(spec.machine);
    const auto scheduler = policy::find_scheduler(spec.scheduler);
    WK_CHECK(machine && scheduler);
    const policy::SchedulerInfo& info = **scheduler;
    const auto config = policy::configure(info, *machine, spec.features, spec.tunables);
    WK_CHECK(config);
    diag::Knobs knobs;
    for (const policy::FeatureInfo& f : info.features)
        knobs.features.push_back(
            {std::string(f.name), f.bit, (config->features & f.bit) != 0, f.wired()});
    for (const policy::TunableInfo& t : config->tunables)
        knobs.tunables.push_back({t.name, t.value, t.min, t.max});
    const auto scenario = work::load_scenario(spec.scenario);
    const bool batch_already = !spec.batch.empty() || (scenario && !scenario->batch.empty());
    knobs.has_batch = info.has_batch && !batch_already;
    return knobs;
}

lab::RunSpec changed(lab::RunSpec spec, const diag::Experiment& e) {
    spec.features.insert(spec.features.end(), e.features.begin(), e.features.end());
    spec.tunables.insert(spec.tunables.end(), e.tunables.begin(), e.tunables.end());
    spec.batch.insert(spec.batch.end(), e.batch.begin(), e.batch.end());
    spec.pins.insert(spec.pins.end(), e.pins.begin(), e.pins.end());
    return spec;
}

void append_seeds(const lab::RunSpec& spec, std::vector<lab::RunSpec>& specs) {
    for (std::size_t i = 0; i < kTrialSeeds; ++i) {
        specs.push_back(spec);
        specs.back().seed = spec.seed + i;
    }
}

report::RateRange range_of(std::span<const lab::RunResult> runs) {
    std::vector<double> rates;
    for (const lab::RunResult& r : runs) rates.push_back(r.rate);
    return {metrics::median(rates), std::ranges::min(rates), std::ranges::max(rates)};
}

}  // namespace

Result<AnalysedRun> analysed_run(const lab::RunSpec& spec, trace::TraceSink* other) {
    metrics::RunAnalysis analysis;
    std::vector<trace::TraceSink*> sinks{&analysis};
    if (other != nullptr) sinks.push_back(other);
    trace::Tee tee(std::move(sinks));
    auto result = lab::run(spec, &tee);
    if (!result) return result.error();
    if (!result->exit.empty())
        return Error{fmt::format("{}: stopped early: {}", lab::describe(spec), result->exit)};
    return AnalysedRun{std::move(*result), analysis.take()};
}

std::vector<diag::Finding> findings_of(const lab::RunSpec& spec,
                                       const metrics::RunSummary& summary) {
    return diag::diagnose(summary, knobs_of(spec));
}

std::vector<diag::Experiment> experiments_to_try(const std::vector<diag::Finding>& findings) {
    std::vector<diag::Experiment> chosen;
    std::size_t limit = 0;
    for (std::size_t i = 0; i < findings.size(); ++i) {
        if (i == 0) limit = findings[0].experiments.size() + kMoreExperiments;
        for (const diag::Experiment& e : findings[i].experiments) {
            const bool known = std::ranges::any_of(chosen, [&](const diag::Experiment& other) {
                return other.arguments() == e.arguments();
            });
            if (!known && chosen.size() < limit) chosen.push_back(e);
        }
    }
    return chosen;
}

Result<report::Trials> try_experiments(const lab::RunSpec& spec,
                                       const std::vector<diag::Experiment>& experiments,
                                       const lab::SweepOptions& options) {
    std::vector<lab::RunSpec> specs;
    append_seeds(spec, specs);
    for (const diag::Experiment& e : experiments) append_seeds(changed(spec, e), specs);
    const auto runs = lab::sweep(
        specs, [](const lab::RunSpec& s) { return lab::run(s); }, options);
    if (!runs) return runs.error();
    const std::span<const lab::RunResult> all = *runs;
    report::Trials trials{.unit = all.front().unit,
                          .seeds = kTrialSeeds,
                          .before = range_of(all.first(kTrialSeeds)),
                          .trials = {}};
    for (std::size_t i = 0; i < experiments.size(); ++i)
        trials.trials.push_back(
            {experiments[i], range_of(all.subspan((i + 1) * kTrialSeeds, kTrialSeeds))});
    return trials;
}

}  // namespace wakelab::cli
