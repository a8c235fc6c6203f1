// Small multiples over time, one row per CPU, that need no script: busy shares, queue lengths.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/slice_store.hpp"

namespace wakelab::report::html {

inline constexpr std::size_t kStripBuckets = 240;
inline constexpr std::size_t kStripsShown = 64;  // rows; a note says how many more there are

// Means over equal parts of [lanes.start_ns, lanes.end_ns], 0 .. 1, [cpu][bucket].
[[nodiscard]] std::vector<std::vector<double>> busy_shares(const metrics::Lanes& lanes);

// An area of the values over the width; values above `most` are cut. `style`: class of the area.
[[nodiscard]] std::string strip_svg(const std::vector<double>& values, double most,
                                    std::string_view style, std::string_view label);

struct StripRow {
    std::string name;  // HTML
    std::vector<double> values;
    std::string words;  // HTML at the end of the row
    std::string label;  // for those who do not see the strip; bytes
};
// A list of rows on one scale; `id` may be empty.
[[nodiscard]] std::string strip_list(std::string_view id, const std::vector<StripRow>& rows,
                                     double most, std::string_view style);

}  // namespace wakelab::report::html
