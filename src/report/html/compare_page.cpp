// What `wakelab compare --json` wrote: who is faster overall, the curves, the table.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "report/html/html_page.hpp"
#include "report/html/html_text.hpp"
#include "report/html/result_pages.hpp"
#include "report/html/xy_chart.hpp"

namespace wakelab::report::html {

namespace {

constexpr double kSame = 0.01;  // a mean change below 1 % is called "as fast"

struct Extreme {
    double change = 0;
    std::string clients;
};

struct VariantVerdict {
    std::string name;
    std::optional<double> mean;
    std::optional<Extreme> best, worst;  // of the significant ones
};

const Json& cell_at(const Json& level, std::size_t variant) {
    static const Json kNull;
    const Json& cells = list(level, "cells");
    return variant < cells.size() ? cells[variant] : kNull;
}

VariantVerdict verdict_of(const Json& result, std::size_t v) {
    VariantVerdict verdict;
    verdict.name = plain(list(result, "variants")[v]);
    const Json& means = list(result, "mean_change");
    if (v < means.size() && means[v].is_number()) verdict.mean = means[v].get<double>();
    for (const Json& level : list(result, "levels")) {
        const Json& cell = cell_at(level, v);
        const auto change = maybe_number(cell, "change");
        if (!change || !flag(cell, "significant")) continue;
        const Extreme here = {*change, words(level, "clients")};
        if (*change > 0 && (!verdict.best || *change > verdict.best->change)) verdict.best = here;
        if (*change < 0 && (!verdict.worst || *change < verdict.worst->change))
            verdict.worst = here;
    }
    return verdict;
}

std::string verdict_item(const VariantVerdict& v, const std::string& baseline,
                         const std::string& mean) {
    const double change = v.mean.value_or(0);
    const char* kind = !v.mean || std::abs(change) < kSame ? "flat" : change > 0 ? "good" : "bad";
    std::string text =
        fmt::format("<li class=\"verdict {}\"><p class=\"claim\"><b>{}</b> ", kind, shown(v.name));
    if (!v.mean)
        text += "cannot be compared as a whole";
    else if (std::abs(change) < kSame)
        text += fmt::format("is as good as {}", shown(baseline));
    else
        text += fmt::format("is <strong data-v=\"{}\">{}</strong> {} than {}", change,
                            share_words(std::abs(change)), change > 0 ? "better" : "worse",
                            shown(baseline));
    text += fmt::format("</p><p>{} mean over the load levels", shown(mean));
    if (v.worst)
        text += fmt::format("; worst at {} clients: {}", shown(v.worst->clients),
                            change_words(v.worst->change));
    if (v.best)
        text += fmt::format("; best at {} clients: {}", shown(v.best->clients),
                            change_words(v.best->change));
    if (!v.worst && !v.best) text += "; no single level differs significantly";
    return text + ".</p></li>\n";
}

std::string verdicts_html(const Json& result) {
    const Json& variants = list(result, "variants");
    const std::string baseline = words(result, "baseline");
    std::vector<VariantVerdict> verdicts;
    for (std::size_t v = 0; v < variants.size(); ++v)
        if (plain(variants[v]) != baseline) verdicts.push_back(verdict_of(result, v));
    std::ranges::stable_sort(verdicts, std::greater{},
                             [](const VariantVerdict& v) { return v.mean.value_or(-1e9); });
    std::string mean = words(result, "mean");
    if (!mean.empty())
        mean[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(mean[0])));
    std::string text = "<ol class=\"verdicts\">\n";
    for (const VariantVerdict& v : verdicts) text += verdict_item(v, baseline, mean);
    return text + "</ol>\n";
}

XySeries series_of(const Json& result, std::size_t v) {
    XySeries s;
    s.name = plain(list(result, "variants")[v]);
    s.colour = v;
    for (const Json& level : list(result, "levels")) {
        const Json& cell = cell_at(level, v);
        const auto clients = maybe_number(level, "clients");
        const auto median = maybe_number(cell, "median");
        if (!clients || !median) continue;
        const bool humps = flag(cell, "two_humps");
        s.points.push_back(
            {.x = *clients,
             .y = *median,
             .low = number(cell, "min"),
             .high = number(cell, "max"),
             .hint = fmt::format("{}, {} clients: {} ({} .. {}){}", s.name, *clients,
                                 number_words(*median), number_words(number(cell, "min")),
                                 number_words(number(cell, "max")),
                                 humps ? ", two humps over the seeds" : ""),
             .hollow = humps});
    }
    std::ranges::stable_sort(s.points, {}, &XyPoint::x);
    return s;
}

std::string curves_html(const Json& result) {
    XyChart chart;
    chart.label = words(result, "title") + ": " + words(result, "unit") + " against clients";
    chart.x_title = "clients";
    chart.y_title = shown(words(result, "unit"));
    for (std::size_t v = 0; v < list(result, "variants").size(); ++v)
        chart.series.push_back(series_of(result, v));
    for (const Json& level : list(result, "levels"))
        if (const auto clients = maybe_number(level, "clients")) chart.x_ticks.push_back(*clients);
    std::ranges::sort(chart.x_ticks);
    if (chart.x_ticks.size() > 1)
        chart.x_log =
            chart.x_ticks.front() > 0 && chart.x_ticks.back() / chart.x_ticks.front() >= 8;
    else
        return {};  // a single level is a table, not a curve
    chart.height = 380;
    return figure(xy_chart_svg(chart),
                  "Median of the seeds; the band is their range, a hollow mark has two humps.");
}

Cell value_cell(const Json& cell) {
    const auto median = maybe_number(cell, "median");
    if (!median) return empty_cell();
    std::string html = number_words(*median);
    if (flag(cell, "two_humps")) html += "<abbr title=\"two humps over the seeds\">~</abbr>";
    if (const auto change = maybe_number(cell, "change")) {
        const bool significant = flag(cell, "significant");
        html += fmt::format(" <span class=\"delta {}\" data-v=\"{}\">{}</span>",
                            !significant  ? "none"
                            : *change > 0 ? "up"
                                          : "down",
                            *change, change_words(*change));
    }
    return number_cell(*median, html);
}

std::string table_html(const Json& result) {
    std::vector<std::string> head = {"clients"};
    for (const Json& v : list(result, "variants")) head.push_back(shown(plain(v)));
    HtmlTable table(fmt::format("Median {} by clients; change against {}",
                                shown(words(result, "unit")), shown(words(result, "baseline"))),
                    head);
    for (const Json& level : list(result, "levels")) {
        std::vector<Cell> row = {text_cell(words(level, "clients"))};
        for (std::size_t v = 0; v + 1 < head.size(); ++v)
            row.push_back(value_cell(cell_at(level, v)));
        table.add(row);
    }
    std::vector<Cell> means = {text_cell(words(result, "mean") + " mean")};
    for (const Json& mean : list(result, "mean_change"))
        means.push_back(mean.is_number()
                            ? number_cell(mean.get<double>(), change_words(mean.get<double>()))
                            : empty_cell());
    if (list(result, "levels").size() > 1) table.add(means);
    return table.html();
}

std::string spread_html(const Json& result) {
    HtmlTable table("Spread over the seeds", {"clients", "variant", "runs", "median", "mean", "min",
                                              "max", "std. deviation", "variation"});
    for (const Json& level : list(result, "levels"))
        for (const Json& cell : list(level, "cells"))
            table.add({text_cell(words(level, "clients")), text_cell(words(cell, "variant")),
                       number_cell(number(cell, "n")), number_cell(number(cell, "median")),
                       number_cell(number(cell, "mean")), number_cell(number(cell, "min")),
                       number_cell(number(cell, "max")), number_cell(number(cell, "stddev")),
                       share_cell(number(cell, "coefficient_of_variation"))});
    return folded("Spread of every cell", table.html());
}

}  // namespace

