#include "cli/cmd_quickstart.hpp"

#include <fmt/format.h>

#include "cli/progress.hpp"
#include "cli/quickstart_runs.hpp"
#include "cli/write_file.hpp"
#include "report/quickstart.hpp"

namespace wakelab::cli {

Status cmd_quickstart(const QuickstartOptions& options, const Output& output) {
    const auto story = [&] {
        Progress progress(output, "quickstart");
        return make_quickstart({.threads = 0, .progress = progress.callback()});
    }();
    if (!story) return story.error();
    if (Status s = write_file(options.output, report::quickstart_markdown(*story)); !s) return s;
    if (options.json) {
        output.out(report::quickstart_json(*story));
        return {};
    }
    output.out(report::quickstart_text(*story));
    output.out(fmt::format("\nThe same as Markdown: {}\n", options.output));
    return {};
}

}  // namespace wakelab::cli
