// Why a run came out as it did, in sentences and for programs.
#pragma once

#include <span>
#include <string>

#include "diag/finding.hpp"
#include "metrics/run_analysis.hpp"
#include "report/run_table.hpp"

namespace wakelab::report {

// What was run, the findings with what to try, who wakes whom, which rules placed the wakees, where
// the tasks ran.
[[nodiscard]] std::string explain_text(const metrics::RunSummary& run,
                                       std::span<const diag::Finding> findings,
                                       const RunLabels& labels);

// One object: "run" (the labels), "rate_per_s", "unit", "findings", "wakers", "placement".
[[nodiscard]] std::string explain_json(const metrics::RunSummary& run,
                                       std::span<const diag::Finding> findings,
                                       const RunLabels& labels);

}  // namespace wakelab::report
