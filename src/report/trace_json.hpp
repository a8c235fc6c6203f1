// What a recording shows, for programs. Names and sentences are escaped as in text (printable()), so that
// the output is valid UTF-8 whatever tasks call themselves.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "diag/finding.hpp"
#include "metrics/run_analysis.hpp"
#include "metrics/timeline_window.hpp"
#include "trace/quality.hpp"

namespace wakelab::report {

// One object: "quality", "findings", "groups", "waits", "cpus", "idle_while_waiting", "wakers", "worst".
// Times in ns; "at_ns" since the start of the counted part.
[[nodiscard]] std::string trace_json(const metrics::RunSummary& run,
                                     std::span<const diag::Finding> findings,
                                     const trace::TraceQuality& quality, std::string_view source);

// One object: "quality", "worst" with at most `rows` waits of each kind; `wakelab top FILE`.
[[nodiscard]] std::string top_json(const metrics::RunMetrics& m, const trace::TraceQuality& quality,
                                   std::string_view source, std::size_t rows);

// One object: "from_ns", "to_ns", "cut", "lanes": per CPU [from_ns, to_ns, task or null, queued], and
// "tasks": names by number.
[[nodiscard]] std::string timeline_json(const metrics::Timeline& timeline);

}  // namespace wakelab::report
