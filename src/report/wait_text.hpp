// The worst waits as a table; `wakelab top`.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "metrics/run_metrics.hpp"
#include "trace/quality.hpp"

namespace wakelab::report {

// The longest waits of woken and of preempted tasks, `rows` of each at most: when, who, how long, where,
// woken by whom, who ran instead, which CPU idled meanwhile.
[[nodiscard]] std::string wait_cases_table(const metrics::RunMetrics& m, std::size_t rows);

// The same under the lines that say how far the numbers can be trusted; `wakelab top FILE`.
[[nodiscard]] std::string top_text(const metrics::RunMetrics& m, const trace::TraceQuality& quality,
                                   std::string_view source, std::size_t rows);

}  // namespace wakelab::report
