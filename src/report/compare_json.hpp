// A comparison for programs.
#pragma once

#include <string>

#include "lab/compare.hpp"

namespace wakelab::report {

// One object: "metric", "unit", "better" ("higher" or "lower"), "confidence", "baseline",
// "variants", "seeds", "few_seeds", "levels" [{"clients", "cells" [one per variant]}],
// "mean_change" [one per variant]. Changes are fractions, positive = better; null where there is
// none.
[[nodiscard]] std::string compare_json(const lab::Comparison& comparison);

}  // namespace wakelab::report
