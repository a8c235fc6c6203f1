// The first story: pgbench on the Q6600 under the schedulers of 2007 and 2008, simulated beside
// print, and why one of them collapses. Pure functions from results to text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "diag/finding.hpp"
#include "judge/published.hpp"
#include "metrics/run_analysis.hpp"
#include "report/run_table.hpp"
#include "report/trials.hpp"

namespace wakelab::report {

struct QuickstartCell {
    std::optional<double> published;  // transactions per second
    judge::Role role = judge::Role::kPredict;
    double simulated = 0;    // median over the seeds
    bool two_humps = false;  // over the seeds
};

struct QuickstartColumn {
    std::string head;                   // at most eight characters, over the column
    std::string setup;                  // "cfs-2.6.26-rc3 --features 863"
    std::string experiment;             // of the published numbers, "E04"; empty: never published
    std::vector<QuickstartCell> cells;  // by load
};

struct Quickstart {
    std::string machine;  // summary of its file
    std::vector<std::int32_t> clients;
    std::vector<QuickstartColumn> columns;
    std::size_t seeds = 0;
    // The collapse: column and load that are explained.
    std::size_t column = 0;
    std::size_t load = 0;
    RunLabels labels;
    metrics::RunSummary run;
    std::vector<diag::Finding> findings;
    Trials trials;
};

[[nodiscard]] std::string quickstart_text(const Quickstart& story);
// The same with tables of Markdown, as a page of its own.
[[nodiscard]] std::string quickstart_markdown(const Quickstart& story);
// {"machine", "clients", "seeds", "columns" [{"head", "setup", "experiment", "cells"
// [{"published", "simulated", "two_humps"}]}], "explained": as explain_json with "tried"}.
[[nodiscard]] std::string quickstart_json(const Quickstart& story);

}  // namespace wakelab::report
