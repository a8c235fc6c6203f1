// What recording an event costs on this machine, by a ping-pong of two threads through pipes with
// and without the events, half a second in all.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "live/event_choice.hpp"
#include "live/perf_session.hpp"

namespace wakelab::live {

// ns per event, the median of several pairs; not below 0. The threads share one CPU while it lasts.
[[nodiscard]] Result<double> calibrate_event_cost(const std::vector<EventName>& events,
                                                  std::vector<std::string>& notes);
// The same with perf_event, whose rings are overwritten meanwhile.
[[nodiscard]] Result<double> calibrate_perf_event_cost(const std::vector<std::uint32_t>& cpus,
                                                       PerfChoice choice);

}  // namespace wakelab::live
