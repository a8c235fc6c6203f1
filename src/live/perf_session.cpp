#include "live/perf_session.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "live/perf_layout.hpp"

namespace wakelab::live {

namespace {

constexpr std::uint64_t kFormatLost = 1u << 4;  // PERF_FORMAT_LOST: headers before 6.0 lack it
constexpr std::uint64_t kSmallestRing = 64u << 10;

// Left at 0 is when a reader is woken: then the kernel does when the ring is half full.
perf_event_attr common_attr(const PerfSession* session) {
    perf_event_attr attr{};
    attr.size = sizeof attr;
    attr.sample_period = 1;
    attr.sample_type = kPerfSampleType;
    attr.sample_id_all = 1;
    attr.use_clockid = 1;
    attr.clockid = CLOCK_MONOTONIC;
    attr.read_format = PERF_FORMAT_GROUP;
    if (session != nullptr) attr.write_backward = session->overwritten() ? 1 : 0;
    return attr;
}

perf_event_attr leader_attr(const PerfSession* session, bool tells_switches) {
    perf_event_attr attr = common_attr(session);
    attr.type = PERF_TYPE_SOFTWARE;
    attr.config = PERF_COUNT_SW_DUMMY;
    attr.disabled = 1;
    attr.comm = 1;
    attr.comm_exec = 1;
    attr.task = 1;
    attr.context_switch = tells_switches ? 1 : 0;
    return attr;
}

perf_event_attr tracepoint_attr(const PerfSession* session, std::uint64_t id) {
    perf_event_attr attr = common_attr(session);
    attr.type = PERF_TYPE_TRACEPOINT;
    attr.config = id;
    return attr;
}

Fd open_event(const perf_event_attr& attr, std::uint32_t cpu, const Fd& group) {
    return Fd(static_cast<int>(::syscall(SYS_perf_event_open, &attr, -1, static_cast<int>(cpu),
                                         group.get(), PERF_FLAG_FD_CLOEXEC)));
}

int try_event(const perf_event_attr& attr, std::uint32_t cpu) {
    return open_event(attr, cpu, Fd()) ? 0 : errno;
}

std::uint64_t id_of(const Fd& event) {
    std::uint64_t id = 0;
    ::ioctl(event.get(), PERF_EVENT_IOC_ID, &id);
    return id;
}

Error cannot_open(const std::string& name) {
    return Error{fmt::format("perf_event: {}: {}", name,
                             perf_refusal(errno, perf_event_paranoid(), ::geteuid() == 0))};
}

}  // namespace

int try_perf_switches(std::uint32_t cpu) {
    return try_event(leader_attr(nullptr, true), cpu);
}

int try_perf_tracepoint(std::uint32_t cpu, const PerfTracepoint& tracepoint) {
    return try_event(tracepoint_attr(nullptr, tracepoint.id), cpu);
}

std::string perf_event_paranoid() {
    std::string text = read_pseudo_file("/proc/sys/kernel/perf_event_paranoid");
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
}

std::string perf_refusal(int error, const std::string& paranoid, bool is_root) {
    const std::string reason = std::strerror(error);
    if (error == ENOSYS || paranoid.empty())
        return fmt::format("{}; expected a kernel with CONFIG_PERF_EVENTS", reason);
    if (error == EMFILE) return fmt::format("{}; expected after: ulimit -n 8192", reason);
    if (error == EINVAL) return fmt::format("{}; expected Linux 4.7 or later", reason);
    if (error != EACCES && error != EPERM) return reason;
    const std::string setting =
        fmt::format("{} (kernel.perf_event_paranoid is {})", reason, paranoid);
    if (is_root)
        return setting +
               "; expected a kernel that is not locked down and, in a container, "
               "CAP_PERFMON and a seccomp profile that lets perf_event_open pass";
    return setting +
           "; expected root, CAP_PERFMON or, for all users, "
           "sudo sysctl kernel.perf_event_paranoid=-1";
}

Result<PerfSession> PerfSession::open(const std::vector<std::uint32_t>& cpus,
                                      const PerfChoice& choice) {
    PerfSession session;
    session.overwritten_ = choice.overwritten;
    for (const std::uint32_t cpu : cpus)
        if (Status opened = session.open_cpu(cpu, choice); !opened) return opened.error();
    if (session.cpus_.empty()) return Error{"perf_event: expected a CPU that is online"};
    return session;
}

Status PerfSession::open_cpu(std::uint32_t number, const PerfChoice& choice) {
    std::vector<perf_event_attr> attrs = {leader_attr(this, choice.tracepoints.empty())};
    std::vector<std::string> names = {"dummy"};
    for (const PerfTracepoint& t : choice.tracepoints) {
        attrs.push_back(tracepoint_attr(this, t.id));
        names.push_back(t.event.system + ":" + t.event.name);
    }
    events_.resize(attrs.size());
    Cpu cpu;
    cpu.number = number;
    for (std::size_t i = 0; i < attrs.size(); ++i) {
        if (tells_losses_) attrs[i].read_format |= kFormatLost;
        Fd event = open_event(attrs[i], number, cpu.leader);
        if (!event && errno == EINVAL && tells_losses_ && cpus_.empty() && i == 0) {
            tells_losses_ = false;
            attrs[i].read_format &= ~kFormatLost;
            event = open_event(attrs[i], number, cpu.leader);
        }
        if (!event && errno == ENODEV) return {};  // it went offline meanwhile
        if (!event) return cannot_open(names[i]);
        const std::uint64_t id = id_of(event);
        events_[i].attr.assign(reinterpret_cast<const char*>(&attrs[i]), sizeof attrs[i]);
        events_[i].name = names[i];
        events_[i].ids.push_back(id);
        if (i == 0) cpu.leader_id = id;
        if (i == 0)
            cpu.leader = std::move(event);
        else
            cpu.members.push_back(std::move(event));
    }
    cpus_.push_back(std::move(cpu));
    return {};
}

Status PerfSession::map_rings(std::uint64_t bytes, bool may_shrink) {
    const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    ring_bytes_ = std::bit_ceil(std::max(bytes, page));
    for (std::size_t i = 0; i < cpus_.size(); ++i) {
        cpus_[i].ring = PerfRing(cpus_[i].leader.get(), ring_bytes_, overwritten_);
        if (cpus_[i].ring) continue;
        const int error = errno;
        if (error == EPERM && may_shrink && ring_bytes_ > kSmallestRing) {
            for (Cpu& cpu : cpus_) cpu.ring = PerfRing();
            return map_rings(ring_bytes_ / 2, may_shrink);
        }
        if (error == EPERM)
            return Error{
                fmt::format("{} KiB of buffer per CPU may not be locked in memory; expected a "
                            "smaller --buffer, root, or more in kernel.perf_event_mlock_kb",
                            ring_bytes_ >> 10)};
        if (error == ENOMEM)
            return Error{
                fmt::format("no memory for {} KiB of buffer per CPU; expected a smaller --buffer",
                            ring_bytes_ >> 10)};
        return Error{
            fmt::format("perf_event: buffer of CPU {}: {}", cpus_[i].number, std::strerror(error))};
    }
    for (const Cpu& cpu : cpus_)
        for (const Fd& member : cpu.members)
            if (::ioctl(member.get(), PERF_EVENT_IOC_SET_OUTPUT, cpu.leader.get()) != 0)
                return Error{fmt::format("perf_event: buffer of CPU {}: {}", cpu.number,
                                         std::strerror(errno))};
    return {};
}

// Members are enabled already: with the leader all events of a CPU begin and end at once.
void PerfSession::start() {
    for (const Cpu& cpu : cpus_) ::ioctl(cpu.leader.get(), PERF_EVENT_IOC_ENABLE, 0);
}

void PerfSession::stop() {
    for (const Cpu& cpu : cpus_) ::ioctl(cpu.leader.get(), PERF_EVENT_IOC_DISABLE, 0);
}

// u64 number of events, then of each u64 value and, with PERF_FORMAT_LOST, u64 lost.
PerfSession::Counters PerfSession::counters(const Cpu& cpu) const {
    const std::size_t each = tells_losses_ ? 2 : 1;
    std::vector<std::uint64_t> values(1 + each * (1 + cpu.members.size()));
    Counters sum;
    const std::size_t size = values.size() * sizeof values[0];
    if (::read(cpu.leader.get(), values.data(), size) != static_cast<ssize_t>(size)) return sum;
    for (std::size_t i = 1; i < values.size(); i += each) {
        sum.events += values[i];
        if (tells_losses_) sum.lost += values[i + 1];
    }
    return sum;
}

}  // namespace wakelab::live
