#include "report/validate_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/number_text.hpp"

namespace wakelab::report {

std::string setup_text(const judge::PublishedColumn& column) {
    std::string text = column.scheduler;
    for (const std::string& f : column.features) text += " " + f;
    for (const auto& [name, value] : column.tunables)
        text += fmt::format(" {}={}", name.substr(name.find('.') + 1), value);
    if (!column.batch.empty()) text += " batch";
    if (!column.pins.empty()) text += " pinned";
    return text;
}

std::string value_text(const judge::ValueScale& scale, double value) {
    return fmt::format("{:.{}f}", value / scale.divisor, scale.digits);
}

std::string marks_text(const judge::CellReport& cell) {
    std::string text;
    if (cell.published.role == judge::Role::kFit) text += 'f';
    if (cell.published.role == judge::Role::kReference) text += 'r';
    if (cell.simulated && cell.simulated->bistable) text += cell.simulated->in_range ? "~+" : "~";
    return text;
}

std::string share_text(const judge::Pairs& pairs) {
    const std::optional<double> share = pairs.share();
    return share ? fmt::format("{} of {}", percent_text(*share), pairs.total) : "-";
}

std::string tau_text(const std::optional<double>& tau) {
    return tau ? fmt::format("{:.2f}", *tau) : "-";
}

std::vector<ScoreLine> score_lines(const judge::ValidationReport& report) {
    std::vector<ScoreLine> lines;
    const auto add = [&](std::string name, const judge::Score& score) {
        if (score.cells > 0) lines.push_back({std::move(name), &score});
    };
    for (const judge::TableReport& table : report.tables) {
        add(table.experiment + " predicted", table.predict);
        add(table.experiment + " fitted", table.fit);
    }
    add("all predicted", report.predict);
    add("all fitted", report.fit);
    return lines;
}

std::vector<CellRef> worst_cells(const judge::ValidationReport& report, std::size_t count) {
    std::vector<CellRef> cells;
    for (const judge::TableReport& table : report.tables)
        for (const judge::ColumnReport& column : table.columns)
            for (const judge::CellReport& cell : column.cells)
                if (cell.simulated && cell.published.role != judge::Role::kReference)
                    cells.push_back({&table, &column, &cell});
    std::ranges::stable_sort(cells, std::greater<>(), [](const CellRef& ref) {
        return std::abs(ref.cell->simulated->log_ratio);
    });
    cells.resize(std::min(count, cells.size()));
    return cells;
}

}  // namespace wakelab::report
