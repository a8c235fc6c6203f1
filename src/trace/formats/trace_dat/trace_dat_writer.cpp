#include "trace/formats/trace_dat/trace_dat_writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace wakelab::trace {

namespace {

constexpr std::int32_t kPrio = 120;  // nice 0; records tell no priority

// The letters of the sched_switch format in trace_dat_events.cpp.
std::int64_t state_bits(PrevState state) {
    switch (state) {
        case PrevState::kPreemptedByWakeup:
        case PrevState::kPreemptedByTick:
        case PrevState::kPreemptedOther: return 0x100;  // "R+"
        case PrevState::kYielded: return 0;             // "R"
        case PrevState::kBlocked: return 0x01;          // "S"
        case PrevState::kUninterruptible: return 0x02;  // "D"
        case PrevState::kStopped: return 0x04;          // "T"
        case PrevState::kDead: return 0x20;             // "Z", as nearly all that exit
        case PrevState::kIdleThread: return 0x80;       // "I"
    }
    return 0x01;
}

bool is_in_interrupt(const TraceRecord& r) {
    return (r.flags & kWakeInInterrupt) != 0;
}

}  // namespace

Result<std::unique_ptr<TraceDatWriter>> TraceDatWriter::open(const std::string& path) {
    auto spool = PageSpool::open();
    if (!spool) return Error{fmt::format("{}: {}", path, spool.error().message)};
    const std::string name = path + ".tmp";
    const int fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) return Error{fmt::format("{}: cannot be created: {}", name, std::strerror(errno))};
    return std::unique_ptr<TraceDatWriter>(new TraceDatWriter(path, fd, std::move(*spool)));
}

TraceDatWriter::~TraceDatWriter() {
    if (fd_ >= 0) ::close(fd_);
    if (!closed_) ::unlink((path_ + ".tmp").c_str());
}

TraceDatWriter::Task& TraceDatWriter::task(std::uint32_t number) {
    if (number >= tasks_.size()) tasks_.resize(number + 1);
    return tasks_[number];
}

std::int32_t TraceDatWriter::pid_of(std::uint32_t number) {
    if (number == kNobody) return 0;
    const std::int32_t pid = task(number).pid;
    return pid > 0 ? pid : static_cast<std::int32_t>(number + 1);
}

Comm TraceDatWriter::comm_of(std::uint32_t number, std::uint32_t cpu) {
    return number == kNobody ? Comm(fmt::format("swapper/{}", cpu)) : task(number).comm;
}

void TraceDatWriter::begin(const TraceInfo& info) {
    cpus_ = std::max(cpus_, info.cpus);
    for (std::uint32_t t = 0; t < info.task_names.size(); ++t) add_task(t, info.task_names[t]);
}

void TraceDatWriter::add_cpus(std::uint32_t cpus) {
    cpus_ = std::max(cpus_, cpus);
}

void TraceDatWriter::add_task(std::uint32_t number, std::string_view name) {
    task(number).comm = Comm(name);
}

void TraceDatWriter::rename_task(std::uint32_t number, std::string_view name) {
    task(number).comm = Comm(name);
}

void TraceDatWriter::describe_task(std::uint32_t number, const TaskFacts& facts) {
    if (facts.pid > 0) task(number).pid = facts.pid;
}

void TraceDatWriter::consume(std::span<const TraceRecord> records) {
    if (records.empty()) return;
    if (!held_.empty()) write(held_[0], &records[0]);
    for (std::size_t i = 0; i + 1 < records.size(); ++i) write(records[i], &records[i + 1]);
    held_.assign(1, records.back());
}

// Readers merge CPUs by stamp and, where these are equal, by CPU number; a stamp later by 1/256 ns keeps the
// order of one instant.
std::uint64_t TraceDatWriter::stamp_of(std::int64_t ns, std::uint32_t cpu) {
    if (!started_) base_ns_ = ns;
    started_ = true;
    const auto since = static_cast<std::uint64_t>(std::max<std::int64_t>(ns - base_ns_, 0));
    const std::uint64_t first = since << kStampShift;
    const std::uint64_t last = first + (1u << kStampShift) - 1;
    std::uint64_t stamp = std::max(first, last_stamp_);
    if (stamp == last_stamp_ && cpu < last_cpu_) stamp = std::min(stamp + 1, std::max(last, last_stamp_));
    last_stamp_ = stamp;
    last_cpu_ = cpu;
    return stamp;
}

void TraceDatWriter::put(const TraceRecord& r, std::uint32_t cpu, const DatRecord& record) {
    cpus_ = std::max(cpus_, cpu + 1);
    spool_.add(cpu, stamp_of(r.ns, cpu), record.bytes());
}

