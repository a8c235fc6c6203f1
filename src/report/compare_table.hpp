// A comparison for people.
#pragma once

#include <string>

#include "lab/compare.hpp"

namespace wakelab::report {

// Two blocks: level and change per load and variant (wrapped below 120 columns, the baseline
// repeated in each part), then the spread over the seeds; last a legend of the marks that occur.
[[nodiscard]] std::string compare_text(const lab::Comparison& comparison);

}  // namespace wakelab::report
