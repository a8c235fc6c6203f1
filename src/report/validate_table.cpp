#include "report/validate_table.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <set>

#include "metrics/stats.hpp"
#include "report/number_text.hpp"
#include "report/text_table.hpp"
#include "report/validate_words.hpp"

namespace wakelab::report {

namespace {

using judge::CellReport;
using judge::ColumnReport;
using judge::SimulatedCell;
using judge::TableReport;
using judge::ValidationReport;

constexpr std::size_t kWorst = 10;

const CellReport* cell_at(const ColumnReport& column, std::int32_t clients) {
    for (const CellReport& cell : column.cells)
        if (cell.published.clients == clients) return &cell;
    return nullptr;
}

// Median error of the predicted cells, of a column without such of its fitted ones (marked f).
std::string column_error(const ColumnReport& column) {
    for (const judge::Role role : {judge::Role::kPredict, judge::Role::kFit}) {
        std::vector<double> errors;
        for (const CellReport& cell : column.cells)
            if (cell.simulated && cell.published.role == role)
                errors.push_back(std::abs(cell.simulated->log_ratio));
        if (errors.empty()) continue;
        return percent_text(metrics::median(errors)) + (role == judge::Role::kFit ? " f" : "");
    }
    return "";
}

class TableText {
 public:
    TableText(const TableReport& report, const judge::ValueScale& scale, ValidateDetail detail)
        : report_(report), scale_(scale), detail_(detail), table_({Align::kLeft, Align::kLeft}) {
        for (const ColumnReport& column : report.columns)
            for (const CellReport& cell : column.cells)
                if (cell.simulated) clients_.insert(cell.published.clients);
    }

    std::string text() {
        std::vector<std::string> header = {report_.experiment + " " +
                                           report_.columns.front().column.machine};
        if (!clients_.empty()) {
            header.emplace_back("clients");
            for (const std::int32_t n : clients_) header.push_back(std::to_string(n));
            header.emplace_back("median");
        }
        table_.add(std::move(header));
        for (const ColumnReport& column : report_.columns) add_column(column);
        return table_.text();
    }

 private:
    void add_column(const ColumnReport& column) {
        if (!column.column.runnable()) {
            table_.add_note(column.column.label, "not runnable yet: needs " + column.column.needs);
            return;
        }
        add_row(column, {column.column.label, "published"},
                [&](const CellReport& c) { return value_text(scale_, c.published.value); });
        add_row(column, {setup_text(column.column), "simulated"},
                [&](const CellReport& c) { return value_text(scale_, c.simulated->median); });
        add_row(column, {"", "error %", column_error(column)}, [](const CellReport& c) {
            return fmt::format("{:+.0f}", c.simulated->log_ratio * 100);
        });
        add_row(column, {"", "marks"}, marks_text);
        if (detail_ == ValidateDetail::kCauses) add_causes(column);
    }

    void add_causes(const ColumnReport& column) {
        const auto add = [&](const char* name, double SimulatedCell::*number, int digits) {
            add_row(column, {"", name}, [&](const CellReport& c) {
                return fmt::format("{:.{}f}", (*c.simulated).*number, digits);
            });
        };
        add("batch size", &SimulatedCell::batch, 1);
        add("switches", &SimulatedCell::switches, 2);
        add("migrations", &SimulatedCell::migrations, 2);
        add("spurious", &SimulatedCell::spurious, 2);
        add_row(column, {"", "busy %"},
                [](const CellReport& c) { return fmt::format("{:.0f}", c.simulated->busy * 100); });
    }

    struct RowWords {
        std::string first, second;
        std::string last = {};
    };

    template <class Cell>
    void add_row(const ColumnReport& column, RowWords words, Cell cell_text) {
        std::vector<std::string> row = {std::move(words.first), std::move(words.second)};
        bool any = false;
        for (const std::int32_t n : clients_) {
            const CellReport* cell = cell_at(column, n);
            row.push_back(cell != nullptr ? cell_text(*cell) : "");
            any = any || !row.back().empty();
        }
        row.push_back(std::move(words.last));
        if (any) table_.add(std::move(row));
    }

    const TableReport& report_;
    const judge::ValueScale& scale_;
    ValidateDetail detail_;
    std::set<std::int32_t> clients_;
    TextTable table_;
};

std::string summary(const ValidationReport& report) {
    TextTable table({Align::kLeft});
    table.add({"", "cells", "median", "p90", "max", "direction", "across experiments", "tau",
               "two humps", "of these print in range"});
    for (const auto& [name, s] : score_lines(report))
        table.add({name, std::to_string(s->cells), percent_text(s->median_error),
                   percent_text(s->p90_error), percent_text(s->max_error), share_text(s->within),
                   share_text(s->all), tau_text(s->tau), std::to_string(s->bistable),
                   std::to_string(s->bistable_in_range)});
    return table.text();
}

std::string worst(const ValidationReport& report) {
    TextTable table({Align::kLeft, Align::kLeft});
    table.add(
        {"table", "column", "clients", "published", "simulated", "min", "max", "error", "marks"});
    for (const CellRef& ref : worst_cells(report, kWorst)) {
        const SimulatedCell& s = *ref.cell->simulated;
        table.add({ref.table->experiment, ref.column->column.label,
                   std::to_string(ref.cell->published.clients),
                   level_text(ref.cell->published.value), level_text(s.median), level_text(s.min),
                   level_text(s.max), change_text(s.log_ratio), marks_text(*ref.cell)});
    }
    return table.text();
}

}  // namespace

std::string validate_text(const ValidationReport& report, ValidateDetail detail) {
    std::string text = fmt::format(
        "{}: published against simulated, {}\n"
        "simulated: median of {} seeds, {} ms after {} ms; error % = 100 ln(simulated/published)\n"
        "{}\n",
        report.set.title, report.set.brief.unit, report.seeds, report.duration.ns / 1'000'000,
        report.warmup.ns / 1'000'000, kMarksLegend);
    for (const TableReport& table : report.tables)
        text += "\n" + TableText(table, report.set.brief, detail).text();
    text +=
        "\nscores: error = |ln(simulated/published)|; direction = pairs of columns over 10 % "
        "apart\n"
        "in print that the simulation orders the same way\n" +
        summary(report);
    text += fmt::format("\nworst {} judged cells\n", kWorst) + worst(report);
    return text;
}

}  // namespace wakelab::report