void TraceDatWriter::write(const TraceRecord& r, const TraceRecord* next) {
    switch (r.type) {
        case EventType::kSwitch: return write_switch(r);
        case EventType::kWaking: return write_waking(r, next);
        case EventType::kWakeup:
        case EventType::kWakeupEarly: return write_wakeup(r, DatEvent::kWakeup);
        case EventType::kWakeupNew: return write_wakeup(r, DatEvent::kWakeupNew);
        case EventType::kMigrate:
            if ((r.flags & kInferred) == 0) write_migrate(r, static_cast<std::uint32_t>(r.payload));
            return;
        case EventType::kExec: return write_exec(r);
        case EventType::kFork:
        case EventType::kExit: return write_fork_or_exit(r);
        case EventType::kLost:
            cpus_ = std::max(cpus_, r.cpu + 1u);
            return spool_.add_loss(r.cpu, stamp_of(r.ns, r.cpu),
                                   static_cast<std::uint64_t>(std::max<std::int64_t>(r.payload, 0)));
        case EventType::kResched:
        case EventType::kSpurious:
        case EventType::kWorkUnit:
        case EventType::kIrq:
        case EventType::kSleepUntil: return write_simulated(r);
        default: return write_other(r);
    }
}

void TraceDatWriter::write_switch(const TraceRecord& r) {
    DatRecord d(DatEvent::kSwitch, pid_of(r.task), false);
    d.set_name(8, comm_of(r.task, r.cpu).view());
    d.set_i32(24, pid_of(r.task));
    d.set_i32(28, kPrio);
    d.set_i64(32, r.task == kNobody ? 0 : state_bits(static_cast<PrevState>(r.flags)));
    d.set_name(40, comm_of(r.arg, r.cpu).view());
    d.set_i32(56, pid_of(r.arg));
    d.set_i32(60, kPrio);
    put(r, r.cpu, d);
    if (r.cpu >= current_.size()) current_.resize(r.cpu + 1u, kNobody);
    current_[r.cpu] = r.arg;
    if (r.task != kNobody) task(r.task).cpu = r.cpu;
    if (r.arg != kNobody) task(r.arg).cpu = r.cpu;
}

// The wakeup that follows tells the CPU where the wakee was before.
void TraceDatWriter::write_waking(const TraceRecord& r, const TraceRecord* next) {
    if (r.arg == kNobody) return;
    Task& wakee = task(r.arg);
    wakee.waking_target = wakee.cpu;
    const bool told = next != nullptr && next->arg == r.arg && next->type == EventType::kWakeup;
    if (told) wakee.waking_target = static_cast<std::uint32_t>(next->payload >> 32);
    wakee.waker_cpu = r.cpu;
    DatRecord d(DatEvent::kWaking, pid_of(r.task), is_in_interrupt(r));
    d.set_name(8, wakee.comm.view());
    d.set_i32(24, pid_of(r.arg));
    d.set_i32(28, kPrio);
    d.set_u32(32, wakee.waking_target);
    put(r, r.cpu, d);
}

// On the CPU that woke, where a kernel without remote queues records it. An inferred one follows from the
// waking; where another CPU was chosen, a migration tells.
void TraceDatWriter::write_wakeup(const TraceRecord& r, DatEvent event) {
    if (r.arg == kNobody) return;
    Task& wakee = task(r.arg);
    if ((r.flags & kInferred) != 0) {
        if (r.type == EventType::kWakeup && r.cpu != wakee.waking_target)
            write_migrate(r, wakee.waking_target);
        if (r.type == EventType::kWakeup) wakee.cpu = r.cpu;
        return;
    }
    std::uint32_t cpu = wakee.waker_cpu != kNobody ? wakee.waker_cpu : r.cpu;
    if (event == DatEvent::kWakeupNew && r.task != kNobody) cpu = task(r.task).cpu;
    wakee.waker_cpu = kNobody;
    DatRecord d(event, pid_of(r.task), is_in_interrupt(r));
    d.set_name(8, task(r.arg).comm.view());
    d.set_i32(24, pid_of(r.arg));
    d.set_i32(28, kPrio);
    d.set_u32(32, r.cpu);
    put(r, cpu, d);
    if (r.type != EventType::kWakeupEarly) task(r.arg).cpu = r.cpu;
}

