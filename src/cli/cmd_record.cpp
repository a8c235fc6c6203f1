#include "cli/cmd_record.hpp"

#include "cli/argument_words.hpp"
#include "live/record.hpp"
#include "report/recording_json.hpp"

namespace wakelab::cli {

namespace {

Status parse_time(std::string_view option, const std::string& text, std::optional<Duration>& time) {
    if (text.empty()) return {};
    const auto parsed = parse_duration(option, text);
    if (!parsed) return parsed.error();
    time = *parsed;
    return {};
}

}  // namespace

Status cmd_record(const RecordArguments& arguments, const Output& output) {
    live::RecordOptions options;
    options.output = arguments.output;
    options.command = arguments.command;
    options.events = parse_list(arguments.events);
    options.calibrate = arguments.calibrate;
    options.recorder = "wakelab " WAKELAB_VERSION;
    if (Status s = parse_time("--duration", arguments.duration, options.duration); !s) return s;
    if (Status s = parse_time("--last", arguments.last, options.last); !s) return s;
    const auto backend = live::parse_backend(arguments.backend);
    if (!backend) return backend.error();
    options.backend = *backend;
    if (!arguments.buffer.empty()) {
        const auto bytes = parse_bytes("--buffer", arguments.buffer);
        if (!bytes) return bytes.error();
        options.buffer_bytes = *bytes;
    }
    if (options.command.empty() && !options.duration)
        options.begun = [&] { output.err("recording; Ctrl-C ends it\n"); };
    const auto report = live::record(options);
    if (!report) return report.error();
    if (output.exit_status != nullptr) *output.exit_status = report->command_status;
    if (!report->problem.empty()) return Error{report->problem};
    // The command may have written to standard output, and the recording too.
    if (arguments.json)
        output.out(report::recording_json(*report));
    else
        output.err(live::report_text(*report));
    return {};
}

}  // namespace wakelab::cli
