// wakelab report: a page of a recording, or of what another command printed with --json.
#pragma once

#include <string>

#include "base/result.hpp"
#include "cli/output.hpp"
#include "cli/trace_arguments.hpp"

namespace wakelab::cli {

struct ReportArguments {
    TraceArguments source;  // or a result file
    std::string output = "report.html";
    std::string title;
    bool json = false;
};

[[nodiscard]] Status cmd_report(const ReportArguments& arguments, const Output& output);

}  // namespace wakelab::cli
