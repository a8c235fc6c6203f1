// Builds Perfetto packets for tests by the published protos, independent of the writer.
#pragma once

#include <cstdint>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <vector>

namespace wakelab::test {

// Trace.packet (field 1) around the fields of a TracePacket.
inline std::string packet_of(const std::string& fields) {
    std::string out;
    protozero::pbf_writer(out).add_message(1, fields);
    return out;
}

// FtraceEvent: timestamp = 1, pid = 2, the event's own field.
inline std::string ftrace_event(std::uint64_t ns, std::int32_t pid, std::uint32_t id,
                                const std::string& payload) {
    std::string out;
    protozero::pbf_writer w{out};
    w.add_uint64(1, ns);
    w.add_uint32(2, static_cast<std::uint32_t>(pid));
    w.add_message(id, payload);
    return out;
}

struct SwitchFields {
    std::string prev = {};
    std::int32_t prev_pid = 0;
    std::int64_t prev_state = 0;
    std::string next = {};
    std::int32_t next_pid = 0;
};
// SchedSwitchFtraceEvent (4): prev_comm, prev_pid, prev_prio, prev_state, next_comm, next_pid, next_prio.
inline std::string sched_switch_event(std::uint64_t ns, const SwitchFields& f) {
    std::string payload;
    protozero::pbf_writer w{payload};
    w.add_string(1, f.prev);
    w.add_int32(2, f.prev_pid);
    w.add_int32(3, 120);
    w.add_int64(4, f.prev_state);
    w.add_string(5, f.next);
    w.add_int32(6, f.next_pid);
    w.add_int32(7, 120);
    return ftrace_event(ns, f.prev_pid, 4, payload);
}

// SchedWakingFtraceEvent (20), SchedWakeup (17), SchedWakeupNew (114): comm, pid, prio, success, target_cpu.
inline std::string wakeup_event(std::uint64_t ns, std::int32_t waker, std::uint32_t id,
                                const std::string& comm, std::int32_t pid, std::int32_t cpu) {
    std::string payload;
    protozero::pbf_writer w{payload};
    w.add_string(1, comm);
    w.add_int32(2, pid);
    w.add_int32(3, 120);
    w.add_int32(5, cpu);
    return ftrace_event(ns, waker, id, payload);
}

// FtraceEventBundle: cpu = 1, event = 2, lost_events = 3, compact_sched = 4, ftrace_clock = 5.
struct Bundle {
    std::uint32_t cpu = 0;
    std::vector<std::string> events = {};
    bool lost = false;
    std::string compact = {};
    std::uint32_t clock = 0;
    bool dropped = false;  // previous_packet_dropped of the packet

    [[nodiscard]] std::string packet() const {
        std::string body, fields;
        protozero::pbf_writer w{body};
        w.add_uint32(1, cpu);
        for (const std::string& e : events) w.add_message(2, e);
        if (lost) w.add_bool(3, true);
        if (!compact.empty()) w.add_message(4, compact);
        if (clock != 0) w.add_uint32(5, clock);
        protozero::pbf_writer p{fields};
        p.add_message(1, body);
        p.add_uint32(10, 1);  // trusted_packet_sequence_id
        if (dropped) p.add_uint32(42, 1);
        return packet_of(fields);
    }
};

// FtraceEventBundle.CompactSched: columns, times as deltas, names as indices into intern_table (5).
class CompactBuilder {
 public:
    std::uint32_t name(const std::string& name) {
        names_.push_back(name);
        return static_cast<std::uint32_t>(names_.size() - 1);
    }
    void add_switch(std::uint64_t ns, std::int64_t prev_state, std::int32_t next_pid, std::uint32_t comm) {
        switch_ns_.push_back(ns - last_switch_);
        last_switch_ = ns;
        state_.push_back(prev_state);
        next_pid_.push_back(next_pid);
        next_prio_.push_back(120);
        next_comm_.push_back(comm);
    }
    void add_waking(std::uint64_t ns, std::int32_t pid, std::int32_t cpu, std::uint32_t comm,
                    std::uint32_t flags = 0) {
        waking_ns_.push_back(ns - last_waking_);
        last_waking_ = ns;
        wakee_.push_back(pid);
        target_.push_back(cpu);
        waking_prio_.push_back(120);
        waking_comm_.push_back(comm);
        flags_.push_back(flags);
    }
    [[nodiscard]] std::string message() const {
        std::string out;
        protozero::pbf_writer w{out};
        w.add_packed_uint64(1, switch_ns_.begin(), switch_ns_.end());
        w.add_packed_int64(2, state_.begin(), state_.end());
        w.add_packed_int32(3, next_pid_.begin(), next_pid_.end());
        w.add_packed_int32(4, next_prio_.begin(), next_prio_.end());
        for (const std::string& n : names_) w.add_string(5, n);
        w.add_packed_uint32(6, next_comm_.begin(), next_comm_.end());
        w.add_packed_uint64(7, waking_ns_.begin(), waking_ns_.end());
        w.add_packed_int32(8, wakee_.begin(), wakee_.end());
        w.add_packed_int32(9, target_.begin(), target_.end());
        w.add_packed_int32(10, waking_prio_.begin(), waking_prio_.end());
        w.add_packed_uint32(11, waking_comm_.begin(), waking_comm_.end());
        w.add_packed_uint32(12, flags_.begin(), flags_.end());
        return out;
    }

 private:
    std::vector<std::string> names_;
    std::vector<std::uint64_t> switch_ns_, waking_ns_;
    std::vector<std::int64_t> state_;
    std::vector<std::int32_t> next_pid_, next_prio_, wakee_, target_, waking_prio_;
    std::vector<std::uint32_t> next_comm_, waking_comm_, flags_;
    std::uint64_t last_switch_ = 0, last_waking_ = 0;
};

// SystemInfo (45) with utsname (1) {sysname = 1, release = 3, machine = 4} and num_cpus (8).
inline std::string system_packet(const std::string& release, std::uint32_t cpus) {
    std::string uts, system, fields;
    protozero::pbf_writer u{uts};
    u.add_string(1, "Linux");
    u.add_string(3, release);
    u.add_string(4, "x86_64");
    protozero::pbf_writer s{system};
    s.add_message(1, uts);
    s.add_uint32(8, cpus);
    protozero::pbf_writer(fields).add_message(45, system);
    return packet_of(fields);
}

}  // namespace wakelab::test
