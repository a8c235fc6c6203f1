#include "report/recording_json.hpp"

#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace wakelab::report {

std::string recording_json(const live::RecordReport& r) {
    const auto seconds = [](std::int64_t ns) { return static_cast<double>(ns) * 1e-9; };
    nlohmann::ordered_json json;
    json["output"] = printable(r.output);
    json["backend"] = r.backend;
    json["ended_by"] = r.ended_by;
    json["duration_s"] = seconds(r.duration_ns);
    json["kept_s"] = seconds(r.kept_ns);
    json["events"] = r.events;
    json["file_bytes"] = r.file_bytes;
    json["cpus"] = r.cpus;
    json["lost_events"] = r.lost_events();
    json["lost_by_cpu"] = r.lost;
    json["recorder_cpu_s"] = seconds(r.recorder_cpu_ns);
    if (r.ns_per_event) json["ns_per_event"] = *r.ns_per_event;
    if (r.has_command) {
        json["command_pid"] = r.command_pid;
        json["command_end"] = r.command_end;
        json["command_status"] = r.command_status;
    }
    json["notes"] = r.notes;
    return json.dump(2) + "\n";
}

}  // namespace wakelab::report
