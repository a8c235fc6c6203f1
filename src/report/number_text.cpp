#include "report/number_text.hpp"

#include <fmt/format.h>

#include <cmath>

namespace wakelab::report {

std::string level_text(double value) {
    const double size = std::abs(value);
    const int digits = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3;
    return fmt::format("{:.{}f}", value, digits);
}

std::string change_text(double fraction) {
    return fmt::format("{:+.1f}%", fraction * 100);
}

std::string percent_text(double fraction) {
    return fmt::format("{:.1f} %", fraction * 100);
}

double json_number(double value) {
    return std::round(value * 1e6) / 1e6;
}

}  // namespace wakelab::report
