#include "report/html/error_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/html/chart_scale.hpp"
#include "report/html/html_text.hpp"

namespace wakelab::report::html {

namespace {

constexpr double kWidth = 760;
constexpr double kLeft = 96;
constexpr double kRight = 728;
constexpr double kRowPx = 26;
constexpr double kTop = 8;
constexpr double kDotPx = 3.4;
constexpr std::array kTickPercents = {-60, -40, -20, -10, 0, 10, 25, 50, 100, 150};

// Dots of a row that would cover each other are stacked, up to the height of the row.
std::string row_svg(const ErrorRow& row, double y, const ChartScale& x) {
    std::vector<const ErrorDot*> dots;
    for (const ErrorDot& d : row.dots) dots.push_back(&d);
    std::ranges::stable_sort(dots, {}, [](const ErrorDot* d) { return d->log_ratio; });
    std::string svg = fmt::format(
        "<text x=\"{}\" y=\"{}\" dy=\".32em\" class=\"e\">{}</text>\n<g class=\"s c0\">",
        px(kLeft - 10), px(y), shown(row.name));
    double last_px = -1e9;
    int level = 0;
    for (const ErrorDot* d : dots) {
        const double at = x.at(d->log_ratio);
        level = at - last_px < 2 * kDotPx ? (level + 1) % 5 : 0;
        last_px = at;
        const double shift = (level % 2 == 0 ? 1 : -1) * ((level + 1) / 2) * 4.4;
        svg += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"{}><title>{}</title></circle>\n",
                           px(at), px(y + shift), px(kDotPx), d->fitted ? " class=\"hollow\"" : "",
                           shown(d->hint));
    }
    return svg + "</g>\n";
}

}  // namespace

std::string error_plot_svg(const std::vector<ErrorRow>& rows) {
    std::size_t used = 0;
    for (const ErrorRow& row : rows) used += row.dots.empty() ? 0 : 1;
    if (used == 0) return {};
    const ChartScale x = {std::log(0.4), std::log(2.5), false, kLeft + 6, kRight};
    const double bottom = kTop + kRowPx * static_cast<double>(used);
    std::string svg = fmt::format(
        "<svg class=\"chart\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\" "
        "aria-label=\"Error of every cell by table\">\n<rect class=\"band5\" x=\"{2}\" y=\"{3}\" "
        "width=\"{4}\" height=\"{5}\"/>\n<g class=\"axis\">\n",
        px(kWidth), px(bottom + 40), px(x.at(std::log(0.9))), px(kTop),
        px(x.at(std::log(1.1)) - x.at(std::log(0.9))), px(bottom - kTop));
    for (const int percent : kTickPercents) {
        const std::string at = px(x.at(std::log1p(percent / 100.0)));
        svg += fmt::format("<line x1=\"{0}\" x2=\"{0}\" y1=\"{1}\" y2=\"{2}\"{3}/>", at, px(kTop),
                           px(bottom), percent == 0 ? " class=\"zero\"" : "");
        if (std::abs(percent) == 10) continue;  // no room for the words
        svg += fmt::format(
            "<text x=\"{}\" y=\"{}\" class=\"m\">{}</text>\n", at, px(bottom + 16),
            percent == 0 ? "0" : fmt::format("{}{} %", percent < 0 ? "−" : "+", std::abs(percent)));
    }
    svg += fmt::format(
        "<text x=\"{}\" y=\"{}\" class=\"m title\">simulated against published</text>\n</g>\n",
        px((kLeft + kRight) / 2), px(bottom + 34));
    double y = kTop + kRowPx / 2;
    for (const ErrorRow& row : rows) {
        if (row.dots.empty()) continue;
        svg += row_svg(row, y, x);
        y += kRowPx;
    }
    return svg + "</svg>\n";
}

}  // namespace wakelab::report::html
