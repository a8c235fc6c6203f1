#include "report/compare_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/number_text.hpp"
#include "report/text_table.hpp"

namespace wakelab::report {

namespace {

using lab::CompareCell;
using lab::Comparison;

constexpr std::size_t kWidthMax = 120;

std::string marks(const CompareCell& cell) {
    return std::string(cell.significant ? "*" : "") + (cell.two_humps ? "~" : "");
}

// "31974 (+12.3%)*" with a fixed place for the marks, so that the numbers stay aligned.
std::string level_and_change(const CompareCell& cell) {
    std::string text = level_text(cell.median);
    text += fmt::format(" {:>9}", cell.ratio ? "(" + change_text(*cell.ratio - 1) + ")" : "");
    return text + fmt::format("{:<2}", marks(cell));
}

// The baseline column has no change to leave room for.
std::string baseline_level(const CompareCell& cell) {
    return level_text(cell.median) + fmt::format("{:<1}", cell.two_humps ? "~" : "");
}

std::string load_text(std::int32_t load) {
    return load == 0 ? "own" : std::to_string(load);
}

std::string level_block(const Comparison& c, std::size_t first, std::size_t end) {
    TextTable table({});
    std::vector<std::string> header = {"clients", c.labels[0] + " "};
    for (std::size_t v = first; v < end; ++v) header.push_back(c.labels[v] + "  ");
    table.add(header);
    for (std::size_t l = 0; l < c.loads.size(); ++l) {
        std::vector<std::string> row = {load_text(c.loads[l]), baseline_level(c.cells[l][0])};
        for (std::size_t v = first; v < end; ++v) row.push_back(level_and_change(c.cells[l][v]));
        table.add(std::move(row));
    }
    if (first == end) return table.text();
    std::vector<std::string> mean = {"geomean", ""};
    for (std::size_t v = first; v < end; ++v) {
        const std::string change = c.mean_ratio[v] ? change_text(*c.mean_ratio[v] - 1) : "none";
        mean.push_back("(" + change + ")  ");
    }
    table.add(std::move(mean));
    return table.text();
}

std::string level_blocks(const Comparison& c) {
    const std::size_t variants = c.labels.size();
    std::size_t widest = 20;  // "31974 (+12.3%)**" and its distance
    for (const std::string& label : c.labels) widest = std::max(widest, display_width(label) + 4);
    const std::size_t room = kWidthMax - std::min(kWidthMax / 2, widest + 9);
    const std::size_t per_block = std::max<std::size_t>(1, room / widest);
    std::string text = level_block(c, 1, std::min(variants, 1 + per_block));
    for (std::size_t first = 1 + per_block; first < variants; first += per_block)
        text += "\n" + level_block(c, first, std::min(variants, first + per_block));
    return text;
}

std::string spread_block(const Comparison& c) {
    TextTable table({Align::kRight, Align::kLeft});
    table.add({"clients", "variant", "n", "median",
               c.kind == lab::MetricKind::kRate ? "hmean" : "mean", "stddev", "CoV", "min", "max",
               ""});
    for (std::size_t l = 0; l < c.loads.size(); ++l) {
        for (std::size_t v = 0; v < c.labels.size(); ++v) {
            const CompareCell& cell = c.cells[l][v];
            table.add({v == 0 ? load_text(c.loads[l]) : "", c.labels[v],
                       std::to_string(cell.values.size()), level_text(cell.median),
                       level_text(cell.mean), level_text(cell.stddev), percent_text(cell.variation),
                       level_text(cell.min), level_text(cell.max), marks(cell)});
        }
    }
    return table.text();
}

bool any(const Comparison& c, bool CompareCell::*mark) {
    return std::ranges::any_of(c.cells, [&](const std::vector<CompareCell>& row) {
        return std::ranges::any_of(row, [&](const CompareCell& cell) { return cell.*mark; });
    });
}

std::string legend(const Comparison& c) {
    std::string text;
    if (any(c, &CompareCell::significant))
        text += fmt::format(
            "* significant: Welch's {:.0f} % interval of the difference of the means "
            "excludes 0\n",
            c.confidence * 100);
    if (any(c, &CompareCell::two_humps))
        text +=
            "~ two humps: the seeds fall into two states, see min and max; do not trust one "
            "number\n";
    if (c.few_seeds())
        text +=
            fmt::format("warning: n = {}; spread, significance and humps need at least 3 seeds\n",
                        c.seeds.size());
    return text.empty() ? text : "\n" + text;
}

}  // namespace

std::string compare_text(const Comparison& c) {
    std::string text = fmt::format("{}: {} in {}, median of {} seed{}", c.title, c.metric, c.unit,
                                   c.seeds.size(), c.seeds.size() == 1 ? "" : "s");
    if (c.labels.size() > 1)
        text += fmt::format("\nchange against {}, positive = better", c.labels[0]);
    text += "\n\n" + level_blocks(c);
    text += "\nspread over seeds\n" + spread_block(c);
    return text + legend(c);
}

}  // namespace wakelab::report
