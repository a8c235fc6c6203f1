// `wakelab validate`: runs every published table of a set that has a model and holds the simulation
// against print, cell by cell.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "judge/published.hpp"
#include "judge/published_column.hpp"
#include "judge/score.hpp"
#include "judge/table_sets.hpp"
#include "lab/run.hpp"
#include "lab/sweep.hpp"

namespace wakelab::judge {

struct ValidateOptions {
    TableSet set = table_sets().front();  // what the tables are about
    std::vector<std::uint64_t> seeds;     // of the runs per cell; at least one
    Duration warmup = 1_s;                 // simulated; bistable states need it to settle
    Duration duration = 2_s;               // simulated, counted
    std::vector<std::string> experiments;  // e.g. "E13"; empty: all
    lab::SweepOptions sweep;
};

// What the seeds of one cell gave. The numbers below in_range are medians over the seeds, per work
// unit (transaction); they explain a wrong rate (lessons.md 6, "fit traps").
struct SimulatedCell {
    double median = 0;  // in the unit of the column
    double min = 0;
    double max = 0;
    double log_ratio = 0;   // ln(median / published); its size is the error
    bool bistable = false;  // two humps over the seeds
    bool in_range = false;  // print within min .. max
    double batch = 0;       // replies per select() of the driver
    double switches = 0;
    double migrations = 0;
    double spurious = 0;  // spurious wake-ups
    double busy = 0;      // share of all CPU time, 0 .. 1
};

struct CellReport {
    PublishedCell published;
    std::optional<SimulatedCell> simulated;  // nothing in a column that cannot be run
};

struct ColumnReport {
    PublishedColumn column;
    std::vector<CellReport> cells;  // by ascending client count
};

// All columns of one experiment, with the scores of this table alone.
struct TableReport {
    std::string experiment;
    std::vector<ColumnReport> columns;
    Score predict;
    Score fit;
};

struct ValidationReport {
    TableSet set = table_sets().front();
    std::vector<TableReport> tables;
    Score predict;
    Score fit;
    std::size_t seeds = 0;
    Duration warmup;
    Duration duration;
};

// Error: an unknown experiment, unreadable tables, or a run that failed; one line.
[[nodiscard]] Result<ValidationReport> validate(std::span<const PublishedColumn> columns,
                                                const std::vector<PublishedRow>& rows,
                                                const ValidateOptions& options,
                                                const lab::RunFunction& run);

// The runs of one cell, one per seed, summed up against print.
[[nodiscard]] SimulatedCell summarise(std::span<const lab::RunResult> runs,
                                      const PublishedCell& published,
                                      Quantity quantity = Quantity::kRate);

}  // namespace wakelab::judge
