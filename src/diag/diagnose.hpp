// Why a run is as fast as it is: all rules over its metrics.
#pragma once

#include <vector>

#include "diag/finding.hpp"
#include "diag/knobs.hpp"
#include "metrics/run_analysis.hpp"

namespace wakelab::diag {

// Ordered by the share of CPU time they explain, then those whose share is not known. Never empty:
// a run without problems gets the finding "saturated" or "nothing-wrong".
[[nodiscard]] std::vector<Finding> diagnose(const metrics::RunSummary& run, const Knobs& knobs);

}  // namespace wakelab::diag
