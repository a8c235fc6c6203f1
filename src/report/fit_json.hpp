// The record of a fit for programs.
#pragma once

#include <string>

#include "judge/fit.hpp"

namespace wakelab::report {

// One object: "objective_before", "objective_after", "rounds", "converged", "runs", "parameters"
// [{"file", "key", "start", "fitted", "lo", "hi", "at_bound", "bound_source"}], "cells"
// [{"experiment", "column", "clients", "published", "before", "after"}].
[[nodiscard]] std::string fit_json(const judge::FitRecord& record);

}  // namespace wakelab::report
