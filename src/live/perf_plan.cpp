#include "live/perf_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.hpp"
#include "live/event_formats.hpp"
#include "live/host_facts.hpp"
#include "live/tracefs_session.hpp"

namespace wakelab::live {

namespace {

std::optional<std::uint64_t> id_of(const std::string& root, const EventName& event) {
    std::string text = read_pseudo_file(event_file(root, event, "id"));
    while (!text.empty() && text.back() == '\n') text.pop_back();
    const auto id = parse_int(text);
    if (!id || *id < 0) return std::nullopt;
    return static_cast<std::uint64_t>(*id);
}

// Reading is enough; empty: nowhere.
std::string readable_tracefs(const EventName& event) {
    for (const std::string& root : tracefs_places())
        if (id_of(root, event)) return root;
    return {};
}

std::string why_unreadable(const std::string& tracefs_refused) {
    if (!tracefs_refused.empty()) return tracefs_refused;
    const auto root = find_tracefs(tracefs_places());
    return root ? *root + "/events: cannot be read" : root.error().message;
}

Status add_tracepoints(PerfPlan& plan, const std::vector<EventName>& events,
                       std::vector<std::string>& notes) {
    for (const EventName& e : events) {
        if (const auto id = id_of(plan.tracefs, e)) {
            plan.choice.tracepoints.push_back({e, *id});
            continue;
        }
        std::string missing = fmt::format("this kernel has no event {}:{}", e.system, e.name);
        if (e.required) return Error{std::move(missing)};
        notes.push_back(std::move(missing));
    }
    return {};
}

std::string refusal(int error) {
    return perf_refusal(error, perf_event_paranoid(), ::geteuid() == 0);
}

}  // namespace

Result<PerfPlan> plan_perf(const RecordOptions& options, const std::string& tracefs_refused,
                           std::vector<std::string>& notes) {
    const auto events = choose_events(options.events);
    if (!events) return events.error();
    PerfPlan plan;
    for (const trace::RecordedCpu& c : list_cpus()) plan.cpus.push_back(c.cpu);
    if (plan.cpus.empty())
        return Error{
            "/sys/devices/system/cpu/online: expected the list of CPUs (is /sys mounted?)"};
    if (const int error = try_perf_switches(plan.cpus.front()); error != 0)
        return Error{fmt::format(
            "{}{}{}", tracefs_refused,
            tracefs_refused.empty() ? "perf_event_open: " : "; nor through perf_event_open: ",
            refusal(error))};
    plan.choice.overwritten = options.last.has_value();
    plan.tracefs = options.without_tracepoints ? "" : readable_tracefs(events->front());
    if (plan.tracefs.empty()) {
        plan.why_no_tracepoints = why_unreadable(tracefs_refused);
    } else {
        if (Status added = add_tracepoints(plan, *events, notes); !added) return added.error();
        const int error = try_perf_tracepoint(plan.cpus.front(), plan.choice.tracepoints.front());
        if (error != 0) plan.why_no_tracepoints = "tracepoints: " + refusal(error);
    }
    if (plan.why_no_tracepoints.empty()) return plan;
    plan.choice.tracepoints.clear();
    if (!options.events.empty())
        return Error{"--events: expected without it, or tracepoints: " + plan.why_no_tracepoints};
    return plan;
}

std::string perf_note(const PerfPlan& plan, const std::string& tracefs_refused) {
    if (!plan.why_no_tracepoints.empty())
        return fmt::format(
            "perf_event recorded only who ran when: without wake-ups, wake-up latency and who woke "
            "whom are unknown; for these: {}",
            plan.why_no_tracepoints);
    if (!tracefs_refused.empty())
        return fmt::format("recorded through perf_event (the file is a perf.data): {}",
                           tracefs_refused);
    return {};
}

}  // namespace wakelab::live
