#include "cli/cmd_convert.hpp"
#include "cli/command_set.hpp"
#include "cli/help_texts.hpp"

namespace wakelab::cli {

namespace {

void add_source(CLI::App& app, TraceArguments& source) {
    app.add_option("FILE", source.file,
                   "a recording: trace.dat, perf.data, ftrace or perf script text, Perfetto, .wkt, a folder "
                   "of raw pages; - reads standard input")
        ->required();
    app.add_option("--from", source.from, "count from this time after the first event (1.5s, 20ms)");
    app.add_option("--to", source.to, "... to this time after the first event");
    app.add_option("--last", source.last, "only this much before the last event");
}

void add_convert(CommandSet& commands) {
    auto [c, options] = commands.add("convert", "Write a recording in another format", help::kConvert,
                                     cmd_convert);
    add_source(c, options.source);
    c.add_option("TARGET", options.target, "the file to write; - is standard output")->required();
    c.add_option("--as", options.format, "perfetto, trace.dat, ftrace or wktrace; default: by extension");
}

}  // namespace

void add_trace_commands(CommandSet& commands) {
    add_convert(commands);
}

}  // namespace wakelab::cli
