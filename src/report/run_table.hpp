// The metrics of one run for people and for programs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "metrics/run_metrics.hpp"

namespace wakelab::report {

// What was run, as lines or members: {"scheduler", "cfs-2.6.26"}, {"seed", "1"}.
using RunLabels = std::vector<std::pair<std::string, std::string>>;

// Labels, one line per metric, a table of CPUs and a table of tasks; groups of three or more tasks
// that differ by a number only are one line.
[[nodiscard]] std::string run_text(const metrics::RunMetrics& m, const RunLabels& labels);

// One object: "run" (the labels), "metrics", "cpus", "tasks". Durations in ns, shares as fractions,
// counts as counted.
[[nodiscard]] std::string run_json(const metrics::RunMetrics& m, const RunLabels& labels);

// The labels alone, aligned; first block of every text about a run.
[[nodiscard]] std::string labels_text(const RunLabels& labels);

}  // namespace wakelab::report
