#include "golden/timeline.hpp"

#include <fmt/format.h>

#include "base/place_rule.hpp"

namespace wakelab::golden {

namespace {

using trace::EventType;
using trace::TraceRecord;

std::string_view why_switched(std::uint32_t flags) {
    switch (static_cast<trace::PrevState>(flags)) {
        case trace::PrevState::kPreemptedByWakeup:
            return "preempted by a wake-up";
        case trace::PrevState::kPreemptedByTick:
            return "slice over";
        case trace::PrevState::kPreemptedOther:
            return "preempted";
        case trace::PrevState::kYielded:
            return "yielded";
        case trace::PrevState::kBlocked:
        case trace::PrevState::kUninterruptible:
        case trace::PrevState::kIdleThread:
        case trace::PrevState::kStopped:
            return "blocked";
        case trace::PrevState::kDead:
            return "exited";
    }
    return "?";
}

std::string wake_flags(std::uint32_t flags) {
    std::string text;
    if ((flags & trace::kWakeSync) != 0) text += ", sync";
    if ((flags & trace::kWakeInInterrupt) != 0) text += ", from an interrupt";
    return text;
}

std::string_view rule(const TraceRecord& r) {
    return to_string(static_cast<PlaceRule>(r.payload & 0xffff));
}

}  // namespace

void Timeline::consume(std::span<const TraceRecord> records) {
    for (const TraceRecord& record : records) {
        if (lines_.size() == max_lines_) return;
        // A wake-up says all that its kWaking says.
        if (record.ns < info_.start_ns || record.type == EventType::kWaking) continue;
        const std::int64_t ns = record.ns - info_.start_ns;
        lines_.push_back(fmt::format("{:>5}.{:03} us  cpu{}  {}", ns / 1000, ns % 1000, record.cpu,
                                     describe(record)));
    }
}

// Forked tasks have no name of their own in TraceInfo: their number tells them apart.
std::string Timeline::name(std::uint32_t task) const {
    if (task == trace::kNobody) return "idle";
    if (task < info_.task_names.size()) return info_.task_names[task];
    return fmt::format("task-{}", task);
}

std::string Timeline::describe(const TraceRecord& r) const {
    switch (r.type) {
        case EventType::kSwitch:
            if (r.task == trace::kNobody) return fmt::format("switch   idle -> {}", name(r.arg));
            return fmt::format("switch   {} -> {} ({})", name(r.task), name(r.arg),
                               why_switched(r.flags));
        case EventType::kWaking:
            break;
        case EventType::kWakeup:
            return fmt::format("wakeup   {} -> {}{}: was on cpu{}, rule {}", name(r.task),
                               name(r.arg), wake_flags(r.flags), r.payload >> 32, rule(r));
        case EventType::kWakeupEarly:
            return fmt::format("wakeup   {} -> {}{}: still queued", name(r.task), name(r.arg),
                               wake_flags(r.flags));
        case EventType::kWakeupNew:
            return fmt::format("fork     {} starts {} here", name(r.task), name(r.arg));
        case EventType::kMigrate:
            return fmt::format("migrate  {} pulled from cpu{}", name(r.arg), r.payload);
        case EventType::kResched:
            return fmt::format("resched  {} shall yield", name(r.task));
        case EventType::kSpurious:
            return fmt::format("spurious {} sleeps again", name(r.task));
        case EventType::kWorkUnit:
            return fmt::format("work     {} did {}", name(r.task), r.payload);
        case EventType::kExit:
            return fmt::format("exit     {}", name(r.task));
        case EventType::kIrq:
            return fmt::format("irq      interrupts {}", name(r.task));
        case EventType::kSleepUntil:
            return fmt::format("timer    {} until {} us", name(r.task),
                               (r.payload - info_.start_ns) / 1000);
        default:  // of recordings only
            break;
    }
    return "?";
}

}  // namespace wakelab::golden
