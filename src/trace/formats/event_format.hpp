// The kernel's description of a trace event (events/SYSTEM/NAME/format of tracefs, also inside trace.dat
// and perf.data): where its fields lie. Nothing about layouts is known here beyond this text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace wakelab::trace {

struct EventField {
    std::string name;
    std::uint32_t offset = 0;
    std::uint32_t size = 0;
    bool is_signed = false;
    bool is_data_loc = false;  // u32: length << 16 | offset of the real bytes in the record
    bool is_rel_loc = false;   // as is_data_loc, but the offset counts from the end of this field
    bool is_array = false;
};

struct EventFormat {
    std::string system;  // "sched", as the container says; may be empty
    std::string name;    // "sched_switch"
    std::uint32_t id = 0;
    std::vector<EventField> fields;
    std::vector<std::pair<std::uint64_t, std::string>> prev_state_letters;  // of sched_switch

    // Null: the event has no such field.
    [[nodiscard]] const EventField* find(std::string_view field) const;
};

// Error: no name, no id, or a field that cannot be read; says which line.
[[nodiscard]] Result<EventFormat> parse_event_format(std::string_view text);
// Only its "field:" lines (events/header_page, events/header_event).
[[nodiscard]] std::vector<EventField> parse_fields(std::string_view text);

}  // namespace wakelab::trace
