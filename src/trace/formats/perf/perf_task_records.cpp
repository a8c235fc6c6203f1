// What the kernel tells in records of its own, beside samples: names, forks, exits, losses and switches.
#include <cstring>

#include "topo/cpu_mask.hpp"
#include "trace/formats/perf/perf_records.hpp"

namespace wakelab::trace {

namespace {

// PERF_RECORD_MISC_*, include/uapi/linux/perf_event.h: one bit, by record type.
constexpr std::uint16_t kMiscCommExec = 1u << 13;
constexpr std::uint16_t kMiscSwitchOut = 1u << 13;
constexpr std::uint16_t kMiscSwitchOutPreempt = 1u << 14;

// An event at the place of a record; a description that must wait for its time is kOther with a mark.
KernelEvent mark(std::int64_t what, const PerfSample& at, std::int32_t tid, std::int32_t tgid) {
    KernelEvent e;
    e.type = KernelEventType::kOther;
    e.value = what;
    e.ns = at.ns;
    e.cpu = at.cpu >= 0 ? static_cast<std::uint32_t>(at.cpu) : 0;
    e.pid = tid;
    e.other_pid = tgid;
    return e;
}

Comm comm_at(std::span<const std::byte> record, std::size_t at, std::size_t limit) {
    const std::size_t size = std::min(limit, record.size() - at);
    const auto* const text = reinterpret_cast<const char*>(record.data() + at);
    return Comm(std::string_view(text, strnlen(text, size)));
}

}  // namespace

// u32 pid, tid; the name; trailer. Of tasks that existed before the recording perf makes one up, at time 0.
void PerfRecords::on_comm(const PerfRecord& record) {
    if (!holds(record.bytes, 24)) return;
    const PerfSample at = trailer(record.bytes, 16);
    const auto tgid = static_cast<std::int32_t>(u32(record.bytes, 8));
    const auto tid = static_cast<std::int32_t>(u32(record.bytes, 12));
    const Comm comm = comm_at(record.bytes, 16, 16);
    if (at.ns <= 0) return describe(tid, tgid, comm);
    KernelEvent e = mark(kMarkComm, at, tid, tgid);
    e.comm = comm;
    push(e);
    if ((record.misc & kMiscCommExec) == 0 || tracepoints_.exec) return;
    e.type = KernelEventType::kExec;
    e.value = 0;
    e.other_pid = 0;
    push(e);
}

// u32 pid, ppid, tid, ptid; u64 time; trailer.
void PerfRecords::on_fork(std::span<const std::byte> record) {
    if (!holds(record, 32)) return;
    PerfSample at = trailer(record, 32);
    at.ns = static_cast<std::int64_t>(u64(record, 24));
    const auto tgid = static_cast<std::int32_t>(u32(record, 8));
    const auto tid = static_cast<std::int32_t>(u32(record, 16));
    if (at.ns <= 0) return describe(tid, tgid, {});
    if (!tracepoints_.fork) {
        KernelEvent e = mark(kMarkFork, at, static_cast<std::int32_t>(u32(record, 20)), 0);
        e.type = KernelEventType::kFork;
        e.value = 0;
        e.other_pid = tid;
        push(e);
    }
    push(mark(kMarkFork, at, tid, tgid));
}

void PerfRecords::on_exit(std::span<const std::byte> record) {
    if (tracepoints_.exit || !holds(record, 32)) return;
    PerfSample at = trailer(record, 32);
    at.ns = static_cast<std::int64_t>(u64(record, 24));
    if (at.ns <= 0) return;
    KernelEvent e = mark(kMarkComm, at, static_cast<std::int32_t>(u32(record, 16)), 0);
    e.type = KernelEventType::kExit;
    e.value = 0;
    push(e);
}

// LOST: u64 id, lost; LOST_SAMPLES: u64 lost. At its end perf adds totals without a time.
void PerfRecords::on_lost(std::span<const std::byte> record, std::size_t count_at) {
    if (!holds(record, count_at + 8)) return;
    const PerfSample at = trailer(record, count_at + 8);
    const auto count = static_cast<std::int64_t>(u64(record, count_at) & INT64_MAX);
    const bool is_total = count_at == 8 && at.ns <= 0;
    (is_total ? lost_in_total_ : lost_with_time_) += static_cast<std::uint64_t>(count);
    if (is_total) return;
    if (at.ns > 0 && at.cpu >= 0 && at.cpu < topo::kMaxCpus)
        return push_lost(static_cast<std::uint32_t>(at.cpu), at.ns, count);
    // Of which CPU is not told: of all, now.
    const std::int64_t ns = at.ns > 0 ? at.ns : buffer_.max_ns();
    if (ns <= lost_all_ns_ || cpus_seen_ == 0) {
        quality_.lost_events += static_cast<std::uint64_t>(count);
        return;
    }
    lost_all_ns_ = ns;
    for (std::uint32_t cpu = 0; cpu < cpus_seen_; ++cpu) push_lost(cpu, ns, cpu == 0 ? count : 0);
}

void PerfRecords::push_lost(std::uint32_t cpu, std::int64_t ns, std::int64_t count) {
    KernelEvent e;
    e.type = KernelEventType::kLost;
    e.ns = ns;
    e.cpu = cpu;
    e.value = count;
    push(e);
}

// Who leaves is in the trailer. CPU-wide records tell the other side, too; that of a task alone does not.
void PerfRecords::on_switch(const PerfRecord& record, bool cpu_wide) {
    const std::size_t fixed = cpu_wide ? 16 : 8;
    if (tracepoints_.has_switch || !holds(record.bytes, fixed)) return;
    PerfSample at = trailer(record.bytes, fixed);
    if (at.ns <= 0 || at.cpu < 0 || at.cpu >= topo::kMaxCpus) {
        ++without_place_;
        return;
    }
    has_switches_ = true;
    // A task that is gone has lost its number when it leaves the CPU for the last time.
    if (current_.size() <= static_cast<std::size_t>(at.cpu)) current_.resize(at.cpu + 1, 0);
    std::int32_t& current = current_[static_cast<std::size_t>(at.cpu)];
    const bool is_gone = at.tid < 0;
    if (is_gone) at.tid = current;
    const bool out = (record.misc & kMiscSwitchOut) != 0;
    if (!out) current = at.tid;
    if (cpu_wide && !out) return;  // the same switch again
    KernelEvent e = mark(kMarkComm, at, out ? at.tid : 0, out ? 0 : at.tid);
    e.type = KernelEventType::kSwitch;
    if (cpu_wide) e.other_pid = static_cast<std::int32_t>(u32(record.bytes, 12));
    e.value = static_cast<std::int64_t>(is_gone ? PrevState::kDead
                                        : (record.misc & kMiscSwitchOutPreempt) != 0
                                            ? PrevState::kPreemptedOther
                                            : PrevState::kBlocked);
    push(e);
}

// u64 number of entries; u64 pid, char comm[16] each.
void PerfRecords::on_thread_map(std::span<const std::byte> record) {
    if (!holds(record, 16)) return;
    for (std::size_t at = 16; at + 24 <= record.size(); at += 24) {
        const auto tid = static_cast<std::int64_t>(u64(record, at));
        const Comm comm = comm_at(record, at + 8, 16);
        if (tid > 0 && tid <= INT32_MAX && comm.told())
            describe(static_cast<std::int32_t>(tid), -1, comm);
    }
}

}  // namespace wakelab::trace
