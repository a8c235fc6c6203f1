// Hand-made records for tests: one short call per event.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/place_rule.hpp"
#include "trace/sink.hpp"

namespace wakelab::metrics::script {

inline trace::TraceInfo info(std::uint32_t cpus, std::vector<std::string> names) {
    trace::TraceInfo result;
    result.cpus = cpus;
    result.task_names = std::move(names);
    return result;
}

// `cpu` switches from task to next (trace::kNobody: idle).
inline trace::TraceRecord run(std::int64_t ns, std::uint16_t cpu, std::uint32_t task,
                              std::uint32_t next,
                              trace::PrevState how = trace::PrevState::kBlocked) {
    return {ns, task, next, cpu, trace::EventType::kSwitch, static_cast<std::uint32_t>(how), 0};
}

struct WakeDetail {
    PlaceRule rule = PlaceRule::kStayedOnPrev;
    std::uint32_t prev_cpu = 0;
    std::uint32_t flags = 0;
};

// `waker` wakes wakee onto cpu.
inline trace::TraceRecord wakeup(std::int64_t ns, std::uint32_t waker, std::uint32_t wakee,
                                 std::uint16_t cpu, WakeDetail detail = {}) {
    const std::int64_t payload =
        (static_cast<std::int64_t>(detail.prev_cpu) << 32) | static_cast<std::int64_t>(detail.rule);
    return {ns, waker, wakee, cpu, trace::EventType::kWakeup, detail.flags, payload};
}

inline trace::TraceRecord migrate(std::int64_t ns, std::uint32_t task, std::uint16_t from,
                                  std::uint16_t to) {
    return {ns, trace::kNobody, task, to, trace::EventType::kMigrate, 0, from};
}

inline trace::TraceRecord work(std::int64_t ns, std::uint32_t task, std::int64_t units) {
    return {ns, task, trace::kNobody, 0, trace::EventType::kWorkUnit, 0, units};
}

}  // namespace wakelab::metrics::script
