// The texts of tracefs that say how events lie in memory, for the heads of files.
#pragma once

#include <string>
#include <vector>

#include "live/event_choice.hpp"
#include "trace/formats/trace_dat/trace_dat_head.hpp"

namespace wakelab::live {

// Page, event header and the formats of `events` by system. `root`: a mounted tracefs; reading is
// enough.
void read_event_formats(const std::string& root, const std::vector<EventName>& events,
                        trace::TraceDatHead& head);
// events/SYSTEM/NAME/FILE of tracefs.
[[nodiscard]] std::string event_file(const std::string& root, const EventName& event,
                                     const std::string& file);

}  // namespace wakelab::live
