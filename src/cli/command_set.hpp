// Subcommands on their way into the grammar: a name, options of a type of their own, and what to
// run. Only the files that name commands (commands_*.cpp) and parse.cpp include this and with it
// CLI11.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/parse.hpp"
#include "cli/trace_arguments.hpp"

namespace wakelab::cli {

class CommandSet {
 public:
    template <class Options>
    struct Added {
        CLI::App& app;
        Options& options;  // lives as long as the command
    };

    explicit CommandSet(CLI::App& program) : program_(program) {}

    // Every command has --json.
    template <class Options>
    Added<Options> add(const char* name, const char* summary, const char* examples,
                       Status (*run)(const Options&, const Output&)) {
        auto options = std::make_shared<Options>();
        CLI::App& app = *program_.add_subcommand(name, summary);
        app.footer(examples);
        app.add_flag("--json", options->json, "output for programs");
        commands_.emplace_back(
            &app, [options, run](const Output& output) { return run(*options, output); });
        return {app, *options};
    }

    // Of a subcommand that was added here.
    [[nodiscard]] Command command_of(const CLI::App& app) const {
        return std::ranges::find(commands_, &app, &Entry::first)->second;
    }

 private:
    using Entry = std::pair<const CLI::App*, Command>;

    CLI::App& program_;
    std::vector<Entry> commands_;
};

// An option that may be given several times, one value each.
inline void add_repeatable(CLI::App& app, const char* name, std::vector<std::string>& values,
                           const char* summary) {
    app.add_option(name, values, summary)->allow_extra_args(false);
}

// What part of a recording.
inline void add_part(CLI::App& app, TraceArguments& source) {
    app.add_option("--from", source.from, "recording: count from this time after its first event (20ms)");
    app.add_option("--to", source.to, "recording: to this time after its first event");
    app.add_option("--last", source.last, "recording: only this much before its last event");
}

// run, explain, search, compare, quickstart, list, show, diff, validate, fit
void add_simulation_commands(CommandSet& commands);
// record, top, timeline, report, convert
void add_trace_commands(CommandSet& commands);

}  // namespace wakelab::cli
