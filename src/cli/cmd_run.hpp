// wakelab run: one run and its metrics.
#pragma once

#include "base/result.hpp"
#include "cli/output.hpp"
#include "cli/spec_arguments.hpp"

namespace wakelab::cli {

struct RunOptions {
    SpecArguments spec;
    std::string trace;     // file to write the events to; empty: none
    std::string trace_as;  // its format; empty: by its extension
    bool json = false;
};

[[nodiscard]] Status cmd_run(const RunOptions& options, const Output& output);

}  // namespace wakelab::cli
