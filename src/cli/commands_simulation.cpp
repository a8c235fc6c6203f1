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
#include "cli/command_set.hpp"
#include "cli/help_texts.hpp"

namespace wakelab::cli {

namespace {

void add_scenario(CLI::App& app, SpecArguments& spec) {
    app.add_option("SCENARIO", spec.scenario,
                   "a workload, or a path ending in .toml or .json (rt-app)")
        ->required();
}

void add_scheduler_and_load(CLI::App& app, SpecArguments& spec) {
    app.add_option("--scheduler,-s", spec.scheduler, "see wakelab list schedulers")
        ->capture_default_str();
    app.add_option("--clients,-c", spec.clients, "load level; default: the scenario's own");
}

void add_one_run(CLI::App& app, SpecArguments& spec) {
    add_scheduler_and_load(app, spec);
    app.add_option("--seed", spec.seed, "start phases and jitter")->capture_default_str();
}

void add_changes(CLI::App& app, SpecArguments& spec) {
    app.add_option("--machine,-m", spec.machine, "a machine, or a path ending in .toml")
        ->capture_default_str();
    add_repeatable(app, "--features", spec.features, "mask, NAME or NO_NAME; commas; repeatable");
    add_repeatable(app, "--set", spec.settings,
                   "tunable or kernel build option NAME=VALUE; repeatable");
    add_repeatable(app, "--batch", spec.batch, "tasks under SCHED_BATCH; \"all\"; repeatable");
    add_repeatable(app, "--pin", spec.pins, "TASK=CPUS, e.g. postgres=1-3; repeatable");
    add_repeatable(app, "--group", spec.groups,
                   "TASK=GROUP[=SHARES]: task groups, CFS 2.6.24+; repeatable");
    add_repeatable(
        app, "--policy", spec.policies,
        "TASK=POLICY: normal, batch, idle, preempt, fifo=PRIO, rr=PRIO, nice=N; repeatable");
    app.add_option("--warmup", spec.warmup, "simulated, not counted")->capture_default_str();
    app.add_option("--duration", spec.duration, "simulated, counted; ns, us, ms, s")
        ->capture_default_str();
}

void add_run(CommandSet& commands) {
    auto [c, options] =
        commands.add("run", "Run a scenario and print its metrics", help::kRun, cmd_run);
    add_scenario(c, options.spec);
    add_one_run(c, options.spec);
    add_changes(c, options.spec);
    c.add_option("--trace", options.trace,
                 "write every event to this file: .pftrace, .dat, .txt or .wkt");
    c.add_option("--trace-as", options.trace_as, "its format, when the ending does not say");
}

void add_explain(CommandSet& commands) {
    auto [c, options] =
        commands.add("explain", "Say why a run or a recording is slow, and what should help",
                     help::kExplain, cmd_explain);
    c.add_option("WHAT", options.spec.scenario,
                 "a recording (trace.dat, perf.data, text ...; - is standard input) or a scenario")
        ->required();
    add_one_run(c, options.spec);
    add_changes(c, options.spec);
    add_part(c, options.source);
}

void add_compare(CommandSet& commands) {
    auto [c, options] = commands.add("compare", "Compare schedulers over client counts and seeds",
                                     help::kCompare, cmd_compare);
    add_scenario(c, options.spec);
    add_repeatable(c, "--schedulers,-s", options.schedulers,
                   "NAME[:CHANGE]..; commas; the first is the baseline");
    c.get_option("--schedulers")->required();
    c.add_option("--clients,-c", options.clients, "load levels, like 1,2,5-8,50");
    c.add_option("--seeds", options.seeds, "runs per cell")->capture_default_str();
    c.add_option("--baseline", options.baseline, "one of --schedulers, as written there");
    add_changes(c, options.spec);
}

void add_search(CommandSet& commands) {
    auto [c, options] =
        commands.add("search", "Find the feature bit or tunable that makes a run slow",
                     help::kSearch, cmd_search);
    add_scenario(c, options.spec);
    add_scheduler_and_load(c, options.spec);
    c.add_option("--over", options.over, "features or tunables")->capture_default_str();
    c.add_flag("--pairs", options.pairs, "also each two feature bits together");
    c.add_option("--seeds", options.seeds, "runs per change, the same seeds for all")
        ->capture_default_str();
    add_changes(c, options.spec);
}

void add_quickstart(CommandSet& commands) {
    auto [c, options] = commands.add("quickstart", "Tell the story of pgbench in 2008, in a minute",
                                     help::kQuickstart, cmd_quickstart);
    c.add_option("--output,-o", options.output, "the same as Markdown")->capture_default_str();
}

void add_list(CommandSet& commands) {
    auto [c, options] =
        commands.add("list", "Names that other commands take", help::kList, cmd_list);
    c.add_option("WHAT", options.what,
                 "schedulers, patches, parameters, workloads, machines or features")
        ->required();
    c.add_option("--scheduler,-s", options.scheduler, "features: of this one, with their meaning");
}

void add_show(CommandSet& commands) {
    auto [c, options] =
        commands.add("show", "A machine or a scheduler in full", help::kShow, cmd_show);
    c.add_option("WHAT", options.what, "machine or scheduler")->required();
    c.add_option("NAME", options.name, "its name")->required();
    c.add_option("--machine,-m", options.machine, "scheduler: tunables as on this machine")
        ->capture_default_str();
}

void add_diff(CommandSet& commands) {
    auto [c, options] =
        commands.add("diff", "What differs between two schedulers", help::kDiff, cmd_diff);
    c.add_option("A", options.a, "a scheduler, also with patches")->required();
    c.add_option("B", options.b, "another one")->required();
    c.add_option("--machine,-m", options.machine, "tunables as on this machine")
        ->capture_default_str();
    c.add_flag("--all", options.all, "also what is the same");
}

void add_validate(CommandSet& commands) {
    auto [c, options] = commands.add("validate", "Hold the simulation against published tables",
                                     help::kValidate, cmd_validate);
    c.add_option("TABLES", options.tables, "pgbench, lat_ctx or pipe-test")->required();
    c.add_option("--seeds", options.seeds, "runs per cell")->capture_default_str();
    add_repeatable(c, "--experiment,-e", options.experiments,
                   "only these, e.g. E13; commas; repeatable");
    add_repeatable(c, "--scheduler,-s", options.schedulers,
                   "only columns of these; commas; repeatable");
    c.add_flag("--causes", options.causes, "also batch size, switches, migrations per cell");
    c.add_option("--markdown", options.markdown, "write every cell to this file");
    c.add_option("--warmup", options.warmup, "simulated, not counted")->capture_default_str();
    c.add_option("--duration", options.duration, "simulated, counted")->capture_default_str();
}

void add_fit(CommandSet& commands) {
    auto [c, options] = commands.add(
        "fit", "Fit machine and workload costs to the tables meant for it", help::kFit, cmd_fit);
    c.add_option("TABLES", options.tables, "pgbench")->required();
    c.add_option("--plan", options.plan, "a plan of data/fit, or a path ending in .toml");
}

}  // namespace

void add_simulation_commands(CommandSet& commands) {
    add_run(commands);
    add_compare(commands);
    add_explain(commands);
    add_search(commands);
    add_quickstart(commands);
    add_list(commands);
    add_show(commands);
    add_diff(commands);
    add_validate(commands);
    add_fit(commands);
}

}  // namespace wakelab::cli
