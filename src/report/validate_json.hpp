// A validation for programs.
#pragma once

#include <string>

#include "judge/validate.hpp"

namespace wakelab::report {

// {"seeds", "warmup_ms", "duration_ms", "predict": SCORE, "fit": SCORE, "tables": [{"experiment",
// "predict": SCORE, "fit": SCORE, "cells": [..], "not_run": [{"column", .., "needs"}]}]}
//
// SCORE: "cells" (count), "median_error", "p90_error", "max_error" (|ln(simulated/published)|, null
// without cells), "direction" (share within experiments, null without pairs) with "direction_pairs"
// and "direction_same", the same as "direction_all.." over all experiments, "tau" (null without a
// column of three cells), "tau_columns", "bistable", "bistable_in_range". Numbers are rounded to
// six digits behind the point.
[[nodiscard]] std::string validate_json(const judge::ValidationReport& report);

}  // namespace wakelab::report
