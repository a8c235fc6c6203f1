// What `wakelab validate --json` wrote: how far simulation and print are apart, table by table.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "report/html/error_plot.hpp"
#include "report/html/html_page.hpp"
#include "report/html/html_text.hpp"
#include "report/html/key_numbers.hpp"
#include "report/html/result_pages.hpp"
#include "report/html/xy_chart.hpp"

namespace wakelab::report::html {

namespace {

Cell optional_share(const Json& object, const char* key) {
    const auto value = maybe_number(object, key);
    return value ? share_cell(*value) : empty_cell();
}

std::string numbers_html(const Json& result) {
    const Json& predict = member(result, "predict");
    KeyNumbers numbers;
    const auto share = [&](const char* name, const char* key, const std::string& note) {
        if (const auto value = maybe_number(predict, key))
            numbers.add(name, *value, share_words(*value), note);
    };
    share("median error, predicted", "median_error",
          fmt::format("of {} cells", number_words(number(predict, "cells"))));
    share("90 % of errors below", "p90_error", "");
    share("largest error", "max_error", "");
    share("direction as in print", "direction",
          fmt::format("of {} pairs within an experiment",
                      number_words(number(predict, "direction_pairs"))));
    if (const auto tau = maybe_number(predict, "tau"))
        numbers.add("Kendall's tau of columns", *tau, number_words(*tau, 3),
                    fmt::format("{} columns", number_words(number(predict, "tau_columns"))));
    const Json& fit = member(result, "fit");
    if (const auto error = maybe_number(fit, "median_error"))
        numbers.add("median error, fitted", *error, share_words(*error),
                    fmt::format("of {} cells", number_words(number(fit, "cells"))));
    return numbers.html();
}

void add_score(HtmlTable& table, const std::string& name, const char* role, const Json& score) {
    if (!(number(score, "cells") > 0)) return;
    const auto tau = maybe_number(score, "tau");
    table.add({text_cell(name), text_cell(role), number_cell(number(score, "cells")),
               optional_share(score, "median_error"), optional_share(score, "p90_error"),
               optional_share(score, "max_error"), optional_share(score, "direction"),
               number_cell(number(score, "direction_pairs")),
               tau ? number_cell(*tau, number_words(*tau, 2)) : empty_cell()});
}

std::string scores_html(const Json& result) {
    HtmlTable table("", {"table", "role", "cells", "median error", "90 %", "largest", "direction",
                         "pairs", "tau"});
    for (const Json& t : list(result, "tables")) {
        add_score(table, words(t, "experiment"), "predicted", member(t, "predict"));
        add_score(table, words(t, "experiment"), "fitted", member(t, "fit"));
    }
    add_score(table, "all", "predicted", member(result, "predict"));
    add_score(table, "all", "fitted", member(result, "fit"));
    return table.html();
}

std::string column_name(const Json& cell) {
    return words(cell, "column").empty() ? words(cell, "scheduler") : words(cell, "column");
}

std::string plot_html(const Json& result) {
    std::vector<ErrorRow> rows;
    for (const Json& t : list(result, "tables")) {
        ErrorRow row;
        row.name = words(t, "experiment");
        for (const Json& c : list(t, "cells"))
            row.dots.push_back(
                {.log_ratio = number(c, "log_ratio"),
                 .fitted = words(c, "role") == "fit",
                 .hint = fmt::format("{} {}, {} clients: print {}, simulated {}", row.name,
                                     column_name(c), number_words(number(c, "clients")),
                                     number_words(number(c, "published")),
                                     number_words(number(c, "simulated")))});
        rows.push_back(std::move(row));
    }
    const std::string svg = error_plot_svg(rows);
    if (svg.empty()) return {};
    return figure(
        svg, "Each dot is a cell of a published table; grey: within 10 %; hollow: fitted on it.");
}

// Published and simulated values of every column over the clients.
std::string curves_html(const Json& table, const std::string& unit) {
    XyChart chart{.label = words(table, "experiment") + ": published and simulated",
                  .x_title = "clients",
                  .y_title = shown(unit),
                  .series = {},
                  .x_ticks = {},
                  .height = 320};
    for (const Json& c : list(table, "cells")) {
        const std::string name = column_name(c);
        const double clients = number(c, "clients");
        if (!(clients > 0)) return {};
        auto at = std::ranges::find(chart.series, name, &XySeries::name);
        if (at == chart.series.end()) {
            const std::size_t colour = chart.series.size() / 2;
            chart.series.push_back({.name = name, .points = {}, .colour = colour});
            chart.series.push_back(
                {.name = name + " (print)", .points = {}, .colour = colour, .dashed = true});
            at = chart.series.end() - 2;
        }
        const std::string where = fmt::format("{}, {} clients: ", name, clients);
        at->points.push_back({.x = clients,
                              .y = number(c, "simulated"),
                              .low = number(c, "simulated_min"),
                              .high = number(c, "simulated_max"),
                              .hint = where + "simulated " + number_words(number(c, "simulated"))});
        (at + 1)->points.push_back(
            {.x = clients,
             .y = number(c, "published"),
             .hint = where + "published " + number_words(number(c, "published")),
             .hollow = true});
        if (std::ranges::find(chart.x_ticks, clients) == chart.x_ticks.end())
            chart.x_ticks.push_back(clients);
    }
    std::ranges::sort(chart.x_ticks);
    if (chart.x_ticks.size() < 3 || chart.series.size() > 12) return {};
    chart.x_log = chart.x_ticks.back() / chart.x_ticks.front() >= 8;
    for (XySeries& s : chart.series) std::ranges::stable_sort(s.points, {}, &XyPoint::x);
    return figure(xy_chart_svg(chart),
                  "Solid: simulated, with the range over the seeds; dashed: in print.");
}

Cell error_cell(const Json& cell) {
    const double error = std::expm1(number(cell, "log_ratio"));
    const bool large = std::abs(error) > 0.1;
    return number_cell(error, fmt::format("<span class=\"delta {}\">{}</span>",
                                          large ? "down" : "none", change_words(error)));
}

std::string table_html(const Json& table, const std::string& unit) {
    HtmlTable cells(fmt::format("{}, {}", shown(words(table, "experiment")), shown(unit)),
                    {"column", "scheduler", "clients", "published", "simulated", "difference",
                     "simulated range", "role", "busy"});
    for (const Json& c : list(table, "cells"))
        cells.add({text_cell(column_name(c)), text_cell(words(c, "scheduler")),
                   number_cell(number(c, "clients")), number_cell(number(c, "published")),
                   number_cell(number(c, "simulated")), error_cell(c),
                   Cell{fmt::format("{} .. {}{}", number_words(number(c, "simulated_min")),
                                    number_words(number(c, "simulated_max")),
                                    flag(c, "bistable") ? " ~" : ""),
                        "", "n"},
                   text_cell(words(c, "role")), share_cell(number(c, "busy_share"))});
    std::string html = curves_html(table, unit);
    html += folded(fmt::format("{} cells", list(table, "cells").size()), cells.html());
    if (!list(table, "not_run").empty()) {
        html += "<p class=\"hint\">Not run: ";
        bool first = true;
        for (const Json& n : list(table, "not_run")) {
            html += fmt::format("{}{} (needs {})", first ? "" : ", ", shown(words(n, "column")),
                                shown(words(n, "needs")));
            first = false;
        }
        html += ".</p>\n";
    }
    return html;
}

}  // namespace

std::string validate_page(const Json& result, const std::string& title) {
    const std::string unit = words(result, "unit");
    PageHead head{
        .title = title.empty() ? "Validation: " + words(result, "set") : title,
        .subtitle =
            "Simulation against published tables; nothing here was fitted unless it says so.",
        .facts = {{"unit", unit},
                  {"seeds", words(result, "seeds")},
                  {"simulated", words(result, "duration_ms") + " ms after " +
                                    words(result, "warmup_ms") + " ms of warm-up"}},
        .navigation = {{"verdicts", "Verdict"}, {"errors", "Errors"}, {"tables", "Tables"}}};
    std::string page = page_begin(head);
    page += section_begin(
        "verdicts", "Verdict",
        "Error: |ln(simulated / published)|. Direction: of pairs of variants that differ by more "
        "than 10 % in print, those ordered the same way.");
    page += numbers_html(result) + scores_html(result);
    page += kSectionEnd;
    page += section_begin("errors", "Errors") + plot_html(result) + std::string(kSectionEnd);
    page += section_begin("tables", "Tables",
                          "~ marks two humps over the seeds: the runs fall into two kinds, the "
                          "median is one of them.");
    for (const Json& t : list(result, "tables"))
        if (!list(t, "cells").empty() || !list(t, "not_run").empty())
            page +=
                fmt::format("<h3>{}</h3>\n", shown(words(t, "experiment"))) + table_html(t, unit);
    page += kSectionEnd;
    return page +
           page_end("Made by wakelab from the result of <code>wakelab validate --json</code>.");
}

}  // namespace wakelab::report::html
