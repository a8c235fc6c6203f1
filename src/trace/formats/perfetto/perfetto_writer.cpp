#include "trace/formats/perfetto/perfetto_writer.hpp"

#include <fmt/format.h>

#include <protozero/pbf_writer.hpp>
#include <utility>

#include "topo/cpu_mask.hpp"
#include "trace/formats/perfetto/perfetto_fields.hpp"

namespace wakelab::trace {

using namespace perfetto;
using protozero::pbf_writer;

namespace {

// Records do not tell priorities. The UI marks tasks below 100 as real-time; 120 is nice 0.
constexpr std::int32_t kPrio = 120;
// include/linux/trace_events.h TRACE_FLAG_SOFTIRQ; which kind of interrupt it was is not told.
constexpr std::uint32_t kFlagSoftirq = 0x10;

void add(pbf_writer& message, std::uint32_t field, std::string_view text) {
    message.add_string(field, text.data(), text.size());
}

// FtraceEvent up to its payload: `pid` is the task that was current.
void add_common(pbf_writer& e, const TraceRecord& r, std::int32_t pid) {
    e.add_uint64(event::kTimestamp, static_cast<std::uint64_t>(r.ns));
    e.add_uint32(event::kPid, static_cast<std::uint32_t>(pid));
}

}  // namespace

Result<std::unique_ptr<TraceWriter>> open_perfetto_writer(const std::string& path,
                                                         const TraceQuality& quality) {
    auto file = OutputFile::create(path);
    if (!file) return file.error();
    return std::unique_ptr<TraceWriter>(std::make_unique<PerfettoWriter>(std::move(*file), quality));
}

PerfettoWriter::PerfettoWriter(OutputFile file, const TraceQuality& quality)
    : file_(std::move(file)), quality_(quality) {}

// --- names ---

void PerfettoWriter::know_task(std::uint32_t task) {
    while (tasks_.size() <= task) {
        const auto number = static_cast<std::int32_t>(tasks_.size());
        tasks_.push_back({.pid = number + 1, .tgid = number + 1, .name = {}});
    }
}

void PerfettoWriter::changed(std::uint32_t task) {
    if (std::exchange(tasks_[task].in_tree, false) || changed_.empty() || changed_.back() != task)
        changed_.push_back(task);
}

void PerfettoWriter::add_task(std::uint32_t task, std::string_view name) {
    know_task(task);
    tasks_[task].name = name;
    changed(task);
}

void PerfettoWriter::rename_task(std::uint32_t task, std::string_view name) {
    add_task(task, name);
}

void PerfettoWriter::describe_task(std::uint32_t task, const TaskFacts& facts) {
    know_task(task);
    WriterTask& t = tasks_[task];
    if (facts.pid >= 0) t.pid = facts.pid;
    if (facts.pid >= 0 && !std::exchange(t.known_pid, true)) t.tgid = facts.pid;
    if (facts.tgid >= 0) t.tgid = facts.tgid;
    changed(task);
}

std::int32_t PerfettoWriter::pid_of(std::uint32_t task) const {
    return task < tasks_.size() ? tasks_[task].pid : 0;
}

std::string PerfettoWriter::name_of(std::uint32_t task, std::uint32_t cpu) const {
    return task < tasks_.size() ? tasks_[task].name : fmt::format("swapper/{}", cpu);
}

// --- packets ---

void PerfettoWriter::begin(const TraceInfo& info) {
    bits_ = state_bits_of(quality_.kernel);
    for (std::uint32_t t = 0; t < info.task_names.size(); ++t) add_task(t, info.task_names[t]);
    write_header(info);
    // Simulated runs begin with all CPUs idle, and with tasks.
    tracks_.begin(info.unit, !info.recorded && !info.task_names.empty());
    add_cpus(info.cpus);
}

// The events' clock is "boot" for a viewer. A recording with clock "mono" ran beside it without suspends, or
// its times would not be what the viewer's axis says.
void PerfettoWriter::write_header(const TraceInfo& info) {
    pbf_writer trace{out_};
    {
        pbf_writer p{trace, kTracePacket};
        p.add_uint32(packet::kSequenceId, Tracks::kSequence);
        pbf_writer snapshot{p, packet::kClockSnapshot};
        for (const std::uint32_t clock : {clock_snapshot::kBoottime, clock_snapshot::kMonotonic}) {
            if (clock == clock_snapshot::kMonotonic && quality_.clock != "mono") continue;
            pbf_writer c{snapshot, clock_snapshot::kClocks};
            c.add_uint32(clock_snapshot::kClockId, clock);
            c.add_uint64(clock_snapshot::kTimestamp, static_cast<std::uint64_t>(info.start_ns));
        }
        snapshot.add_uint32(clock_snapshot::kPrimaryTraceClock, clock_snapshot::kBoottime);
    }
    pbf_writer p{trace, kTracePacket};
    p.add_uint32(packet::kSequenceId, Tracks::kSequence);
    pbf_writer system{p, packet::kSystemInfo};
    if (!quality_.kernel.empty()) {
        pbf_writer uts{system, system_info::kUtsname};
        add(uts, system_info::kSysname, "Linux");
        add(uts, system_info::kRelease, quality_.kernel);
        if (!quality_.architecture.empty()) add(uts, system_info::kMachine, quality_.architecture);
    }
    add(system, system_info::kServiceVersion, kOwnVersion);
    system.add_uint32(system_info::kNumCpus, info.cpus);
}

void PerfettoWriter::add_cpus(std::uint32_t cpus) {
    if (cpus <= cpus_.size()) return;
    cpus_.resize(cpus);
    tracks_.set_cpus(cpus);
}

// A thread's name is in the tree, too: the scheduler's events name only those that run.
void PerfettoWriter::write_tree() {
    if (changed_.empty()) return;
    pbf_writer trace{out_};
    pbf_writer p{trace, kTracePacket};
    if (last_ns_ >= 0) p.add_uint64(packet::kTimestamp, static_cast<std::uint64_t>(last_ns_));
    p.add_uint32(packet::kSequenceId, Tracks::kSequence);
    pbf_writer tree{p, packet::kProcessTree};
    for (const std::uint32_t number : changed_) {
        WriterTask& t = tasks_[number];
        if (std::exchange(t.in_tree, true)) continue;
        if (t.tgid == t.pid) {
            pbf_writer process{tree, process_tree::kProcesses};
            process.add_int32(process_tree::kProcessPid, t.pid);
            add(process, process_tree::kProcessCmdline, t.name);
            process.add_bool(process_tree::kProcessCmdlineIsComm, true);
        }
        pbf_writer thread{tree, process_tree::kThreads};
        thread.add_int32(process_tree::kThreadTid, t.pid);
        add(thread, process_tree::kThreadName, t.name);
        thread.add_int32(process_tree::kThreadTgid, t.tgid);
    }
    changed_.clear();
}

// Everything so far, and a mark that nothing earlier will follow.
void PerfettoWriter::write_group() {
    write_tree();
    for (std::uint32_t cpu = 0; cpu < cpus_.size(); ++cpu) {
        Cpu& c = cpus_[cpu];
        if (c.events.empty() && !c.lost) continue;
        pbf_writer trace{out_};
        pbf_writer p{trace, kTracePacket};
        p.add_uint32(packet::kSequenceId, Tracks::kSequence);
        pbf_writer bundle{p, packet::kFtraceEvents};
        bundle.add_uint32(bundle::kCpu, cpu);
        if (std::exchange(c.lost, false)) bundle.add_bool(bundle::kLostEvents, true);
        out_ += c.events;
        c.events.clear();
    }
    file_.write(out_);
    file_.write(tracks_out_);
    out_.clear();
    tracks_out_.clear();
    if (std::exchange(in_group_, 0) == 0) return;
    pbf_writer trace{out_};
    pbf_writer p{trace, kTracePacket};
    p.add_uint64(packet::kTimestamp, static_cast<std::uint64_t>(last_ns_));
    p.add_uint32(packet::kSequenceId, Tracks::kSequence);
    pbf_writer service{p, packet::kServiceEvent};
    service.add_bool(kAllDataSourcesFlushed, true);
}

void PerfettoWriter::finish(std::int64_t /*end_ns*/) {
    tracks_.finish();
    write_group();
    file_.write(out_);
}

// --- events ---

void PerfettoWriter::consume(std::span<const TraceRecord> records) {
    for (const TraceRecord& r : records) write(r);
}

// Where the kernel would have recorded it: wakeups and moves on the CPU of who does them.
std::uint32_t PerfettoWriter::bundle_of(const TraceRecord& r) const {
    switch (r.type) {
        case EventType::kWakeup:
        case EventType::kWakeupEarly:
        case EventType::kWakeupNew:
        case EventType::kMigrate:
            return r.task < tasks_.size() && tasks_[r.task].running ? tasks_[r.task].cpu : r.cpu;
        default: return r.cpu;
    }
}

// Readers put the bundles of a group in order by time, and what is simultaneous by CPU. Where the run's own
// order is another one, the group ends.
void PerfettoWriter::write(const TraceRecord& r) {
    if (r.cpu >= topo::kMaxCpus) return;
    add_cpus(r.cpu + 1u);
    for (const std::uint32_t task : {r.task, r.arg})
        if (task != kNobody) know_task(task);
    const std::uint32_t cpu = bundle_of(r);
    const bool inverted = r.ns == last_ns_ && cpu < last_cpu_;
    if (in_group_ >= kGroup || (in_group_ > 0 && inverted)) write_group();
    last_cpu_ = r.ns == last_ns_ && !inverted ? std::max(last_cpu_, cpu) : cpu;
    last_ns_ = r.ns;
    ++in_group_;
    std::string& out = cpus_[cpu].events;
    switch (r.type) {
        case EventType::kSwitch: write_switch(out, r); break;
        case EventType::kWaking:
        case EventType::kWakeup:
        case EventType::kWakeupEarly:
        case EventType::kWakeupNew:
        case EventType::kMigrate: write_wakeup(out, r); break;
        case EventType::kFork:
        case EventType::kExec:
        case EventType::kExit: write_process_event(out, r); break;
        case EventType::kLost:
            write_group();
            cpus_[r.cpu].lost = true;
            break;
        default: write_other(out, r); break;
    }
    tracks_.observe(r);
}

void PerfettoWriter::write_switch(std::string& out, const TraceRecord& r) {
    pbf_writer bundle{out};
    pbf_writer e{bundle, bundle::kEvent};
    add_common(e, r, pid_of(r.task));
    pbf_writer s{e, event::kSchedSwitch};
    const bool idle = r.task == kNobody;
    add(s, sched_switch::kPrevComm, name_of(r.task, r.cpu));
    s.add_int32(sched_switch::kPrevPid, pid_of(r.task));
    s.add_int32(sched_switch::kPrevPrio, kPrio);
    s.add_int64(sched_switch::kPrevState, idle ? 0 : bits_of(static_cast<PrevState>(r.flags), bits_));
    add(s, sched_switch::kNextComm, name_of(r.arg, r.cpu));
    s.add_int32(sched_switch::kNextPid, pid_of(r.arg));
    s.add_int32(sched_switch::kNextPrio, kPrio);
}

// A migration that a switch implies is implied again by that switch; a wakeup that a waking implies is
// written, because its CPU may have become known since.
void PerfettoWriter::write_wakeup(std::string& out, const TraceRecord& r) {
    if (r.type == EventType::kMigrate && (r.flags & kInferred) != 0) return;
    const bool waking = r.type == EventType::kWaking;
    pbf_writer bundle{out};
    pbf_writer e{bundle, bundle::kEvent};
    add_common(e, r, pid_of(r.task));
    if (r.type != EventType::kMigrate && (r.flags & kWakeInInterrupt) != 0)
        e.add_uint32(event::kCommonFlags, kFlagSoftirq);
    pbf_writer s{e, waking                               ? event::kSchedWaking
                    : r.type == EventType::kWakeupNew ? event::kSchedWakeupNew
                    : r.type == EventType::kMigrate   ? event::kSchedMigrateTask
                                                      : event::kSchedWakeup};
    add(s, wakeup::kComm, name_of(r.arg, r.cpu));
    s.add_int32(wakeup::kPid, pid_of(r.arg));
    s.add_int32(wakeup::kPrio, kPrio);
    if (r.type == EventType::kMigrate) {
        s.add_int32(migrate::kOrigCpu, static_cast<std::int32_t>(r.payload));
        s.add_int32(migrate::kDestCpu, r.cpu);
        return;
    }
    const std::uint32_t cpu = waking && r.arg < tasks_.size() ? tasks_[r.arg].cpu : r.cpu;
    s.add_int32(wakeup::kSuccess, 1);
    s.add_int32(wakeup::kTargetCpu, static_cast<std::int32_t>(cpu == kNobody ? r.cpu : cpu));
}

void PerfettoWriter::write_process_event(std::string& out, const TraceRecord& r) {
    if (r.task == kNobody && r.type != EventType::kFork) return;
    pbf_writer bundle{out};
    pbf_writer e{bundle, bundle::kEvent};
    add_common(e, r, pid_of(r.task));
    if (r.type == EventType::kFork) {
        pbf_writer s{e, event::kSchedProcessFork};
        add(s, process_fork::kParentComm, name_of(r.task, r.cpu));
        s.add_int32(process_fork::kParentPid, pid_of(r.task));
        add(s, process_fork::kChildComm, name_of(r.arg, r.cpu));
        s.add_int32(process_fork::kChildPid, pid_of(r.arg));
    } else if (r.type == EventType::kExec) {
        pbf_writer s{e, event::kSchedProcessExec};
        add(s, process_exec::kFilename, name_of(r.task, r.cpu));
        s.add_int32(process_exec::kPid, pid_of(r.task));
    } else {
        pbf_writer s{e, event::kSchedProcessExit};
        add(s, process_exit::kComm, name_of(r.task, r.cpu));
        s.add_int32(process_exit::kPid, pid_of(r.task));
        s.add_int32(process_exit::kTgid, tasks_[r.task].tgid);
    }
}

void PerfettoWriter::write_other(std::string& out, const TraceRecord& r) {
    pbf_writer bundle{out};
    pbf_writer e{bundle, bundle::kEvent};
    const auto with = [&](std::uint32_t type) {
        add_common(e, r, pid_of(r.task));
        return pbf_writer{e, type};
    };
    const auto unsigned_payload = static_cast<std::uint32_t>(r.payload);
    switch (r.type) {
        case EventType::kIrqEntry:
            with(event::kIrqHandlerEntry).add_int32(irq::kNumber, static_cast<std::int32_t>(r.payload));
            return;
        case EventType::kIrqExit:
            with(event::kIrqHandlerExit).add_int32(irq::kNumber, static_cast<std::int32_t>(r.payload));
            return;
        case EventType::kSoftirqEntry:
            with(event::kSoftirqEntry).add_uint32(irq::kNumber, unsigned_payload);
            return;
        case EventType::kSoftirqExit:
            with(event::kSoftirqExit).add_uint32(irq::kNumber, unsigned_payload);
            return;
        case EventType::kIpi: {
            const bool told = r.payload >= 0 && r.payload < 32;
            with(event::kIpiRaise).add_uint32(ipi_raise::kTargetCpus, told ? 1u << r.payload : 0);
            return;
        }
        case EventType::kCpuIdle:
        case EventType::kFrequency: {
            pbf_writer s = with(r.type == EventType::kCpuIdle ? event::kCpuIdle : event::kCpuFrequency);
            s.add_uint32(cpu_state::kState, unsigned_payload);
            s.add_uint32(cpu_state::kCpuId, r.cpu);
            return;
        }
        case EventType::kSyscallEnter: {
            if (r.task != kNobody) tasks_[r.task].syscall = r.payload;
            with(event::kSysEnter).add_int64(syscall::kId, r.payload);
            return;
        }
        case EventType::kSyscallExit: {
            pbf_writer s = with(event::kSysExit);
            s.add_int64(syscall::kId, r.task == kNobody ? -1 : tasks_[r.task].syscall);
            s.add_int64(syscall::kRet, r.payload);
            return;
        }
        case EventType::kBlockedReason: {
            pbf_writer s = with(event::kSchedBlockedReason);
            s.add_int32(blocked_reason::kPid, pid_of(r.arg));
            s.add_uint64(blocked_reason::kCaller, static_cast<std::uint64_t>(r.payload));
            s.add_uint32(blocked_reason::kIoWait, r.flags & 1);
            return;
        }
        default: return;  // e has nothing and leaves nothing
    }
}

}  // namespace wakelab::trace
