// Which configuration reproduces which column of the published pgbench tables of 2008: one explicit
// table, after cfs.md 5 ("Which experiment uses what") and data/published/README.md.
//
// Columns of role copy (E10, three columns of E06) have no entry: their numbers stand elsewhere.
#pragma once

#include <span>

#include "judge/published_column.hpp"

namespace wakelab::judge {

// All columns, by experiment, in the order of their tables.
[[nodiscard]] std::span<const PublishedColumn> pgbench_columns();

}  // namespace wakelab::judge
