// A run with its diagnosis, and the experiments that the diagnosis proposes, tried.
#pragma once

#include <cstddef>
#include <vector>

#include "base/result.hpp"
#include "diag/finding.hpp"
#include "lab/run.hpp"
#include "lab/sweep.hpp"
#include "metrics/run_analysis.hpp"
#include "report/trials.hpp"
#include "trace/sink.hpp"

namespace wakelab::cli {

struct AnalysedRun {
    lab::RunResult result;
    metrics::RunSummary summary;
};

// Runs with the analysis attached, and `other` (may be null) seeing the same records. Error: also a run
// that stopped before its end.
[[nodiscard]] Result<AnalysedRun> analysed_run(const lab::RunSpec& spec,
                                               trace::TraceSink* other = nullptr);

// What is found in a run of `spec`, which check_spec() has accepted.
[[nodiscard]] std::vector<diag::Finding> findings_of(const lab::RunSpec& spec,
                                                     const metrics::RunSummary& summary);

// The experiments of the first finding and at most two of the others, each once.
[[nodiscard]] std::vector<diag::Experiment> experiments_to_try(
    const std::vector<diag::Finding>& findings);

inline constexpr std::size_t kTrialSeeds = 3;

// Runs `spec` with and without each experiment, with kTrialSeeds seeds from spec.seed on.
[[nodiscard]] Result<report::Trials> try_experiments(
    const lab::RunSpec& spec, const std::vector<diag::Experiment>& experiments,
    const lab::SweepOptions& options);

}  // namespace wakelab::cli
