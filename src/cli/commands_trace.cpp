#include "cli/cmd_convert.hpp"
#include "cli/cmd_record.hpp"
#include "cli/cmd_report.hpp"
#include "cli/cmd_timeline.hpp"
#include "cli/cmd_top.hpp"
#include "cli/command_set.hpp"
#include "cli/help_texts.hpp"

namespace wakelab::cli {

namespace {

void add_source(CLI::App& app, TraceArguments& source) {
    app.add_option("FILE", source.file,
                   "a recording: trace.dat, perf.data, ftrace or perf script text, Perfetto, .wkt, a folder "
                   "of raw pages; - reads standard input")
        ->required();
    add_part(app, source);
}

void add_top(CommandSet& commands) {
    auto [c, options] = commands.add("top", "The longest waits of a recording: who, where, behind whom",
                                     help::kTop, cmd_top);
    add_source(c, options.source);
    c.add_option("--rows,-n", options.rows, "of each kind, up to 32")->capture_default_str();
}

void add_timeline(CommandSet& commands) {
    auto [c, options] = commands.add("timeline", "What every CPU did in a part of a recording",
                                     help::kTimeline, cmd_timeline);
    add_source(c, options.source);
    c.add_option("--width,-w", options.width, "columns; default: the terminal's");
}

void add_report(CommandSet& commands) {
    auto [c, options] = commands.add("report", "A page (HTML) of a recording or of a result file",
                                     help::kReport, cmd_report);
    c.add_option("FILE", options.source.file,
                 "a recording, or what compare, validate, run, explain or search print with --json; -")
        ->required();
    add_part(c, options.source);
    c.add_option("--output,-o", options.output, "the page; - is standard output")->capture_default_str();
    c.add_option("--title", options.title, "of the page; default: the file's name");
}

void add_convert(CommandSet& commands) {
    auto [c, options] = commands.add("convert", "Write a recording in another format", help::kConvert,
                                     cmd_convert);
    add_source(c, options.source);
    c.add_option("TARGET", options.target, "the file to write; - is standard output")->required();
    c.add_option("--as", options.format, "perfetto, trace.dat, ftrace or wktrace; default: by extension");
}

void add_record(CommandSet& commands) {
    auto [c, options] = commands.add("record", "Record the scheduler of this machine while a command runs",
                                     help::kRecord, cmd_record);
    c.add_option("COMMAND", options.command, "behind --, with its arguments; none: until Ctrl-C");
    c.add_option("--output,-o", options.output, "the file; - is standard output")->capture_default_str();
    c.add_option("--duration", options.duration, "end after this time (10s)");
    c.add_option("--last", options.last, "keep only so much before the end: a flight recorder");
    add_repeatable(c, "--events", options.events,
                   "beside sched: irq, power, ipi, syscalls, or SYSTEM:NAME; commas; repeatable");
    c.add_option("--backend", options.backend, "auto, tracefs or perf")->capture_default_str();
    c.add_option("--buffer", options.buffer, "of each CPU, in the kernel: 4M");
    c.add_flag("--calibrate", options.calibrate, "measure first what an event costs here");
}

}  // namespace

void add_trace_commands(CommandSet& commands) {
    add_record(commands);
    add_top(commands);
    add_timeline(commands);
    add_report(commands);
    add_convert(commands);
}

}  // namespace wakelab::cli
