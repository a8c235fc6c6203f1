#include "judge/validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/check.hpp"
#include "base/text.hpp"
#include "metrics/stats.hpp"

namespace wakelab::judge {

namespace {

// Median over the runs of a number of each.
template <class Number>
double median_of(std::span<const lab::RunResult> runs, Number number) {
    std::vector<double> values;
    for (const lab::RunResult& r : runs) values.push_back(number(r));
    return metrics::median(values);
}

double quotient(double part, double whole) {
    return whole > 0 ? part / whole : 0;
}

double per_unit(const lab::RunResult& r, std::uint64_t count) {
    return quotient(static_cast<double>(count), static_cast<double>(r.counters.work_units));
}

double busy_share(const lab::RunResult& r) {
    const auto busy = std::accumulate(r.busy_ns.begin(), r.busy_ns.end(), std::int64_t{0});
    return quotient(static_cast<double>(busy),
                    static_cast<double>(r.duration_ns) * static_cast<double>(r.busy_ns.size()));
}

Status check_experiments(std::span<const PublishedColumn> columns,
                         const std::vector<std::string>& wanted) {
    std::vector<std::string> known;
    for (const PublishedColumn& c : columns)
        if (known.empty() || known.back() != c.experiment) known.push_back(c.experiment);
    for (const std::string& name : wanted)
        if (std::ranges::find(known, name) == known.end())
            return Error{
                fmt::format("no table '{}'; did you mean {}?", name, nearest(name, known))};
    return {};
}

// The tables with their published cells, nothing simulated yet.
Result<std::vector<TableReport>> collect_tables(std::span<const PublishedColumn> columns,
                                                const std::vector<PublishedRow>& rows,
                                                const std::vector<std::string>& wanted) {
    if (Status s = check_experiments(columns, wanted); !s) return s.error();
    std::vector<TableReport> tables;
    for (const PublishedColumn& c : columns) {
        if (!wanted.empty() && std::ranges::find(wanted, c.experiment) == wanted.end()) continue;
        const Result<std::vector<PublishedCell>> cells = cells_of(rows, c);
        if (!cells) return cells.error();
        if (tables.empty() || tables.back().experiment != c.experiment) {
            tables.emplace_back();
            tables.back().experiment = c.experiment;
        }
        ColumnReport& report = tables.back().columns.emplace_back();
        report.column = c;
        for (const PublishedCell& cell : *cells) report.cells.push_back({cell, {}});
    }
    return tables;
}

// Visits the cells that can be run, in the order of their runs in the sweep.
template <class Tables, class Visit>
void for_each_runnable(Tables& tables, Visit visit) {
    for (auto& table : tables)
        for (auto& column : table.columns)
            if (column.column.runnable())
                for (auto& cell : column.cells) visit(column, cell);
}

std::vector<lab::RunSpec> all_runs(const std::vector<TableReport>& tables,
                                   const ValidateOptions& options) {
    std::vector<lab::RunSpec> runs;
    for_each_runnable(tables, [&](const ColumnReport& column, const CellReport& cell) {
        lab::RunSpec spec = run_spec(column.column, cell.published.clients);
        spec.warmup = options.warmup;
        spec.duration = options.duration;
        for (const std::uint64_t seed : options.seeds) {
            spec.seed = seed;
            runs.push_back(spec);
        }
    });
    return runs;
}

void append_judged(const TableReport& table, std::size_t first_column,
                   std::vector<JudgedCell>& judged) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        const ColumnReport& column = table.columns[i];
        for (const CellReport& cell : column.cells) {
            if (!cell.simulated) continue;
            judged.push_back({.experiment = table.experiment,
                              .machine = column.column.machine,
                              .column = first_column + i,
                              .clients = cell.published.clients,
                              .published = cell.published.value,
                              .simulated = cell.simulated->median,
                              .role = cell.published.role,
                              .bistable = cell.simulated->bistable,
                              .in_range = cell.simulated->in_range});
        }
    }
}

void add_scores(ValidationReport& report) {
    std::vector<JudgedCell> all;
    std::size_t first_column = 0;
    for (TableReport& table : report.tables) {
        std::vector<JudgedCell> own;
        append_judged(table, first_column, own);
        table.predict = score(own, Role::kPredict);
        table.fit = score(own, Role::kFit);
        first_column += table.columns.size();
        std::ranges::move(own, std::back_inserter(all));
    }
    report.predict = score(all, Role::kPredict);
    report.fit = score(all, Role::kFit);
}

}  // namespace

SimulatedCell summarise(std::span<const lab::RunResult> runs, const PublishedCell& published,
                        Quantity quantity) {
    using lab::RunResult;
    WK_CHECK(!runs.empty());
    std::vector<double> values;
    for (const RunResult& r : runs) values.push_back(value_of(r, quantity));
    SimulatedCell cell;
    cell.median = metrics::median(values);
    cell.min = std::ranges::min(values);
    cell.max = std::ranges::max(values);
    cell.log_ratio = log_ratio(cell.median, published.value);
    cell.bistable = metrics::find_humps(values).two;
    cell.in_range = cell.min <= published.value && published.value <= cell.max;
    cell.batch = median_of(runs, [](const RunResult& r) {
        return quotient(static_cast<double>(r.counters.work_units),
                        static_cast<double>(r.counters.batches));
    });
    cell.switches =
        median_of(runs, [](const RunResult& r) { return per_unit(r, r.counters.switches); });
    cell.migrations =
        median_of(runs, [](const RunResult& r) { return per_unit(r, r.counters.migrations); });
    cell.spurious = median_of(
        runs, [](const RunResult& r) { return per_unit(r, r.counters.spurious_wakeups); });
    cell.busy = median_of(runs, busy_share);
    return cell;
}

Result<ValidationReport> validate(std::span<const PublishedColumn> columns,
                                  const std::vector<PublishedRow>& rows,
                                  const ValidateOptions& options, const lab::RunFunction& run) {
    if (options.seeds.empty()) return Error{"validate: no seed to run"};
    Result<std::vector<TableReport>> tables = collect_tables(columns, rows, options.experiments);
    if (!tables) return tables.error();
    const Result<std::vector<lab::RunResult>> results =
        lab::sweep(all_runs(*tables, options), run, options.sweep);
    if (!results) return results.error();

    ValidationReport report;
    report.set = options.set;
    report.tables = std::move(*tables);
    report.seeds = options.seeds.size();
    report.warmup = options.warmup;
    report.duration = options.duration;
    std::span<const lab::RunResult> rest = *results;
    for_each_runnable(report.tables, [&](const ColumnReport& column, CellReport& cell) {
        cell.simulated =
            summarise(rest.first(options.seeds.size()), cell.published, column.column.quantity);
        rest = rest.subspan(options.seeds.size());
    });
    add_scores(report);
    return report;
}

}  // namespace wakelab::judge
