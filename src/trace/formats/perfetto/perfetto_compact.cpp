// CompactSched: switches and wakings of a bundle in columns.
#include "trace/formats/perfetto/field_cursor.hpp"
#include "trace/formats/perfetto/perfetto_bundle.hpp"

namespace wakelab::trace::perfetto {

// The columns of a CompactSched, each as far as it has been read.
struct BundleDecoder::Columns {
    Column switch_ns, prev_state, next_pid, next_comm;
    Column waking_ns, wakee, target_cpu, wakee_comm, flags;
    std::uint64_t last_switch_ns = 0, last_waking_ns = 0;
};

Comm BundleDecoder::name_at(std::uint64_t index) const {
    return index < names_.size() ? names_[index] : Comm{};
}

void BundleDecoder::read_columns(std::string_view compact, Columns& c) {
    names_.clear();
    FieldCursor f(compact);
    while (f.next()) {
        switch (f.key()) {
            case bytes_key(compact::kInternTable):
                if (names_.size() < kMaxNames) names_.push_back(comm_of(f.bytes()));
                break;
            case bytes_key(compact::kSwitchTimestamp): c.switch_ns = Column(f.bytes()); break;
            case bytes_key(compact::kSwitchPrevState): c.prev_state = Column(f.bytes()); break;
            case bytes_key(compact::kSwitchNextPid): c.next_pid = Column(f.bytes()); break;
            case bytes_key(compact::kSwitchNextCommIndex): c.next_comm = Column(f.bytes()); break;
            case bytes_key(compact::kWakingTimestamp): c.waking_ns = Column(f.bytes()); break;
            case bytes_key(compact::kWakingPid): c.wakee = Column(f.bytes()); break;
            case bytes_key(compact::kWakingTargetCpu): c.target_cpu = Column(f.bytes()); break;
            case bytes_key(compact::kWakingCommIndex): c.wakee_comm = Column(f.bytes()); break;
            case bytes_key(compact::kWakingCommonFlags): c.flags = Column(f.bytes()); break;
            default: break;
        }
    }
    if (f.damaged()) ++quality_.damaged;
}

bool BundleDecoder::next_switch(Columns& c, KernelEvent& e) {
    if (c.switch_ns.empty() || c.prev_state.empty() || c.next_pid.empty() || c.next_comm.empty()) {
        if (!(c.switch_ns.empty() && c.prev_state.empty() && c.next_pid.empty() && c.next_comm.empty()))
            ++quality_.damaged;
        c.switch_ns = {};
        c.prev_state = c.next_pid = c.next_comm = {};
        return false;
    }
    c.last_switch_ns += c.switch_ns.take();
    e.type = KernelEventType::kSwitch;
    e.ns = static_cast<std::int64_t>(std::min(c.last_switch_ns, kMaxNs));
    e.value = states_.prev_state(static_cast<std::int64_t>(c.prev_state.take()));
    e.other_pid = static_cast<std::int32_t>(c.next_pid.take());
    e.other_comm = name_at(c.next_comm.take());
    return true;
}

bool BundleDecoder::next_waking(Columns& c, KernelEvent& e) {
    if (c.waking_ns.empty() || c.wakee.empty() || c.target_cpu.empty() || c.wakee_comm.empty()) {
        if (!(c.waking_ns.empty() && c.wakee.empty() && c.target_cpu.empty() && c.wakee_comm.empty()))
            ++quality_.damaged;
        c.waking_ns = c.wakee = c.target_cpu = c.wakee_comm = {};
        return false;
    }
    c.last_waking_ns += c.waking_ns.take();
    e.type = KernelEventType::kWaking;
    e.ns = static_cast<std::int64_t>(std::min(c.last_waking_ns, kMaxNs));
    e.other_pid = static_cast<std::int32_t>(c.wakee.take());
    e.target_cpu = static_cast<std::int32_t>(c.target_cpu.take());
    e.other_comm = name_at(c.wakee_comm.take());
    e.context = c.flags.empty() ? std::uint8_t{0} : context_of(c.flags.take());  // since v33 or so
    return true;
}

// Three sequences of one CPU, each in order of time. Who wakes is who runs, so they must be merged here. A
// waking at the time of a switch comes first: the task that is about to leave made it.
void BundleDecoder::decode_with_compact(std::string_view bundle_bytes, std::string_view compact) {
    Columns columns;
    read_columns(compact, columns);
    FieldCursor events(bundle_bytes);
    const auto next_event = [&](KernelEvent& e) {
        while (events.next()) {
            if (events.key() != bytes_key(bundle::kEvent)) continue;
            e = {};
            if (decode_event(events.bytes(), e)) return true;
        }
        return false;
    };
    KernelEvent waking, other, change;
    bool has_waking = next_waking(columns, waking);
    bool has_other = next_event(other);
    bool has_change = next_switch(columns, change);
    while (has_waking || has_other || has_change) {
        const std::int64_t waking_ns = has_waking ? waking.ns : INT64_MAX;
        const std::int64_t other_ns = has_other ? other.ns : INT64_MAX;
        const std::int64_t change_ns = has_change ? change.ns : INT64_MAX;
        if (waking_ns <= other_ns && waking_ns <= change_ns) {
            emit(waking, true);
            waking = {};
            has_waking = next_waking(columns, waking);
        } else if (other_ns <= change_ns) {
            emit(other, false);
            has_other = next_event(other);
        } else {
            emit(change, true);
            change = {};
            has_change = next_switch(columns, change);
        }
    }
}

}  // namespace wakelab::trace::perfetto
