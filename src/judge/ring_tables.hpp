// Which configuration reproduces which column of the lat_ctx and pipe-test results of 2008 (X17 ..
// X19), in the manner of pgbench_tables.
#pragma once

#include <span>

#include "judge/published_column.hpp"

namespace wakelab::judge {

// Context switch times of lmbench's lat_ctx -s 0, in us.
[[nodiscard]] std::span<const PublishedColumn> lat_ctx_columns();
// Round trips of pipe-test, in us.
[[nodiscard]] std::span<const PublishedColumn> pipe_test_columns();

}  // namespace wakelab::judge
