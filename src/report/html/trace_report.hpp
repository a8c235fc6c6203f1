// A page of one run, recorded or simulated: verdicts, numbers, delays, lanes with zoom, queues, who
// wakes whom, tables. It needs no network; without scripts everything but the zoom is there.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "diag/finding.hpp"
#include "metrics/run_analysis.hpp"
#include "metrics/slice_store.hpp"
#include "report/html/lanes_data.hpp"
#include "report/html/load_view.hpp"
#include "trace/quality.hpp"

namespace wakelab::report {

// Pointers may be null where they say so; what they point to is only read.
struct TraceReportInput {
    std::string title;  // bytes
    std::vector<std::pair<std::string, std::string>>
        facts;                                 // name, value; bytes: file, machine, command ..
    const metrics::RunSummary* run = nullptr;  // needed
    std::span<const diag::Finding> findings;
    const trace::TraceQuality* quality = nullptr;  // null: simulated, nothing is missing
    const metrics::Lanes* lanes = nullptr;         // null: no lanes
    html::LoadOverTime load;                       // empty: of `run`, if it has a series
};

// Streams the page; a page with a million slices has about 20 MB.
void write_trace_page(const TraceReportInput& input, const html::HtmlSink& sink);

// The same into a file that is complete or not there. "-": standard output. Error: it cannot be
// written.
[[nodiscard]] Status write_trace_report(const TraceReportInput& input, const std::string& path);

}  // namespace wakelab::report
