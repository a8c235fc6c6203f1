// The sets of published tables that `wakelab validate NAME` can hold the simulation against.
#pragma once

#include <span>
#include <string_view>

#include "base/result.hpp"
#include "judge/published_column.hpp"

namespace wakelab::judge {

// A scale to print values of a set in.
struct ValueScale {
    std::string_view unit;
    double divisor = 1;  // of a value, to have it in `unit`
    int digits = 0;      // behind the point
};

struct TableSet {
    std::string_view name;   // "pgbench"
    std::string_view title;  // "pgbench tables of 2008"
    ValueScale brief;        // where columns are narrow
    ValueScale full;
    std::span<const PublishedColumn> (*columns)() = nullptr;
};

// All of them; the first is pgbench.
[[nodiscard]] std::span<const TableSet> table_sets();
// Error: no such set; one line that names all.
[[nodiscard]] Result<TableSet> find_table_set(std::string_view name);

}  // namespace wakelab::judge
