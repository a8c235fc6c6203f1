#include "work/rtapp/rtapp_events.hpp"

#include <fmt/format.h>

#include <array>

#include "base/text.hpp"

namespace wakelab::work::rtapp {

namespace {

struct EventPrefix {
    std::string_view prefix;
    std::optional<EventKind> kind;  // none: part of the grammar, not modelled
};

// In the order of matching: runtime before run, memrun before mem.
constexpr auto kPrefixes = std::to_array<EventPrefix>({
    {"lock", {}},
    {"unlock", {}},
    {"wait", {}},
    {"signal", {}},
    {"broad", {}},
    {"sync", {}},
    {"sleep", EventKind::kSleep},
    {"runtime", EventKind::kRuntime},
    {"run", EventKind::kRun},
    {"timer", EventKind::kTimer},
    {"suspend", {}},
    {"resume", {}},
    {"memrun", {}},
    {"mem", {}},
    {"iorun", {}},
    {"yield", EventKind::kYield},
    {"barrier", {}},
    {"fork", {}},
    {"sem_post", {}},
    {"sem_wait", {}},
});

const EventPrefix* find_prefix(std::string_view key) {
    for (const EventPrefix& p : kPrefixes)
        if (key.starts_with(p.prefix)) return &p;
    return nullptr;
}

std::uint32_t timer_index(std::vector<Timer>& timers, std::string_view ref, bool absolute) {
    std::uint32_t i = 0;
    while (i < timers.size() && timers[i].ref != ref) ++i;
    if (i == timers.size()) timers.push_back({.ref = std::string(ref)});
    timers[i].absolute |= absolute;
    return i;
}

Status check_timer_keys(const Fields& fields, const JsonValue& object) {
    for (const JsonMember& m : object.members) {
        if (m.key != "ref" && m.key != "period" && m.key != "mode")
            return fields.error(m.line, fmt::format("a timer has no '{}'; did you mean {}?", m.key,
                                                    nearest(m.key, {"ref", "period", "mode"})));
        if (Status s = fields.check_once(object, m); !s) return s;
    }
    return {};
}

Result<Event> read_timer(const Fields& fields, const JsonMember& m, TimerTables timers) {
    if (Status s = fields.check_kind(m, JsonKind::kObject); !s) return s.error();
    if (Status s = check_timer_keys(fields, m.value); !s) return s.error();
    const JsonMember* period = m.value.find("period");
    if (period == nullptr)
        return fields.error(m.line, fmt::format("'{}' needs a period in us", m.key));
    const auto us = fields.integer(*period, {.min = 1, .unit = "us"});
    if (!us) return us.error();

    std::string_view ref = "unknown";  // rt-app's name for the timer that has none
    if (const JsonMember* r = m.value.find("ref")) {
        if (Status s = fields.check_kind(*r, JsonKind::kString); !s) return s.error();
        ref = r->value.text;
    }
    bool absolute = false;
    if (const JsonMember* mode = m.value.find("mode")) {
        absolute = mode->value.text == "absolute";
        if (!absolute && mode->value.text != "relative")
            return fields.error(mode->line, "a timer's mode is \"relative\" or \"absolute\"");
    }
    Event event{.kind = EventKind::kTimer, .duration = Duration{*us * 1000}};
    event.unique = ref.starts_with("unique");
    event.timer = timer_index(event.unique ? timers.unique : timers.shared, ref, absolute);
    return event;
}

Error not_supported(const Fields& fields, const JsonMember& m) {
    return fields.error(m.line, fmt::format("event '{}' is not supported yet; supported: run, "
                                            "runtime, sleep, timer, yield",
                                            m.key));
}

}  // namespace

bool is_event(std::string_view key) {
    return find_prefix(key) != nullptr;
}

Result<Event> read_event(const Fields& fields, const JsonMember& m, TimerTables timers) {
    const EventPrefix* prefix = find_prefix(m.key);
    if (!prefix->kind) return not_supported(fields, m);
    if (*prefix->kind == EventKind::kTimer) return read_timer(fields, m, timers);
    Event event{.kind = *prefix->kind};
    if (event.kind == EventKind::kYield) return event;  // its value means nothing
    const auto us = fields.integer(m, {.unit = "us"});
    if (!us) return us.error();
    event.duration = Duration{*us * 1000};
    return event;
}

}  // namespace wakelab::work::rtapp
