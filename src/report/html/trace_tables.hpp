// The tables of a run's page.
#pragma once

#include <string>

#include "metrics/run_metrics.hpp"
#include "trace/quality.hpp"

namespace wakelab::report::html {

[[nodiscard]] std::string run_numbers_html(const metrics::RunMetrics& m);
[[nodiscard]] std::string cpu_table_html(const metrics::RunMetrics& m);
// Groups by CPU time, the tasks of them below.
[[nodiscard]] std::string group_table_html(const metrics::RunMetrics& m);
[[nodiscard]] std::string task_table_html(const metrics::RunMetrics& m);

// What a reader of numbers must know first: losses, gaps, repairs. "" when there is nothing.
[[nodiscard]] std::string quality_warnings_html(const trace::TraceQuality& q,
                                                const metrics::Anomalies& anomalies);
// Everything that is known of the recording.
[[nodiscard]] std::string quality_table_html(const trace::TraceQuality& q);

}  // namespace wakelab::report::html