std::string compare_page(const Json& result, const std::string& title) {
    const std::string name = words(result, "title");
    PageHead head{
        .title = title.empty() ? (name.empty() ? "Comparison" : name) : title,
        .subtitle = fmt::format("{} variants, {} load levels, {} seeds each; {} is better",
                                list(result, "variants").size(), list(result, "levels").size(),
                                list(result, "seeds").size(), shown(words(result, "better"))),
        .facts = {{"Measured", words(result, "metric") + ", " + words(result, "unit")},
                  {"Baseline", words(result, "baseline")},
                  {"Significance", words(result, "significance") + ", confidence " +
                                       share_words(number(result, "confidence"))}},
        .navigation = {{"verdicts", "Verdicts"}}};
    const std::string curves = curves_html(result);
    if (!curves.empty()) head.navigation.emplace_back("curves", "Curves");
    head.navigation.emplace_back("table", "Table");
    std::string page = page_begin(head);
    page += section_begin("verdicts", "Verdicts");
    if (flag(result, "few_seeds"))
        page += "<p class=\"warn\">Few seeds: significance cannot be told from chance.</p>\n";
    page += verdicts_html(result);
    page += kSectionEnd;
    if (!curves.empty())
        page += section_begin("curves", "Curves") + curves + std::string(kSectionEnd);
    page += section_begin(
        "table", "Table",
        "Coloured changes are significant, grey ones may be chance; ~ marks two humps "
        "over the seeds.");
    page += table_html(result) + spread_html(result);
    page += kSectionEnd;
    return page +
           page_end("Made by wakelab from the result of <code>wakelab compare --json</code>.");
}

}  // namespace wakelab::report::html
