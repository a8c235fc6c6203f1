// Simulated against published, one row per table: where each cell lies, from -60 % to +150 %.
#pragma once

#include <string>
#include <vector>

namespace wakelab::report::html {

struct ErrorDot {
    double log_ratio = 0;  // ln(simulated / published)
    bool fitted = false;   // drawn hollow
    std::string hint;      // bytes
};

struct ErrorRow {
    std::string name;  // bytes
    std::vector<ErrorDot> dots;
};

// "" without dots. Grey band: within 10 %.
[[nodiscard]] std::string error_plot_svg(const std::vector<ErrorRow>& rows);

}  // namespace wakelab::report::html
