// The runs behind `wakelab quickstart`.
#pragma once

#include "base/result.hpp"
#include "lab/sweep.hpp"
#include "report/quickstart.hpp"

namespace wakelab::cli {

// Error: data files that do not belong together, or a run that failed.
[[nodiscard]] Result<report::Quickstart> make_quickstart(const lab::SweepOptions& options);

}  // namespace wakelab::cli
