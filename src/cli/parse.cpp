#include "cli/parse.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <memory>

#include "base/text.hpp"
#include "cli/cmd_compare.hpp"
#include "cli/cmd_diff.hpp"
#include "cli/cmd_explain.hpp"
#include "cli/cmd_fit.hpp"
#include "cli/cmd_list.hpp"
#include "cli/cmd_quickstart.hpp"
#include "cli/cmd_run.hpp"
#include "cli/cmd_search.hpp"
#include "cli/cmd_show.hpp"
#include "cli/cmd_validate.hpp"
#include "cli/help_texts.hpp"

namespace wakelab::cli {

namespace {

struct Options {
    RunOptions run;
    CompareOptions compare;
    SearchOptions search;
    ValidateArguments validate;
    ExplainOptions explain;
    ListOptions list;
    ShowOptions show;
    DiffOptions diff;
    FitArguments fit;
    QuickstartOptions quickstart;
};

// An option that may be given several times, one value each.
void many(CLI::App& command, const char* name, std::vector<std::string>& values,
          const char* summary) {
    command.add_option(name, values, summary)->allow_extra_args(false);
}

void add_scenario(CLI::App& command, SpecArguments& spec) {
    command
        .add_option("SCENARIO", spec.scenario,
                    "a workload, or a path ending in .toml or .json (rt-app)")
        ->required();
}

void add_scheduler_and_load(CLI::App& command, SpecArguments& spec) {
    command.add_option("--scheduler,-s", spec.scheduler, "see wakelab list schedulers")
        ->capture_default_str();
    command.add_option("--clients,-c", spec.clients, "load level; default: the scenario's own");
}

void add_one_run(CLI::App& command, SpecArguments& spec) {
    add_scheduler_and_load(command, spec);
    command.add_option("--seed", spec.seed, "start phases and jitter")->capture_default_str();
}

void add_changes(CLI::App& command, SpecArguments& spec) {
    command.add_option("--machine,-m", spec.machine, "a machine, or a path ending in .toml")
        ->capture_default_str();
    many(command, "--features", spec.features, "mask, NAME or NO_NAME; commas; repeatable");
    many(command, "--set", spec.settings, "tunable or kernel build option NAME=VALUE; repeatable");
    many(command, "--batch", spec.batch, "tasks under SCHED_BATCH; \"all\"; repeatable");
    many(command, "--pin", spec.pins, "TASK=CPUS, e.g. postgres=1-3; repeatable");
    many(command, "--group", spec.groups, "TASK=GROUP[=SHARES]: task groups, CFS 2.6.24+; repeatable");
    many(command, "--policy", spec.policies,
         "TASK=POLICY: normal, batch, idle, preempt, fifo=PRIO, rr=PRIO, nice=N; repeatable");
    command.add_option("--warmup", spec.warmup, "simulated, not counted")->capture_default_str();
    command.add_option("--duration", spec.duration, "simulated, counted; ns, us, ms, s")
        ->capture_default_str();
}

class Grammar {
 public:
    Grammar() : app_(help::kProgram, "wakelab") {
        app_.footer(help::kExamples);
        app_.set_version_flag("--version", "wakelab " WAKELAB_VERSION);
        app_.get_formatter()->column_width(kColumnWidth);
        add_run();
        add_compare();
        add_explain();
        add_search();
        add_quickstart();
        add_list();
        add_show();
        add_diff();
        add_validate();
        add_fit();
    }

    Result<Command> parse(std::span<const std::string> args);

 private:
    static constexpr std::size_t kColumnWidth = 32;

    CLI::App& add(const char* name, const char* summary, const char* examples, bool& json) {
        CLI::App& command = *app_.add_subcommand(name, summary);
        command.footer(examples);
        command.add_flag("--json", json, "output for programs");
        return command;
    }
    void add_run();
    void add_compare();
    void add_explain();
    void add_search();
    void add_quickstart();
    void add_list();
    void add_show();
    void add_diff();
    void add_validate();
    void add_fit();
    [[nodiscard]] Command chosen() const;
    [[nodiscard]] Error unknown_argument() const;
    [[nodiscard]] std::vector<std::string> command_names() const;
    // The command that was named, else the program.
    [[nodiscard]] const CLI::App& current() const;

