// What recording an event costs on this machine, by a ping-pong of two threads through pipes with
// and without the events, half a second in all.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "live/event_choice.hpp"

namespace wakelab::live {

// ns per event, the median of several pairs; not below 0. The threads share one CPU while it lasts.
[[nodiscard]] Result<double> calibrate_event_cost(const std::vector<EventName>& events,
                                                  std::vector<std::string>& notes);

}  // namespace wakelab::live
