// wakelab explain: why a run came out as it did, and what the proposed changes do to it; or why the
// recording of a real run did.
#pragma once

#include "base/result.hpp"
#include "cli/output.hpp"
#include "cli/spec_arguments.hpp"
#include "cli/trace_arguments.hpp"

namespace wakelab::cli {

struct ExplainOptions {
    SpecArguments spec;    // spec.scenario may be a recording
    TraceArguments source;  // what part of it; `file` is not used
    bool json = false;
};

[[nodiscard]] Status cmd_explain(const ExplainOptions& options, const Output& output);

}  // namespace wakelab::cli
