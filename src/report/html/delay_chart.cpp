#include "report/html/delay_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/html/html_page.hpp"
#include "report/html/html_text.hpp"
#include "report/html/xy_chart.hpp"

namespace wakelab::report::html {

namespace {

constexpr std::array kTableShares = {0.5, 0.9, 0.99, 0.999};
constexpr int kPointsPerDecade = 24;
constexpr double kRarest = 1e-6;

double quantile(const DelayStats& d, double share) {
    for (const auto& [at, ns] : d.quantiles)
        if (at >= share - 1e-9) return ns;
    return d.max_ns;
}

XySeries tail_of(const DelayStats& d, std::size_t colour) {
    XySeries s;
    s.name = d.name;
    s.colour = colour;
    const double rarest = std::max(1 / d.count, kRarest);
    for (const auto& [share, ns] : d.quantiles) {
        const double rest = 1 - share;
        if (rest < rarest * 1.0001) break;
        const double here = share;  // clang 14 cannot capture a binding
        const bool named = std::ranges::any_of(
            kTableShares, [&](double at) { return std::abs(at - here) < 1e-9; });
        s.points.push_back({.x = std::max(ns, 1.0),
                            .y = rest,
                            .hint = named ? fmt::format("{}: {} waited longer than {}", d.name,
                                                        share_words(rest), time_words(ns))
                                          : ""});
    }
    s.points.push_back({.x = std::max(d.max_ns, 1.0),
                        .y = rarest,
                        .hint = fmt::format("{}: at most {}", d.name, time_words(d.max_ns))});
    return s;
}

std::string rest_words(double rest) {
    return rest >= 0.0999 ? fmt::format("{:.0f} %", rest * 100) : fmt::format("{:g} %", rest * 100);
}

}  // namespace

std::vector<double> delay_shares(double count) {
    std::vector<double> shares(kTableShares.begin(), kTableShares.end());
    for (int i = 1; i <= 19; ++i) shares.push_back(0.05 * i - 0.025);
    const double decades = -std::log10(std::max(1 / count, kRarest));
    for (int i = 0; i < decades * kPointsPerDecade; ++i)
        shares.push_back(1 - std::pow(10, -static_cast<double>(i) / kPointsPerDecade));
    std::ranges::sort(shares);
    return shares;
}

DelayStats delay_stats_of(std::string name, const Json& h) {
    DelayStats d{.name = std::move(name),
                 .count = number(h, "count"),
                 .mean_ns = number(h, "mean_ns"),
                 .max_ns = number(h, "max_ns"),
                 .quantiles = {}};
    constexpr std::array kKeys = {"p50_ns", "p90_ns", "p99_ns", "p999_ns"};
    for (std::size_t i = 0; i < kKeys.size(); ++i)
        if (const auto ns = maybe_number(h, kKeys[i]))
            d.quantiles.emplace_back(kTableShares[i], *ns);
    return d;
}

std::string delays_html(const std::vector<DelayStats>& delays) {
    XyChart chart{.label = "Share of waits that were longer than a time",
                  .x_title = "waited longer than",
                  .y_title = "share of all waits",
                  .series = {},
                  .x_log = true,
                  .y_log = true,
                  .x_ticks = {},
                  .y_high = 1,
                  .x_words = time_words,
                  .y_words = rest_words,
                  .height = 320};
    HtmlTable table("", {"", "waits", "mean", "median", "90 %", "99 %", "99.9 %", "longest"});
    double rarest = 0.1;
    for (std::size_t i = 0; i < delays.size(); ++i) {
        const DelayStats& d = delays[i];
        if (!(d.count > 0)) continue;
        rarest = std::min(rarest, std::max(1 / d.count, kRarest));
        chart.series.push_back(tail_of(d, i));
        table.add({text_cell(d.name),
                   number_cell(d.count, count_words(static_cast<std::uint64_t>(d.count))),
                   time_cell(d.mean_ns), time_cell(quantile(d, 0.5)), time_cell(quantile(d, 0.9)),
                   time_cell(quantile(d, 0.99)), time_cell(quantile(d, 0.999)),
                   time_cell(d.max_ns)});
    }
    if (chart.series.empty()) return {};
    chart.y_low = std::pow(10, std::floor(std::log10(rarest) + 1e-9));
    return figure(
               xy_chart_svg(chart),
               "Both axes are logarithmic: a curve that goes down steeply has no long waits; marks "
               "are the median, 90, 99 and 99.9 % and the longest.") +
           table.html();
}

}  // namespace wakelab::report::html
