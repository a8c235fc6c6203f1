#include "live/event_formats.hpp"

#include <fmt/format.h>

#include <map>

#include "live/fd.hpp"

namespace wakelab::live {

std::string event_file(const std::string& root, const EventName& event, const std::string& file) {
    return fmt::format("{}/events/{}/{}/{}", root, event.system, event.name, file);
}

void read_event_formats(const std::string& root, const std::vector<EventName>& events,
                        trace::TraceDatHead& head) {
    head.header_page = read_pseudo_file(root + "/events/header_page");
    head.header_event = read_pseudo_file(root + "/events/header_event");
    std::map<std::string, std::vector<std::string>> systems;
    for (const EventName& e : events)
        systems[e.system].push_back(read_pseudo_file(event_file(root, e, "format")));
    for (auto& [name, formats] : systems) head.systems.push_back({name, std::move(formats)});
}

}  // namespace wakelab::live
