#include "cli/cmd_timeline.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/argument_words.hpp"
#include "metrics/timeline_window.hpp"
#include "report/timeline_text.hpp"
#include "report/trace_json.hpp"

namespace wakelab::cli {

namespace {

constexpr std::int64_t kMinWidth = 40;
constexpr std::int64_t kMaxWidth = 10'000;

Result<std::size_t> width_of(const TimelineArguments& arguments) {
    if (!arguments.width.empty()) {
        const auto width =
            parse_number("--width", arguments.width, "a number of columns", kMinWidth, kMaxWidth);
        if (!width) return width.error();
        return static_cast<std::size_t>(*width);
    }
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= kMinWidth)
        return std::size_t{size.ws_col};
    return std::size_t{100};
}

// The longest wake-up latency with half of its length on either side.
Status choose_part(TraceArguments& source, const Output& output) {
    if (source.file == "-")
        return Error{"timeline of standard input: expected --from and --to, or --last"};
    const auto run = analysed_trace(source, output);
    if (!run) return run.error();
    const metrics::RunMetrics& m = run->summary.metrics;
    if (m.worst_wakeups.empty()) return {};
    const metrics::WaitCase& worst = m.worst_wakeups.front();
    const std::int64_t margin = worst.wait_ns / 2 + 1000;
    const std::int64_t from = std::max<std::int64_t>(worst.from_ns - m.start_ns - margin, 0);
    source.from = fmt::format("{}ns", from);
    source.to = fmt::format("{}ns", worst.from_ns - m.start_ns + worst.wait_ns + margin);
    output.err(fmt::format("around the longest wake-up latency: --from {} --to {}\n", source.from,
                           source.to));
    return {};
}

}  // namespace

Status cmd_timeline(const TimelineArguments& arguments, const Output& output) {
    const auto width = width_of(arguments);
    if (!width) return width.error();
    TraceArguments source = arguments.source;
    if (source.from.empty() && source.to.empty() && source.last.empty())
        if (Status s = choose_part(source, output); !s) return s;
    metrics::TimelineWindow window;
    trace::TraceQuality quality;
    if (Status s = read_trace_part(source, output, window, quality); !s) return s;
    const metrics::Timeline timeline = window.take();
    output.out(arguments.json ? report::timeline_json(timeline)
                              : report::timeline_text(timeline, *width));
    return {};
}

}  // namespace wakelab::cli
