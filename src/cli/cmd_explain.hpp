// wakelab explain: why a run came out as it did, and what the proposed changes do to it.
#pragma once

#include "base/result.hpp"
#include "cli/output.hpp"
#include "cli/spec_arguments.hpp"

namespace wakelab::cli {

struct ExplainOptions {
    SpecArguments spec;
    bool json = false;
};

[[nodiscard]] Status cmd_explain(const ExplainOptions& options, const Output& output);

}  // namespace wakelab::cli
