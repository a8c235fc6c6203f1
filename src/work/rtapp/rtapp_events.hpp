// The events of a phase: what each key means, by prefix (workloads.md 15).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "work/rtapp/rtapp_fields.hpp"
#include "work/rtapp/rtapp_model.hpp"

namespace wakelab::work::rtapp {

// Whether rt-app would take this key of a task or phase for an event.
[[nodiscard]] bool is_event(std::string_view key);

// Where the timers of events go: found by their ref, created by the first use.
struct TimerTables {
    std::vector<Timer>& shared;
    std::vector<Timer>& unique;  // those of the task that is read
};

// `m.key` must be an event. Error: one that is not modelled, or a wrong argument.
[[nodiscard]] Result<Event> read_event(const Fields& fields, const JsonMember& m,
                                       TimerTables timers);

}  // namespace wakelab::work::rtapp
