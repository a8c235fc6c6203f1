// wakelab convert: a recording of one format as one of another, or a part of it.
#pragma once

#include <string>

#include "base/result.hpp"
#include "cli/output.hpp"
#include "cli/trace_arguments.hpp"

namespace wakelab::cli {

struct ConvertArguments {
    TraceArguments source;
    std::string target;  // path; "-": standard output
    std::string format;  // name of a writer; empty: by the extension of `target`
    bool json = false;
};

[[nodiscard]] Status cmd_convert(const ConvertArguments& arguments, const Output& output);

}  // namespace wakelab::cli
