// The arguments that name a recording and a part of it, and reading it.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/output.hpp"
#include "metrics/run_analysis.hpp"
#include "trace/input.hpp"
#include "trace/quality.hpp"
#include "trace/sink.hpp"
#include "trace/translator.hpp"

namespace wakelab::cli {

struct TraceArguments {
    std::string file;  // path, "-", or a directory of raw pages
    std::string from;  // since the first event; empty: from it
    std::string to;    // empty: to the last
    std::string last;  // only that much before the last event; excludes the other two
};

struct AnalysedTrace {
    metrics::RunSummary summary;
    trace::TraceQuality quality;
};

// Error: an argument; one line.
[[nodiscard]] Result<trace::Window> window_of(const TraceArguments& arguments);
// `opened`: the file, where the caller has looked at its beginning; null: opened here.
// Reads the recording once (twice with `last`) into the sink. Error: an argument or the file; one line.
[[nodiscard]] Status read_trace_part(const TraceArguments& arguments, const Output& output,
                                     trace::TraceSink& sink, trace::TraceQuality& quality,
                                     trace::Input* opened = nullptr);
// With all metrics; `others` see the same records.
[[nodiscard]] Result<AnalysedTrace> analysed_trace(const TraceArguments& arguments, const Output& output,
                                                   std::vector<trace::TraceSink*> others = {},
                                                   trace::Input* opened = nullptr);

// Is `what` of `wakelab explain` a recording, and not a scenario? "-", or what exists and does not end in
// .toml or .json.
[[nodiscard]] bool names_recording(const std::string& what);

}  // namespace wakelab::cli
