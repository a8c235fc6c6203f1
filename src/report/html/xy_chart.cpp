#include "report/html/xy_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "report/html/chart_scale.hpp"
#include "report/html/html_text.hpp"

namespace wakelab::report::html {

namespace {

constexpr double kLeft = 74;
constexpr double kTop = 14;
constexpr double kBottom = 44;
constexpr double kCharPx = 6.6;      // of a label of 12 px, about
constexpr double kLabelStepPx = 15;  // between two names at the ends of curves
constexpr double kMaxNamePx = 250;

struct Frame {
    ChartScale x;
    ChartScale y;
    double right_px = 0;  // of the plot
    double bottom_px = 0;
};

double name_px(const XyChart& c) {
    std::size_t longest = 0;
    for (const XySeries& s : c.series) longest = std::max(longest, s.name.size());
    return std::min(static_cast<double>(longest) * kCharPx + 22, kMaxNamePx);
}

Frame frame_of(const XyChart& c) {
    double x_low = INFINITY, x_high = -INFINITY, y_high = 0, y_low = INFINITY;
    for (const XySeries& s : c.series)
        for (const XyPoint& p : s.points) {
            x_low = std::min(x_low, p.x);
            x_high = std::max(x_high, p.x);
            y_high = std::max({y_high, p.y, p.high});
            y_low = std::min(y_low, p.y);
        }
    if (c.x_log) x_low = std::max(x_low, 1e-9);
    if (!(x_high > x_low)) x_high = x_low + (c.x_log ? x_low : 1);
    Frame f;
    f.right_px = c.width - name_px(c);
    f.bottom_px = c.height - kBottom;
    f.x = {x_low, x_high, c.x_log, kLeft + 8, f.right_px - 8};
    if (c.y_log)
        f.y = {c.y_low > 0 ? c.y_low : y_low, c.y_high > 0 ? c.y_high : y_high, true, f.bottom_px,
               kTop};
    else
        f.y = {0, c.y_high > 0 ? c.y_high : round_up(y_high * 1.02), false, f.bottom_px, kTop};
    if (!(f.y.high > f.y.low)) f.y.high = f.y.low + std::max(f.y.low, 1.0);
    return f;
}

std::string words_of(const std::function<std::string(double)>& words, double value) {
    return words ? words(value) : number_words(value);
}

std::string axes_svg(const XyChart& c, const Frame& f) {
    std::string svg = "<g class=\"axis\">\n";
    for (const double t : f.y.ticks(5)) {
        const std::string y = px(f.y.at(t));
        svg += fmt::format("<line x1=\"{}\" x2=\"{}\" y1=\"{}\" y2=\"{}\"/>", px(kLeft),
                           px(f.right_px), y, y);
        svg += fmt::format("<text x=\"{}\" y=\"{}\" dy=\".32em\" class=\"e\">{}</text>\n",
                           px(kLeft - 8), y, words_of(c.y_words, t));
    }
    double last = -INFINITY;
    for (const double t : c.x_ticks.empty() ? f.x.ticks(8) : c.x_ticks) {
        const double x = f.x.at(t);
        svg += fmt::format("<line x1=\"{0}\" x2=\"{0}\" y1=\"{1}\" y2=\"{2}\" class=\"tick\"/>",
                           px(x), px(f.bottom_px), px(f.bottom_px + 4));
        if (x - last < 26) continue;
        last = x;
        svg += fmt::format("<text x=\"{}\" y=\"{}\" class=\"m\">{}</text>\n", px(x),
                           px(f.bottom_px + 17), words_of(c.x_words, t));
    }
    svg += fmt::format("<text x=\"{}\" y=\"{}\" class=\"m title\">{}</text>\n",
                       px((kLeft + f.right_px) / 2), px(c.height - 6), c.x_title);
    svg += fmt::format(
        "<text transform=\"translate(13 {}) rotate(-90)\" class=\"m title\">{}</text>\n</g>\n",
        px((kTop + f.bottom_px) / 2), c.y_title);
    return svg;
}

std::string marker_svg(std::size_t shape, double x, double y) {
    switch (shape % 4) {
        case 0:
            return fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"3.6\"", px(x), px(y));
        case 1:
            return fmt::format("<rect x=\"{}\" y=\"{}\" width=\"6.6\" height=\"6.6\"", px(x - 3.3),
                               px(y - 3.3));
        case 2:
            return fmt::format("<path d=\"M{} {}l4.2 7.4h-8.4z\"", px(x), px(y - 4.6));
        default:
            return fmt::format("<path d=\"M{} {}l4.6 4.6l-4.6 4.6l-4.6 -4.6z\"", px(x),
                               px(y - 4.6));
    }
}

std::string band_svg(const XySeries& s, const Frame& f) {
    std::string upper, lower;
    bool spread = false;
    for (const XyPoint& p : s.points) {
        const bool own = p.high > p.low;
        spread = spread || own;
        const std::string x = px(f.x.at(p.x));
        upper +=
            fmt::format("{}{} {}", upper.empty() ? "M" : "L", x, px(f.y.at(own ? p.high : p.y)));
        lower = fmt::format("L{} {}", x, px(f.y.at(own ? p.low : p.y))) + lower;
    }
    if (!spread) return {};
    return fmt::format("<path class=\"band\" d=\"{}{}z\"/>\n", upper, lower);
}

std::string series_svg(const XySeries& s, std::size_t index, const Frame& f) {
    std::string svg = fmt::format("<g class=\"s c{}{}\">\n", s.colour % kSeriesColours,
                                  s.dashed ? " dashed" : "");
    svg += band_svg(s, f);
    svg += "<path class=\"line\" d=\"";
    for (std::size_t i = 0; i < s.points.size(); ++i)
        svg += fmt::format("{}{} {}", i == 0 ? "M" : "L", px(f.x.at(s.points[i].x)),
                           px(f.y.at(s.points[i].y)));
    svg += "\"/>\n";
    for (const XyPoint& p : s.points) {
        if (p.hint.empty()) continue;
        svg += marker_svg(index, f.x.at(p.x), f.y.at(p.y));
        svg +=
            fmt::format("{}><title>{}</title>", p.hollow ? " class=\"hollow\"" : "", shown(p.hint));
        svg += index % 4 == 0 ? "</circle>\n" : index % 4 == 1 ? "</rect>\n" : "</path>\n";
    }
    return svg + "</g>\n";
}

// Names at the ends of the curves, moved apart where curves end close to each other.
std::string names_svg(const std::vector<const XySeries*>& series, const Frame& f) {
    struct Name {
        std::size_t index;
        double end_px;
        double y_px;
    };
    std::vector<Name> names;
    for (std::size_t i = 0; i < series.size(); ++i) {
        const double y = f.y.at(series[i]->points.back().y);
        names.push_back({i, y, y});
    }
    std::ranges::stable_sort(names, {}, &Name::y_px);
    for (std::size_t i = 1; i < names.size(); ++i)
        names[i].y_px = std::max(names[i].y_px, names[i - 1].y_px + kLabelStepPx);
    double limit = f.bottom_px;
    for (std::size_t i = names.size(); i-- > 0;) {
        names[i].y_px = std::min(names[i].y_px, limit);
        limit = names[i].y_px - kLabelStepPx;
    }
    std::string svg;
    for (const Name& n : names) {
        const XySeries& s = *series[n.index];
        const double x = f.x.at(s.points.back().x);
        const std::size_t room = static_cast<std::size_t>((kMaxNamePx - 22) / kCharPx);
        const std::string name = printable(s.name);
        svg += fmt::format("<g class=\"s c{}\"><path class=\"lead\" d=\"M{} {}L{} {}\"/>",
                           s.colour % kSeriesColours, px(x + 5), px(n.end_px), px(f.right_px + 4),
                           px(n.y_px));
        svg += marker_svg(n.index, f.right_px + 9, n.y_px) + "/>";
        svg += fmt::format("<text x=\"{}\" y=\"{}\" dy=\".32em\" class=\"name\">{}</text></g>\n",
                           px(f.right_px + 18), px(n.y_px),
                           escaped(name.size() > room ? name.substr(0, room - 1) + "…" : name));
    }
    return svg;
}

}  // namespace

std::string xy_chart_svg(const XyChart& c) {
    std::vector<const XySeries*> series;
    for (const XySeries& s : c.series)
        if (!s.points.empty()) series.push_back(&s);
    if (series.empty()) return {};
    const Frame f = frame_of(c);
    std::string svg = fmt::format(
        "<svg class=\"chart\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\" "
        "aria-label=\"{2}\">\n",
        px(c.width), px(c.height), shown(c.label));
    svg += axes_svg(c, f);
    for (std::size_t i = 0; i < series.size(); ++i) svg += series_svg(*series[i], i, f);
    return svg + names_svg(series, f) + "</svg>\n";
}

}  // namespace wakelab::report::html
