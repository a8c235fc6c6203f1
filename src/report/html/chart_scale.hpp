// A linear or logarithmic axis: values to pixels, and where its ticks are.
#pragma once

#include <vector>

namespace wakelab::report::html {

struct ChartScale {
    double low = 0;
    double high = 1;  // > low; low > 0 when log
    bool log = false;
    double from_px = 0;  // of low
    double to_px = 1;    // of high

    // Clamped to the axis.
    [[nodiscard]] double at(double value) const;
    // 1, 2 or 5 times a power of ten; of a log axis over more than two decades powers of ten only.
    // `about`: how many are wanted.
    [[nodiscard]] std::vector<double> ticks(int about) const;
};

// Bounds of an axis from 0 to a round number at or above `high`.
[[nodiscard]] double round_up(double high);

}  // namespace wakelab::report::html
