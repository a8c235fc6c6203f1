#include "cli/quickstart_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string_view>

#include "cli/explained_run.hpp"
#include "cli/spec_arguments.hpp"
#include "judge/pgbench_tables.hpp"
#include "judge/published.hpp"
#include "metrics/stats.hpp"
#include "topo/machine.hpp"

namespace wakelab::cli {

namespace {

using report::Quickstart;
using report::QuickstartColumn;

constexpr std::size_t kSeeds = 3;
constexpr std::string_view kMachine = "q6600";
// The load levels of the tables of 2008.
constexpr auto kClients =
    std::to_array<std::int32_t>({1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 40, 50});
constexpr std::int32_t kExplainedClients = 8;

// A column of the story: one of judge's published columns, or a scheduler alone.
struct Part {
    std::string_view head;
    std::string_view scheduler;
    std::string_view experiment;  // empty: nothing published
    std::string_view label;       // of the column in that experiment
};
constexpr auto kParts = std::to_array<Part>({
    {"2.6.22", "o1-2.6.22", "E05", "2.6.22"},
    {"2.6.24", "cfs-2.6.24", "", ""},
    {"2.6.25", "cfs-2.6.25", "", ""},
    {"26-rc3", "cfs-2.6.26-rc3", "E02", "default"},
    {"2.6.26", "cfs-2.6.26", "E13", "-rc5"},
    {"pinned", "cfs-2.6.26-rc3", "E03", "pinned"},
    {"863", "cfs-2.6.26-rc3", "E04", "863"},
});
constexpr std::size_t kExplainedPart = 3;

struct Column {
    lab::RunSpec spec;  // clients and seed are replaced
    std::map<std::int32_t, judge::PublishedCell> published;
};

Result<Column> column_of(const Part& part, const std::vector<judge::PublishedRow>& rows) {
    Column column;
    column.spec.scenario = "pgbench";
    column.spec.machine = kMachine;
    column.spec.scheduler = part.scheduler;
    if (part.experiment.empty()) return column;
    const auto table = judge::pgbench_columns();
    const auto at = std::ranges::find_if(table, [&](const judge::PublishedColumn& c) {
        return c.experiment == part.experiment && c.label == part.label;
    });
    if (at == table.end())
        return Error{
            fmt::format("published tables: no column {} '{}'", part.experiment, part.label)};
    column.spec = judge::run_spec(*at, 0);
    const auto cells = judge::cells_of(rows, *at);
    if (!cells) return cells.error();
    for (const judge::PublishedCell& cell : *cells) column.published[cell.clients] = cell;
    return column;
}

std::string setup_of(const lab::RunSpec& spec) {
    std::string text = spec.scheduler;
    for (const std::string& word : spec.features) text += " --features " + word;
    for (const auto& [task, cpus] : spec.pins) text += fmt::format(" --pin {}={}", task, cpus);
    return text;
}

std::vector<lab::RunSpec> specs_of(const std::vector<Column>& columns) {
    std::vector<lab::RunSpec> specs;
    for (const Column& column : columns)
        for (const std::int32_t clients : kClients)
            for (std::size_t seed = 1; seed <= kSeeds; ++seed) {
                specs.push_back(column.spec);
                specs.back().clients = clients;
                specs.back().seed = seed;
            }
    return specs;
}

report::QuickstartCell cell_of(std::span<const lab::RunResult> runs,
                               const judge::PublishedCell* published) {
    std::vector<double> rates;
    for (const lab::RunResult& r : runs) rates.push_back(r.rate);
    report::QuickstartCell cell;
    cell.simulated = metrics::median(rates);
    cell.two_humps = metrics::find_humps(rates).two;
    if (published == nullptr) return cell;
    cell.published = published->value;
    cell.role = published->role;
    return cell;
}

void fill_table(const std::vector<Column>& columns, std::span<const lab::RunResult> runs,
                Quickstart& story) {
    story.clients.assign(kClients.begin(), kClients.end());
    story.seeds = kSeeds;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        QuickstartColumn column{.head = std::string(kParts[i].head),
                                .setup = setup_of(columns[i].spec),
                                .experiment = std::string(kParts[i].experiment),
                                .cells = {}};
        for (std::size_t load = 0; load < kClients.size(); ++load) {
            const auto at = columns[i].published.find(kClients[load]);
            const auto first = (i * kClients.size() + load) * kSeeds;
            column.cells.push_back(
                cell_of(runs.subspan(first, kSeeds),
                        at == columns[i].published.end() ? nullptr : &at->second));
        }
        story.columns.push_back(std::move(column));
    }
}

// Explains the collapse. The sync hint is tried in any case: it is what the story turns on.
Status explain_collapse(lab::RunSpec spec, const lab::SweepOptions& options, Quickstart& story) {
    spec.clients = kExplainedClients;
    auto run = analysed_run(spec);
    if (!run) return run.error();
    story.column = kExplainedPart;
    story.load =
        static_cast<std::size_t>(std::ranges::find(kClients, kExplainedClients) - kClients.begin());
    story.labels = labels_of(spec);
    story.run = std::move(run->summary);
    story.findings = findings_of(spec, story.run);
    std::vector<diag::Experiment> experiments = experiments_to_try(story.findings);
    const diag::Experiment without_hint{
        .features = {"NO_SYNC_WAKEUPS"},
        .tunables = {},
        .batch = {},
        .pins = {},
        .why = "takes the sync hint away, which the pull relies on"};
    if (std::ranges::find(experiments, without_hint.arguments(), &diag::Experiment::arguments) ==
        experiments.end())
        experiments.insert(experiments.begin(), without_hint);
    auto trials = try_experiments(spec, experiments, options);
    if (!trials) return trials.error();
    story.trials = std::move(*trials);
    return {};
}

}  // namespace

Result<Quickstart> make_quickstart(const lab::SweepOptions& options) {
    const auto machine = topo::load_machine(kMachine);
    if (!machine) return machine.error();
    const auto rows = judge::load_published();
    if (!rows) return rows.error();
    std::vector<Column> columns;
    for (const Part& part : kParts) {
        auto column = column_of(part, *rows);
        if (!column) return column.error();
        columns.push_back(std::move(*column));
    }
    const auto runs = lab::sweep(
        specs_of(columns), [](const lab::RunSpec& spec) { return lab::run(spec); }, options);
    if (!runs) return runs.error();
    Quickstart story;
    story.machine = machine->summary;
    fill_table(columns, *runs, story);
    if (Status s = explain_collapse(columns[kExplainedPart].spec, options, story); !s)
        return s.error();
    return story;
}

}  // namespace wakelab::cli
