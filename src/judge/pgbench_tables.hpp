// Which configuration reproduces which column of the published pgbench tables of 2008: one explicit
// table, after cfs.md 5 ("Which experiment uses what") and data/published/README.md.
//
// Columns of role copy (E10, three columns of E06) have no entry: their numbers stand elsewhere.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "judge/published.hpp"
#include "lab/run.hpp"

namespace wakelab::judge {

struct PgbenchColumn {
    // The rows it belongs to, with the exact texts of data/published.
    std::string experiment;
    std::string kernel;
    std::string variant;
    std::string label;  // heading in our tables; unique within an experiment
    // How to run it.
    std::string machine;  // of data/machines
    std::string scheduler;
    std::vector<std::string> features;
    std::vector<std::string> batch;
    std::vector<std::pair<std::string, std::string>> pins;
    // Empty: can be run. Else what is missing, e.g. "patch P5"; the column is then only listed.
    std::string needs;

    [[nodiscard]] bool runnable() const { return needs.empty(); }
};

// All columns, by experiment, in the order of their tables.
[[nodiscard]] std::span<const PgbenchColumn> pgbench_columns();

// A cell of a column. Several printed runs (E13 shows two) are combined by their median.
struct PublishedCell {
    std::int32_t clients = 0;
    double value = 0;  // transactions per second
    double low = 0;    // smallest and largest printed run
    double high = 0;
    std::size_t runs = 0;
    Role role = Role::kPredict;
};

// The cells of `column`, by ascending client count. Error: no such rows, or a row that is no
// number; one line.
[[nodiscard]] Result<std::vector<PublishedCell>> cells_of(const std::vector<PublishedRow>& rows,
                                                          const PgbenchColumn& column);

// The run that should reproduce a cell; seed and times keep their defaults.
[[nodiscard]] lab::RunSpec run_spec(const PgbenchColumn& column, std::int32_t clients);

}  // namespace wakelab::judge