// On the CPU of who moves it.
void TraceDatWriter::write_migrate(const TraceRecord& r, std::uint32_t from) {
    if (r.arg == kNobody) return;
    const std::uint32_t cpu = r.task != kNobody ? task(r.task).cpu : r.cpu;
    DatRecord d(DatEvent::kMigrate, pid_of(r.task), false);
    d.set_name(8, task(r.arg).comm.view());
    d.set_i32(24, pid_of(r.arg));
    d.set_i32(28, kPrio);
    d.set_u32(32, from);
    d.set_u32(36, r.cpu);
    put(r, cpu, d);
    task(r.arg).cpu = r.cpu;
}

void TraceDatWriter::write_exec(const TraceRecord& r) {
    DatRecord d(DatEvent::kExec, pid_of(r.task), false);
    d.set_u32(8, 16u << 16 | 20);  // __data_loc: 16 bytes at 20
    d.set_i32(12, pid_of(r.task));
    d.set_i32(16, pid_of(r.task));
    d.set_name(20, comm_of(r.task, r.cpu).view());
    put(r, r.cpu, d);
}

void TraceDatWriter::write_fork_or_exit(const TraceRecord& r) {
    const bool is_fork = r.type == EventType::kFork;
    if (is_fork && r.arg == kNobody) return;
    DatRecord d(is_fork ? DatEvent::kFork : DatEvent::kExit, pid_of(r.task), false);
    d.set_name(8, comm_of(r.task, r.cpu).view());
    d.set_i32(24, pid_of(r.task));
    if (is_fork) {
        d.set_name(28, task(r.arg).comm.view());
        d.set_i32(44, pid_of(r.arg));
    } else {
        d.set_i32(28, kPrio);
    }
    put(r, r.cpu, d);
}

void TraceDatWriter::write_other(const TraceRecord& r) {
    const auto number = static_cast<std::int32_t>(r.payload);
    const auto simple = [&](DatEvent event) {
        DatRecord d(event, pid_of(r.task), false);
        d.set_i32(8, number);
        return d;
    };
    const auto of_cpu = [&](DatEvent event) {
        DatRecord d = simple(event);
        d.set_u32(12, r.cpu);
        return d;
    };
    const auto with_name = [&] {
        DatRecord d = simple(DatEvent::kIrqEntry);
        d.set_u32(12, 4u << 16 | 16);  // __data_loc: 4 bytes at 16
        d.set_name(16, "irq");
        return d;
    };
    const auto of_syscall = [&](DatEvent event) {
        DatRecord d(event, pid_of(r.task), false);
        std::int64_t none = -1;
        std::int64_t& id = r.task == kNobody ? none : task(r.task).syscall;
        if (event == DatEvent::kSyscallEnter) id = r.payload;
        d.set_i64(8, id);
        if (event == DatEvent::kSyscallExit) d.set_i64(16, r.payload);
        return d;
    };
    switch (r.type) {
        case EventType::kIrqEntry: return put(r, r.cpu, with_name());
        case EventType::kIrqExit: return put(r, r.cpu, simple(DatEvent::kIrqExit));
        case EventType::kSoftirqEntry: return put(r, r.cpu, simple(DatEvent::kSoftirqEntry));
        case EventType::kSoftirqExit: return put(r, r.cpu, simple(DatEvent::kSoftirqExit));
        case EventType::kIpi:
            return put(r, r.cpu, simple(r.payload < 0 ? DatEvent::kIpiMany : DatEvent::kIpi));
        case EventType::kCpuIdle: return put(r, r.cpu, of_cpu(DatEvent::kCpuIdle));
        case EventType::kFrequency: return put(r, r.cpu, of_cpu(DatEvent::kFrequency));
        case EventType::kSyscallEnter: return put(r, r.cpu, of_syscall(DatEvent::kSyscallEnter));
        case EventType::kSyscallExit: return put(r, r.cpu, of_syscall(DatEvent::kSyscallExit));
        case EventType::kBlockedReason: {
            DatRecord d(DatEvent::kBlockedReason, pid_of(r.task), false);
            d.set_i32(8, pid_of(r.arg));
            d.set_i64(16, r.payload);
            d.set_u32(24, r.flags & 1);
            return put(r, r.cpu, d);
        }
        default: return;
    }
}

void TraceDatWriter::write_simulated(const TraceRecord& r) {
    DatRecord d(DatEvent::kSimulated, pid_of(r.task), false);
    d.set_u32(8, static_cast<std::uint32_t>(r.type));
    d.set_i32(12, pid_of(r.task));
    d.set_i32(16, pid_of(r.arg));
    d.set_u32(20, r.flags);
    d.set_i64(24, r.payload);
    put(r, r.cpu, d);
}

}  // namespace wakelab::trace
