#include "cli/cmd_top.hpp"

#include "cli/argument_words.hpp"
#include "report/trace_json.hpp"
#include "report/wait_text.hpp"

namespace wakelab::cli {

Status cmd_top(const TopArguments& arguments, const Output& output) {
    const auto rows = parse_number("--rows", arguments.rows, "a number of rows", 1,
                                   metrics::WaitCases::kKept);
    if (!rows) return rows.error();
    const auto run = analysed_trace(arguments.source, output);
    if (!run) return run.error();
    const auto report = arguments.json ? report::top_json : report::top_text;
    output.out(report(run->summary.metrics, run->quality, arguments.source.file,
                      static_cast<std::size_t>(*rows)));
    return {};
}

}  // namespace wakelab::cli
