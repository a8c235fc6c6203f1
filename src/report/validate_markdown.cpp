#include "report/validate_markdown.hpp"

#include <fmt/format.h>

#include "report/number_text.hpp"
#include "report/validate_words.hpp"

namespace wakelab::report {

namespace {

std::string scores(const judge::ValidationReport& report) {
    std::string text =
        "| table | cells | median error | p90 | max | direction | across experiments | tau | two "
        "humps "
        "| print in range |\n|---|---|---|---|---|---|---|---|---|---|\n";
    for (const auto& [name, s] : score_lines(report))
        text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", name, s->cells,
                            percent_text(s->median_error), percent_text(s->p90_error),
                            percent_text(s->max_error), share_text(s->within), share_text(s->all),
                            tau_text(s->tau), s->bistable, s->bistable_in_range);
    return text;
}

std::string cell_line(const judge::PublishedColumn& column, const judge::CellReport& cell,
                      const judge::ValueScale& scale) {
    const judge::SimulatedCell& s = *cell.simulated;
    const auto text = [&](double value) { return value_text(scale, value); };
    return fmt::format(
        "| {} | {} | {} | {} | {} .. {} | {:+.1f} | {} | {:.1f} | {:.2f} "
        "| {:.3f} | {:.2f} | {:.0f} |\n",
        column.label, cell.published.clients, text(cell.published.value), text(s.median),
        text(s.min), text(s.max), s.log_ratio * 100, marks_text(cell), s.batch, s.switches,
        s.migrations, s.spurious, s.busy * 100);
}

std::string section(const judge::TableReport& table, const judge::ValueScale& scale) {
    std::string text = fmt::format("\n### {}\n\n", table.experiment);
    std::string lines;
    for (const judge::ColumnReport& c : table.columns) {
        const std::string name =
            fmt::format("{} ({}, {})", c.column.label, c.column.kernel, c.column.variant);
        if (!c.column.runnable()) {
            text += fmt::format("- {}: not runnable yet, needs {}\n", name, c.column.needs);
            continue;
        }
        text += fmt::format("- {}: {} on {}\n", name, setup_text(c.column), c.column.machine);
        for (const judge::CellReport& cell : c.cells) lines += cell_line(c.column, cell, scale);
    }
    if (lines.empty()) return text;
    return text +
           "\n| column | clients | published | simulated | min .. max | error % | marks | batch | "
           "switches | migrations | spurious | busy % |\n"
           "|---|---|---|---|---|---|---|---|---|---|---|---|\n" +
           lines;
}

}  // namespace

std::string validate_markdown(const judge::ValidationReport& report) {
    std::string text = fmt::format(
        "Values in {}; simulated: median of {} seeds, {} ms after {} ms of warm-up.\n"
        "Error = |ln(simulated/published)|, in the cell tables with its sign in %. Direction: of "
        "all "
        "pairs of\ncolumns at one client count that differ by more than 10 % in print, the share "
        "that "
        "the simulation\norders the same way. Tau: Kendall's tau-b of published and simulated "
        "curve, "
        "mean over columns.\nMarks: {}.\nBatch, switches, migrations and spurious wake-ups are per "
        "`select` and per unit of work.\n\n",
        report.set.full.unit, report.seeds, report.duration.ns / 1'000'000,
        report.warmup.ns / 1'000'000, kMarksLegend);
    text += scores(report);
    for (const judge::TableReport& table : report.tables) text += section(table, report.set.full);
    return text;
}

}  // namespace wakelab::report
