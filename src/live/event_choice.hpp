// Which events are recorded: words of the command line to events of tracefs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace wakelab::live {

struct EventName {
    std::string system;     // "sched"
    std::string name;       // "sched_switch"
    bool required = false;  // without it a recording is of no use; others are left out with a note
    bool operator==(const EventName&) const = default;
};

// The scheduler events, always, and those of the words: a group ("irq", "syscalls"; "sched" changes
// nothing) or any event as SYSTEM:NAME or SYSTEM/NAME. No event twice. Error: an unknown group;
// lists them.
[[nodiscard]] Result<std::vector<EventName>> choose_events(const std::vector<std::string>& words);

// For help texts: "sched", "irq", ...
[[nodiscard]] std::vector<std::string> event_groups();

}  // namespace wakelab::live
