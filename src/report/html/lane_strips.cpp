#include "report/html/lane_strips.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/html/html_text.hpp"

namespace wakelab::report::html {

namespace {

constexpr double kHeight = 18;
constexpr double kWidth = 720;

}  // namespace

std::vector<std::vector<double>> busy_shares(const metrics::Lanes& lanes) {
    const double span = static_cast<double>(lanes.end_ns - lanes.start_ns);
    std::vector<std::vector<double>> shares(lanes.cpus.size(), std::vector<double>(kStripBuckets));
    if (span <= 0) return shares;
    const double width = span / kStripBuckets;
    for (std::size_t cpu = 0; cpu < lanes.cpus.size(); ++cpu)
        for (const metrics::Slice& s : lanes.cpus[cpu]) {
            const double from = static_cast<double>(s.start_ns - lanes.start_ns) / width;
            const double to = from + static_cast<double>(s.span_ns) / width;
            const double density = static_cast<double>(s.busy_ns) / static_cast<double>(s.span_ns);
            const auto first = static_cast<std::size_t>(from);
            for (std::size_t b = first; b < kStripBuckets && static_cast<double>(b) < to; ++b) {
                const double left = std::max(from, static_cast<double>(b));
                const double right = std::min(to, static_cast<double>(b + 1));
                shares[cpu][b] += (right - left) * density;
            }
        }
    return shares;
}

std::string strip_svg(const std::vector<double>& values, double most, std::string_view style,
                      std::string_view label) {
    std::string path;
    const double step = kWidth / static_cast<double>(std::max<std::size_t>(values.size(), 1));
    double last = -1;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double y = kHeight * (1 - std::clamp(values[i] / most, 0.0, 1.0));
        if (std::abs(y - last) < 0.05) continue;  // the same: the line goes on
        path += fmt::format("H{}V{}", px(static_cast<double>(i) * step), px(y));
        last = y;
    }
    return fmt::format(
        "<svg viewBox=\"0 0 {0} {1}\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{2}\">"
        "<path class=\"area {3}\" d=\"M0 {1}{4}H{0}V{1}z\"/></svg>",
        px(kWidth), px(kHeight), shown(label), style, path);
}

std::string strip_list(std::string_view id, const std::vector<StripRow>& rows, double most,
                       std::string_view style) {
    std::string html = id.empty() ? std::string("<ol class=\"lane-list\">\n")
                                  : fmt::format("<ol class=\"lane-list\" id=\"{}\">\n", id);
    for (std::size_t i = 0; i < rows.size() && i < kStripsShown; ++i)
        html += fmt::format("<li><span>{}</span>{}<span class=\"n\">{}</span></li>\n", rows[i].name,
                            strip_svg(rows[i].values, most, style, rows[i].label), rows[i].words);
    if (rows.size() > kStripsShown)
        html += fmt::format(
            "<li><span></span><span class=\"hint\">and {} more CPUs, in the table "
            "below</span></li>\n",
            rows.size() - kStripsShown);
    return html + "</ol>\n";
}

}  // namespace wakelab::report::html
