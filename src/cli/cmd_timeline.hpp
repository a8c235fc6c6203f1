// wakelab timeline: what every CPU did in a part of a recording, as lanes of text.
#pragma once

#include <string>

#include "base/result.hpp"
#include "cli/output.hpp"
#include "cli/trace_arguments.hpp"

namespace wakelab::cli {

struct TimelineArguments {
    TraceArguments source;  // without a part: around the longest wake-up latency
    std::string width;      // columns; empty: those of the terminal, else 100
    bool json = false;
};

[[nodiscard]] Status cmd_timeline(const TimelineArguments& arguments, const Output& output);

}  // namespace wakelab::cli
