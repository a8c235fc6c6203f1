#include "report/html/chart_scale.hpp"

#include <algorithm>
#include <cmath>

namespace wakelab::report::html {

namespace {

// The 1, 2 or 5 times a power of ten that is at least `value`.
double round_step(double value) {
    const double power = std::pow(10, std::floor(std::log10(value)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= value * 0.999) return factor * power;
    return 10 * power;
}

}  // namespace

double ChartScale::at(double value) const {
    double share = 0;
    if (log)
        share = value <= low ? 0 : std::log(value / low) / std::log(high / low);
    else
        share = (value - low) / (high - low);
    return from_px + std::clamp(share, 0.0, 1.0) * (to_px - from_px);
}

std::vector<double> ChartScale::ticks(int about) const {
    std::vector<double> ticks;
    if (log) {
        const bool wide = high / low > 100;
        const double decades = std::log10(high / low);
        const double skip = std::max(1.0, std::ceil(decades / about));
        for (double power = std::ceil(std::log10(low) - 1); power <= std::log10(high);
             power += skip)
            for (const double factor : {1.0, 2.0, 5.0}) {
                const double tick = factor * std::pow(10, power);
                if (factor > 1 && wide) break;
                if (tick >= low * 0.999 && tick <= high * 1.001) ticks.push_back(tick);
            }
        return ticks;
    }
    const double step = round_step((high - low) / about);
    for (double i = std::ceil(low / step - 1e-9); i * step <= high * (1 + 1e-9) + 1e-12; ++i)
        ticks.push_back(i * step);
    return ticks;
}

double round_up(double high) {
    if (!(high > 0) || !std::isfinite(high)) return 1;
    const double step = round_step(high / 5);
    return std::ceil(high / step - 1e-9) * step;
}

}  // namespace wakelab::report::html
