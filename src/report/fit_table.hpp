// The record of a fit, for people and for docs.
#pragma once

#include <string>

#include "judge/fit.hpp"

namespace wakelab::report {

// Parameters before and after with their bounds, then every fit cell before and after.
[[nodiscard]] std::string fit_text(const judge::FitRecord& record);

}  // namespace wakelab::report
