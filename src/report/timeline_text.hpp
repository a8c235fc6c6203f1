// A window of a run as text: a lane per CPU, a letter per task.
#pragma once

#include <cstddef>
#include <string>

#include "metrics/timeline_window.hpp"

namespace wakelab::report {

// Lanes of `width` columns in all (at least 40); each column shows who had most of its time. Under a
// lane, where tasks wait, how many at most. Then who the letters are.
[[nodiscard]] std::string timeline_text(const metrics::Timeline& timeline, std::size_t width);

}  // namespace wakelab::report
