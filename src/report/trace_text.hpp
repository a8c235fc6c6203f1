// What a recording (or a simulated run) shows, for people: how far its numbers can be trusted, what is
// wrong and why, then tables. Names in it are bytes of strangers; everything here prints them escaped.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "diag/finding.hpp"
#include "metrics/run_analysis.hpp"
#include "trace/quality.hpp"

namespace wakelab::report {

// "trace.dat v6 of kernel 6.1.0, ...": format, clock, resolution, losses, repairs, what was skipped. One
// fact per line, without those that do not apply. `source` is the name of the file.
[[nodiscard]] std::string quality_text(const metrics::RunMetrics& m,
                                       const trace::TraceQuality& quality, std::string_view source);

// quality_text, findings with cases, tables: task groups, waits, CPUs, idle while work waited, wakers.
[[nodiscard]] std::string trace_text(const metrics::RunSummary& run,
                                     std::span<const diag::Finding> findings,
                                     const trace::TraceQuality& quality, std::string_view source);

// Share of the CPU time of all CPUs of which the recording does not tell anything, 0 .. 1.
[[nodiscard]] double unknown_share(const metrics::RunMetrics& m);

}  // namespace wakelab::report
