// wakelab search: which feature bit or tunable of a scheduler is behind a rate.
#pragma once

#include <string>

#include "base/result.hpp"
#include "cli/output.hpp"
#include "cli/spec_arguments.hpp"
#include "lab/search.hpp"

namespace wakelab::cli {

struct SearchOptions {
    SpecArguments spec;             // seed is not used
    std::string over = "features";  // or "tunables"
    bool pairs = false;
    std::string seeds = "5";
    bool json = false;
};

// Error: an unknown name, or nothing to search.
[[nodiscard]] Result<lab::SearchPlan> plan_of(const SearchOptions& options);
[[nodiscard]] Status cmd_search(const SearchOptions& options, const Output& output);

}  // namespace wakelab::cli
