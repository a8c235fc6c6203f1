// What perf_event can record here: tracepoints, or context switches only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "live/perf_session.hpp"
#include "live/record.hpp"

namespace wakelab::live {

struct PerfPlan {
    std::vector<std::uint32_t> cpus;  // online, ascending
    PerfChoice choice;
    std::string tracefs;             // where the formats of the tracepoints are
    std::string why_no_tracepoints;  // and what helps; empty: there are
};

// `tracefs_refused`: why tracefs itself was not taken, or empty. Events that this kernel has not
// are told in `notes`. Error: perf_event is refused (says why tracefs is, too), or not enough for
// what is asked.
[[nodiscard]] Result<PerfPlan> plan_perf(const RecordOptions& options,
                                         const std::string& tracefs_refused,
                                         std::vector<std::string>& notes);
// A sentence for who reads the report; empty: nothing is missing.
[[nodiscard]] std::string perf_note(const PerfPlan& plan, const std::string& tracefs_refused);

}  // namespace wakelab::live
