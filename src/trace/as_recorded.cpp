#include "trace/as_recorded.hpp"

#include "base/place_rule.hpp"

namespace wakelab::trace {

void AsRecorded::begin(const TraceInfo& info) {
    TraceInfo recorded = info;
    recorded.recorded = true;
    recorded.unit = "";
    since_ns_.assign(info.cpus, 0);
    to_.begin(recorded);
}

// As Translator::on_switch: a preempted task made way for a task that was queued by a wake-up while it
// ran; of other preemptions nothing is known.
void AsRecorded::add_switch(TraceRecord record) {
    auto how = static_cast<PrevState>(record.flags);
    if (how == PrevState::kPreemptedByTick || how == PrevState::kPreemptedByWakeup ||
        how == PrevState::kYielded)
        how = PrevState::kPreemptedOther;
    if (record.arg != kNobody) {
        Woken& in = woken(record.arg);
        if (how == PrevState::kPreemptedOther && record.task != kNobody && in.by_task &&
            in.ns != INT64_MIN && in.ns >= since_ns_[record.cpu])
            how = PrevState::kPreemptedByWakeup;
        in = {};
    }
    if (record.task != kNobody) woken(record.task) = {};
    since_ns_[record.cpu] = record.ns;
    record.flags = static_cast<std::uint32_t>(how);
    out_.push_back(record);
}

void AsRecorded::consume(std::span<const TraceRecord> records) {
    out_.clear();
    if (!started_ && !records.empty()) {
        started_ = true;
        for (std::size_t cpu = 0; cpu < since_ns_.size(); ++cpu)
            out_.push_back({.ns = records[0].ns, .task = kNobody, .arg = kNobody,
                            .cpu = static_cast<std::uint16_t>(cpu), .type = EventType::kCpuIdle,
                            .flags = 0, .payload = 1});
    }
    for (TraceRecord record : records) {
        switch (record.type) {
            case EventType::kSwitch:
                add_switch(record);
                continue;
            case EventType::kWakeup:
                woken(record.arg) = {record.ns, record.task != kNobody};
                record.payload = static_cast<std::int64_t>(
                    (static_cast<std::uint64_t>(record.payload) & 0xffff'ffff'0000'0000) |
                    static_cast<std::uint64_t>(PlaceRule::kNotRecorded));
                break;
            case EventType::kWaking:
            case EventType::kWakeupEarly:
            case EventType::kWakeupNew:
            case EventType::kMigrate:
            case EventType::kExit:
                break;
            case EventType::kResched:
            case EventType::kSpurious:
            case EventType::kWorkUnit:
            case EventType::kIrq:
            case EventType::kSleepUntil:
                continue;
            default:
                break;
        }
        record.flags &= ~std::uint32_t{kWakeSync};
        out_.push_back(record);
    }
    to_.consume(out_);
}

}  // namespace wakelab::trace
