// Who wakes whom, as a picture: task groups on a circle, one arrow per pair, as thick as it is
// busy.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "metrics/run_analysis.hpp"
#include "report/html/json_view.hpp"

namespace wakelab::report::html {

struct WakeLink {
    std::string waker;  // group; bytes
    std::string wakee;
    double wakeups = 0;
};

// "interrupts and timers" for wake-ups without a waking task.
[[nodiscard]] std::vector<WakeLink> wake_links(const metrics::RunSummary& run);
[[nodiscard]] std::vector<WakeLink> wake_links(const Json& wakers);  // of explain --json

// SVG and the same as a table. The busiest links are drawn, the table names how many are not.
// `seconds`: to show rates; 0: counts. `hues`: names whose place is their hue, so that a group has
// the same hue everywhere on a page; other names get the hues after these. "" without links.
[[nodiscard]] std::string wake_map_html(std::vector<WakeLink> links, double seconds,
                                        const std::vector<std::string>& hues = {});

}  // namespace wakelab::report::html
