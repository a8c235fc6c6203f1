// A chart of curves as SVG: readable without scripts, told apart without colour (marker, dash, name
// at the end of the curve), values of points as tooltips.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace wakelab::report::html {

struct XyPoint {
    double x = 0;
    double y = 0;
    double low = 0;  // spread, when low < high
    double high = 0;
    std::string hint = {};  // tooltip, bytes; empty: none, and no marker
    bool hollow = false;    // marker: "two humps"
};

struct XySeries {
    std::string name;             // bytes
    std::vector<XyPoint> points;  // in order of x
    std::size_t colour = 0;       // kSeriesColours of them, then again
    bool dashed = false;
};

inline constexpr std::size_t kSeriesColours = 8;

struct XyChart {
    std::string label;    // what it shows, for those who do not see it; bytes
    std::string x_title;  // HTML
    std::string y_title;  // HTML
    std::vector<XySeries> series;
    bool x_log = false;
    bool y_log = false;
    std::vector<double> x_ticks;                           // empty: chosen
    double y_low = 0;                                      // of a log axis
    double y_high = 0;                                     // 0: from the points
    std::function<std::string(double)> x_words = nullptr;  // of ticks, HTML
    std::function<std::string(double)> y_words = nullptr;
    double width = 760;
    double height = 340;
};

// Series without points are left out; "" when none has any.
[[nodiscard]] std::string xy_chart_svg(const XyChart& chart);

}  // namespace wakelab::report::html
