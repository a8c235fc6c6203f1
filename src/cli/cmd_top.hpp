// wakelab top: the longest waits of a recording.
#pragma once

#include <string>

#include "base/result.hpp"
#include "cli/output.hpp"
#include "cli/trace_arguments.hpp"

namespace wakelab::cli {

struct TopArguments {
    TraceArguments source;
    std::string rows = "10";  // of each kind
    bool json = false;
};

[[nodiscard]] Status cmd_top(const TopArguments& arguments, const Output& output);

}  // namespace wakelab::cli