    CLI::App app_;
    std::shared_ptr<Options> o_ = std::make_shared<Options>();
};

void Grammar::add_run() {
    CLI::App& c = add("run", "Run a scenario and print its metrics", help::kRun, o_->run.json);
    add_scenario(c, o_->run.spec);
    add_one_run(c, o_->run.spec);
    add_changes(c, o_->run.spec);
}

void Grammar::add_explain() {
    CLI::App& c = add("explain", "Say why a run is slow, and try what should help", help::kExplain,
                      o_->explain.json);
    add_scenario(c, o_->explain.spec);
    add_one_run(c, o_->explain.spec);
    add_changes(c, o_->explain.spec);
}

void Grammar::add_compare() {
    CompareOptions& options = o_->compare;
    CLI::App& c = add("compare", "Compare schedulers over client counts and seeds", help::kCompare,
                      options.json);
    add_scenario(c, options.spec);
    many(c, "--schedulers,-s", options.schedulers,
         "NAME[:CHANGE]..; commas; the first is the baseline");
    c.get_option("--schedulers")->required();
    c.add_option("--clients,-c", options.clients, "load levels, like 1,2,5-8,50");
    c.add_option("--seeds", options.seeds, "runs per cell")->capture_default_str();
    c.add_option("--baseline", options.baseline, "one of --schedulers, as written there");
    add_changes(c, options.spec);
}

void Grammar::add_search() {
    SearchOptions& options = o_->search;
    CLI::App& c = add("search", "Find the feature bit or tunable that makes a run slow",
                      help::kSearch, options.json);
    add_scenario(c, options.spec);
    add_scheduler_and_load(c, options.spec);
    c.add_option("--over", options.over, "features or tunables")->capture_default_str();
    c.add_flag("--pairs", options.pairs, "also each two feature bits together");
    c.add_option("--seeds", options.seeds, "runs per change, the same seeds for all")
        ->capture_default_str();
    add_changes(c, options.spec);
}

void Grammar::add_quickstart() {
    CLI::App& c = add("quickstart", "Tell the story of pgbench in 2008, in a minute",
                      help::kQuickstart, o_->quickstart.json);
    c.add_option("--output,-o", o_->quickstart.output, "the same as Markdown")
        ->capture_default_str();
}

void Grammar::add_list() {
    CLI::App& c = add("list", "Names that other commands take", help::kList, o_->list.json);
    c.add_option("WHAT", o_->list.what, "schedulers, patches, parameters, workloads, machines or features")
        ->required();
    c.add_option("--scheduler,-s", o_->list.scheduler, "features: of this one, with their meaning");
}

void Grammar::add_show() {
    CLI::App& c = add("show", "A machine or a scheduler in full", help::kShow, o_->show.json);
    c.add_option("WHAT", o_->show.what, "machine or scheduler")->required();
    c.add_option("NAME", o_->show.name, "its name")->required();
    c.add_option("--machine,-m", o_->show.machine, "scheduler: tunables as on this machine")
        ->capture_default_str();
}

void Grammar::add_diff() {
    DiffOptions& options = o_->diff;
    CLI::App& c =
        add("diff", "What differs between two schedulers", help::kDiff, options.json);
    c.add_option("A", options.a, "a scheduler, also with patches")->required();
    c.add_option("B", options.b, "another one")->required();
    c.add_option("--machine,-m", options.machine, "tunables as on this machine")
        ->capture_default_str();
    c.add_flag("--all", options.all, "also what is the same");
}

void Grammar::add_validate() {
    ValidateArguments& options = o_->validate;
    CLI::App& c = add("validate", "Hold the simulation against published tables", help::kValidate,
                      options.json);
    c.add_option("TABLES", options.tables, "pgbench, lat_ctx or pipe-test")->required();
    c.add_option("--seeds", options.seeds, "runs per cell")->capture_default_str();
    many(c, "--experiment,-e", options.experiments, "only these, e.g. E13; commas; repeatable");
    many(c, "--scheduler,-s", options.schedulers, "only columns of these; commas; repeatable");
    c.add_flag("--causes", options.causes, "also batch size, switches, migrations per cell");
    c.add_option("--markdown", options.markdown, "write every cell to this file");
    c.add_option("--warmup", options.warmup, "simulated, not counted")->capture_default_str();
    c.add_option("--duration", options.duration, "simulated, counted")->capture_default_str();
}

void Grammar::add_fit() {
    CLI::App& c = add("fit", "Fit machine and workload costs to the tables meant for it",
                      help::kFit, o_->fit.json);
    c.add_option("TABLES", o_->fit.tables, "pgbench")->required();
    c.add_option("--plan", o_->fit.plan, "a plan of data/fit, or a path ending in .toml");
}

const CLI::App& Grammar::current() const {
    const auto commands = app_.get_subcommands();
    return commands.empty() ? app_ : *commands.front();
}

std::vector<std::string> Grammar::command_names() const {
    std::vector<std::string> names;
    for (const CLI::App* c : app_.get_subcommands({})) names.push_back(c->get_name());
    return names;
}

Error Grammar::unknown_argument() const {
    const std::vector<std::string> rest = app_.remaining(true);
    const std::string word = rest.empty() ? "" : rest.front();
    const std::string where = &current() == &app_ ? "" : current().get_name() + ": ";
    if (where.empty() && !word.starts_with('-'))
        return {"unknown command '" + word + "'; did you mean " + nearest(word, command_names()) +
                "? (wakelab --help)"};
    if (!word.starts_with('-')) return {where + "unexpected argument '" + word + "'"};
    std::vector<std::string> known;
    for (const CLI::Option* option : current().get_options())
        for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    return {where + "unknown option '" + word + "'; did you mean " +
            nearest(split(word, '=').front(), known) + "?"};
}

Command Grammar::chosen() const {
    const std::string& name = current().get_name();
    const auto with = [options = o_](auto run) -> Command {
        return [options, run](const Output& output) { return run(*options, output); };
    };
    using O = Options;
    if (name == "run")
        return with([](const O& o, const Output& out) { return cmd_run(o.run, out); });
    if (name == "compare")
        return with([](const O& o, const Output& out) { return cmd_compare(o.compare, out); });
    if (name == "explain")
        return with([](const O& o, const Output& out) { return cmd_explain(o.explain, out); });
    if (name == "search")
        return with([](const O& o, const Output& out) { return cmd_search(o.search, out); });
    if (name == "list")
        return with([](const O& o, const Output& out) { return cmd_list(o.list, out); });
    if (name == "show")
        return with([](const O& o, const Output& out) { return cmd_show(o.show, out); });
    if (name == "diff")
        return with([](const O& o, const Output& out) { return cmd_diff(o.diff, out); });
    if (name == "validate")
        return with([](const O& o, const Output& out) { return cmd_validate(o.validate, out); });
    if (name == "fit")
        return with([](const O& o, const Output& out) { return cmd_fit(o.fit, out); });
    return with([](const O& o, const Output& out) { return cmd_quickstart(o.quickstart, out); });
}

Command print(std::string text) {
    return [text = std::move(text)](const Output& output) {
        output.out(text);
        return Status{};
    };
}

Result<Command> Grammar::parse(std::span<const std::string> args) {
    // CLI11 takes them last first.
    std::vector<std::string> reversed(args.rbegin(), args.rend());
    try {
        app_.parse(std::move(reversed));
    } catch (const CLI::CallForHelp&) {
        return print(app_.help());
    } catch (const CLI::CallForVersion& version) {
        return print(std::string(version.what()) + "\n");
    } catch (const CLI::ExtrasError&) {
        return unknown_argument();
    } catch (const CLI::ParseError& error) {
        std::string line = error.what();
        // CLI11 counts here what we need not explain: no option takes but one value at a time.
        if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr)
            line = line.substr(0, line.find(": ")) + ": expected one value";
        std::ranges::replace(line, '\n', ' ');
        const std::string& name = current().get_name();
        const bool program = &current() == &app_;
        return Error{(program ? line : name + ": " + line) + " (wakelab " +
                     (program ? "" : name + " ") + "--help)"};
    }
    if (&current() == &app_) {
        std::string names;
        for (const std::string& name : command_names()) names += (names.empty() ? "" : ", ") + name;
        return Error{"expected a command: " + names + " (wakelab --help)"};
    }
    return chosen();
}

}  // namespace

Result<Command> parse(std::span<const std::string> args) {
    return Grammar().parse(args);
}

}  // namespace wakelab::cli
