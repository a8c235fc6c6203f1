#include "trace/formats/perfetto_bundle.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include "topo/cpu_mask.hpp"
#include "trace/formats/field_cursor.hpp"

namespace wakelab::trace::perfetto {

namespace {

// Times beyond (140 years) are damage; sums and differences of the others cannot overflow.
constexpr std::uint64_t kMaxNs = std::uint64_t{1} << 62;

constexpr std::uint32_t kEventKey = bytes_key(bundle::kEvent);

// A fork is told by task_newtask, by sched_process_fork, or by both, in that order.
constexpr std::int64_t kByNewtask = 1;

// include/linux/trace_events.h, TRACE_FLAG_*
std::uint8_t context_of(std::uint64_t common_flags) {
    return static_cast<std::uint8_t>(((common_flags & 0x08) != 0 ? kInHardirq : 0) |
                                     ((common_flags & 0x10) != 0 ? kInSoftirq : 0));
}

// Copies 16 bytes whatever the length and clears what is too much: names are the bulk of an event. Needs 16
// readable bytes from its beginning on, see decode().
Comm comm_of(std::string_view name) {
    static_assert(std::endian::native == std::endian::little);
    Comm comm;
    if (name.empty()) return comm;
    std::array<std::uint64_t, 2> words;
    std::memcpy(words.data(), name.data(), sizeof words);
    const std::size_t size = std::min<std::size_t>(name.size(), 15);
    if (size < 8) {
        words[0] &= ~std::uint64_t{0} >> (64 - 8 * size);
        words[1] = 0;
    } else {
        words[1] &= size == 8 ? 0 : ~std::uint64_t{0} >> (128 - 8 * size);
    }
    std::memcpy(comm.bytes.data(), words.data(), sizeof words);
    return comm;
}

// The fields of an event that we look at have numbers below 8.
struct Fields {
    std::array<std::int64_t, 8> number{};
    std::array<std::string_view, 8> text{};
    std::uint32_t seen = 0;

    explicit Fields(std::string_view message) {
        const char* at = message.data();
        const char* const end = at + message.size();
        while (at < end) {
            const auto key = static_cast<unsigned char>(*at);
            const std::uint32_t field = key >> 3;
            // What nearly all fields are: a number below 8, and a number or a short text.
            if (field < 8 && (key & 7) == 0) {
                std::uint64_t value = 0;
                if (!take_varint(++at, end, value)) return;
                number[field] = static_cast<std::int64_t>(value);
                seen |= 1u << field;
            } else if (field < 8 && (key & 7) == 2 && at[1] >= 0 && end - at >= at[1] + 2) {
                text[field] = {at + 2, static_cast<std::size_t>(at[1])};
                at += at[1] + 2;
            } else {
                FieldCursor other({at, static_cast<std::size_t>(end - at)});
                if (!other.next()) return;
                at = other.position();
            }
        }
    }
    [[nodiscard]] std::int32_t int32(std::uint32_t field) const {
        return static_cast<std::int32_t>(number[field]);
    }
    // A CPU number, -1 if there is none.
    [[nodiscard]] std::int32_t cpu(std::uint32_t field) const {
        return (seen & 1u << field) != 0 ? int32(field) : -1;
    }
};

// Tasks that come, change and go. False: of no meaning here.
bool decode_process(std::uint32_t id, std::string_view message, KernelEvent& e) {
    using K = KernelEventType;
    switch (id) {
        case event::kTaskNewtask: {
            const Fields f(message);
            e.type = K::kFork;
            e.other_pid = f.int32(newtask::kPid);
            e.other_comm = comm_of(f.text[newtask::kComm]);
            e.value = kByNewtask;
            return true;
        }
        case event::kSchedProcessFork: {
            const Fields f(message);
            e.type = K::kFork;
            e.pid = f.int32(process_fork::kParentPid);
            e.comm = comm_of(f.text[process_fork::kParentComm]);
            e.other_pid = f.int32(process_fork::kChildPid);
            e.other_comm = comm_of(f.text[process_fork::kChildComm]);
            return true;
        }
        case event::kSchedProcessExec: {
            const Fields f(message);
            e.type = K::kExec;
            if ((f.seen & 1u << process_exec::kPid) != 0) e.pid = f.int32(process_exec::kPid);
            return true;
        }
        case event::kSchedProcessExit: {
            const Fields f(message);
            e.type = K::kExit;
            if ((f.seen & 1u << process_exit::kPid) != 0) e.pid = f.int32(process_exit::kPid);
            e.comm = comm_of(f.text[process_exit::kComm]);
            return true;
        }
        case event::kTaskRename:        // the next event that names the task tells, too
        case event::kSchedProcessFree:  // the task is gone since sched_process_exit
            e.type = K::kOther;
            return true;
        default: return false;
    }
}

// What happens around the scheduler. False: of no meaning here.
bool decode_machine(std::uint32_t id, std::string_view message, KernelEvent& e) {
    using K = KernelEventType;
    const auto valued = [&](K type, std::uint32_t field) {
        e.type = type;
        e.value = Fields(message).number[field];
        return true;
    };
    switch (id) {
        case event::kSchedBlockedReason: {
            const Fields f(message);
            e.type = K::kBlockedReason;
            e.other_pid = f.int32(blocked_reason::kPid);
            e.value = f.number[blocked_reason::kCaller];
            e.io_wait = f.number[blocked_reason::kIoWait] != 0;
            return true;
        }
        case event::kIrqHandlerEntry: return valued(K::kIrqEntry, irq::kNumber);
        case event::kIrqHandlerExit: return valued(K::kIrqExit, irq::kNumber);
        case event::kSoftirqEntry: return valued(K::kSoftirqEntry, irq::kNumber);
        case event::kSoftirqExit: return valued(K::kSoftirqExit, irq::kNumber);
        case event::kIpiRaise: {
            const auto cpus = static_cast<std::uint32_t>(Fields(message).number[ipi_raise::kTargetCpus]);
            e.type = K::kIpi;
            e.target_cpu = std::has_single_bit(cpus) ? std::countr_zero(cpus) : -1;
            return true;
        }
        case event::kCpuIdle:
        case event::kCpuFrequency: {
            const Fields f(message);
            e.type = id == event::kCpuIdle ? K::kCpuIdle : K::kFrequency;
            e.target_cpu = f.cpu(cpu_state::kCpuId);
            // PWR_EVENT_EXIT is (u32)-1.
            e.value = id == event::kCpuIdle ? f.int32(cpu_state::kState) : f.number[cpu_state::kState];
            return true;
        }
        case event::kSysEnter: return valued(K::kSyscallEnter, syscall::kId);
        case event::kSysExit: return valued(K::kSyscallExit, syscall::kRet);
        default: return false;
    }
}

// For counts of what is skipped: the common ones by name (ftrace_event.proto).
std::string event_name(std::uint32_t id) {
    constexpr std::array<std::pair<std::uint32_t, std::string_view>, 9> kNames = {{
        {0, "other ftrace events"}, {3, "print"}, {12, "cpu_frequency_limits"}, {21, "ipi_entry"},
        {22, "ipi_exit"}, {26, "softirq_raise"}, {113, "suspend_resume"}, {327, "generic ftrace events"},
        {353, "sched_pi_setprio"},
    }};
    for (const auto& [number, name] : kNames)
        if (number == id) return std::string(name);
    return fmt::format("ftrace event {}", id);
}

}  // namespace

// The columns of a CompactSched, each as far as it has been read.
struct BundleDecoder::Columns {
    Column switch_ns, prev_state, next_pid, next_comm;
    Column waking_ns, wakee, target_cpu, wakee_comm, flags;
    std::uint64_t last_switch_ns = 0, last_waking_ns = 0;
};

void BundleDecoder::note_clock(FtraceClock clock) {
    constexpr std::array<std::string_view, 5> kNames = {"boot", "unknown", "global", "local", "mono_raw"};
    const auto index = static_cast<std::size_t>(clock);
    const std::string_view name = index < kNames.size() ? kNames[index] : "unknown";
    if (!clock_told_) {
        clock_told_ = true;
        quality_.clock = name;
    } else if (quality_.clock != name && quality_.clock != "several") {
        quality_.notes.push_back(fmt::format(
            "Some events have times of the clock {}, others of {}; they are compared as they are.",
            quality_.clock, name));
        quality_.clock = "several";
    }
}

void BundleDecoder::decode(std::string_view bundle_bytes) {
    std::uint64_t cpu = 0;
    bool has_cpu = false, lost = false;
    auto clock = FtraceClock::kBoot;
    std::string_view compact;
    FieldCursor head(bundle_bytes);
    while (head.skip_short(kEventKey), head.next()) {
        switch (head.key()) {
            case varint_key(bundle::kCpu):
                cpu = head.number();
                has_cpu = true;
                break;
            case varint_key(bundle::kLostEvents): lost = head.number() != 0; break;
            case bytes_key(bundle::kCompactSched): compact = head.bytes(); break;
            case varint_key(bundle::kFtraceClock): clock = static_cast<FtraceClock>(head.uint32()); break;
            default: break;
        }
    }
    if (head.damaged()) ++quality_.damaged;
    if (!has_cpu || cpu >= topo::kMaxCpus) {
        ++quality_.damaged;
        return;
    }
    note_clock(clock);
    cpu_ = static_cast<std::uint32_t>(cpu);
    if (cpu_ >= cpus_.size()) cpus_.resize(cpu_ + 1);
    cpus_[cpu_].seen = true;
    if (lost) {
        cpus_[cpu_].lost = true;
        cpus_[cpu_].current = kUnknown;
    }
    window_.begin_bundle(cpu_);
    if (!compact.empty()) return decode_with_compact(bundle_bytes, compact);
    FieldCursor events(bundle_bytes);
    while (events.next_short(kEventKey) || events.next()) {
        if (events.key() != kEventKey) continue;
        KernelEvent e;
        if (decode_event(events.bytes(), e)) emit(e, false);
    }
}

// Marks a loss before the event; knows who runs.
void BundleDecoder::emit(KernelEvent& e, bool is_compact) {
    Cpu& cpu = cpus_[cpu_];
    e.cpu = cpu_;
    if (cpu.lost) {
        cpu.lost = false;
        KernelEvent loss;
        loss.ns = e.ns;
        loss.cpu = cpu_;
        loss.type = KernelEventType::kLost;
        window_.push(loss);
    }
    if (e.type == KernelEventType::kSwitch) {
        const bool first = is_compact && cpu.current == kUnknown;
        if (is_compact && !first) {
            e.pid = cpu.current;
            e.comm = cpu.current_comm;
            cpu.current_comm = {};
        }
        cpu.current = e.other_pid;
        if (first) {
            cpu.current_comm = e.other_comm;
            ++first_switches_;
            return;
        }
    } else if (is_compact) {
        e.pid = std::max(cpu.current, 0);
    } else if (e.type == KernelEventType::kFork) {
        const bool again = cpu.new_task == e.other_pid && e.value != kByNewtask;
        cpu.new_task = e.value == kByNewtask ? e.other_pid : kUnknown;
        e.value = 0;
        if (again) return;
    }
    window_.push(e);
}

bool BundleDecoder::decode_event(std::string_view message, KernelEvent& e) {
    std::uint64_t ns = ~std::uint64_t{0};
    std::uint64_t flags = 0;
    std::uint32_t id = 0;
    std::string_view payload;
    FieldCursor c(message);
    // Time and pid come first and the event next, mostly.
    std::uint64_t pid = 0;
    if (c.take_number(varint_key(event::kTimestamp), ns) && c.take_number(varint_key(event::kPid), pid))
        e.pid = static_cast<std::int32_t>(pid);
    while (c.next()) {
        switch (c.key()) {
            case varint_key(event::kTimestamp): ns = c.number(); break;
            case varint_key(event::kPid): e.pid = c.int32(); break;
            case varint_key(event::kCommonFlags): flags = c.number(); break;
            default:
                if (!c.is_bytes()) break;
                id = c.field();
                payload = c.bytes();
        }
    }
    if (c.damaged() || ns > kMaxNs || id == 0) {
        ++quality_.damaged;
        return false;
    }
    e.ns = static_cast<std::int64_t>(ns);
    e.context = context_of(flags);
    if (decode_payload(id, payload, e)) return true;
    ++skipped_[id < kEventIds ? id : 0];
    return false;
}

// False: of no meaning here.
bool BundleDecoder::decode_payload(std::uint32_t id, std::string_view message, KernelEvent& e) {
    using K = KernelEventType;
    const auto wakee = [&](K type) {
        const Fields f(message);
        if ((f.seen & 1u << wakeup::kSuccess) != 0 && f.number[wakeup::kSuccess] == 0) return false;
        e.type = type;
        e.other_pid = f.int32(wakeup::kPid);
        e.other_comm = comm_of(f.text[wakeup::kComm]);
        e.target_cpu = f.cpu(wakeup::kTargetCpu);
        return true;
    };
    switch (id) {
        case event::kSchedSwitch: {
            const Fields f(message);
            e.type = K::kSwitch;
            e.pid = f.int32(sched_switch::kPrevPid);
            e.comm = comm_of(f.text[sched_switch::kPrevComm]);
            e.other_pid = f.int32(sched_switch::kNextPid);
            e.other_comm = comm_of(f.text[sched_switch::kNextComm]);
            e.value = static_cast<std::int64_t>(
                prev_state_of_bits(f.number[sched_switch::kPrevState], bits_));
            guessed_states_ += f.number[sched_switch::kPrevState] >= 0x40 ? 1 : 0;
            return true;
        }
        case event::kSchedWaking: return wakee(K::kWaking);
        case event::kSchedWakeup: return wakee(K::kWakeup);
        case event::kSchedWakeupNew: return wakee(K::kWakeupNew);
        case event::kSchedMigrateTask: {
            const Fields f(message);
            e.type = K::kMigrate;
            e.other_pid = f.int32(migrate::kPid);
            e.other_comm = comm_of(f.text[migrate::kComm]);
            e.from_cpu = f.cpu(migrate::kOrigCpu);
            e.target_cpu = f.int32(migrate::kDestCpu);
            return true;
        }
        default: return decode_process(id, message, e) || decode_machine(id, message, e);
    }
}

// --- CompactSched ---

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
    const auto state = static_cast<std::int64_t>(c.prev_state.take());
    guessed_states_ += state >= 0x40 ? 1 : 0;
    e.type = KernelEventType::kSwitch;
    e.ns = static_cast<std::int64_t>(std::min(c.last_switch_ns, kMaxNs));
    e.value = static_cast<std::int64_t>(prev_state_of_bits(state, bits_));
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

// --- losses and counts ---

void BundleDecoder::lose_all() {
    for (Cpu& cpu : cpus_) {
        if (!cpu.seen) continue;
        cpu.lost = true;
        cpu.current = kUnknown;
    }
}

void BundleDecoder::finish() {
    for (cpu_ = 0; cpu_ < cpus_.size(); ++cpu_) {
        if (!cpus_[cpu_].lost || window_.max_ns() == INT64_MIN) continue;
        KernelEvent loss;
        loss.ns = window_.max_ns();
        loss.cpu = cpu_;
        loss.type = KernelEventType::kLost;
        window_.begin_bundle(cpu_);
        window_.push(loss);
    }
    for (std::uint32_t id = 0; id < kEventIds; ++id)
        if (skipped_[id] != 0) quality_.skip(event_name(id), skipped_[id]);
    if (first_switches_ != 0)
        quality_.notes.push_back(fmt::format(
            "{} switches name no previous task (compact form, first of a CPU or after a loss) and are left "
            "out.",
            first_switches_));
    if (bits_ == StateBits::kUnknownKernel && guessed_states_ != 0)
        quality_.notes.push_back(fmt::format(
            "The file does not name its kernel: what {} tasks did when they were switched out (preempted, "
            "idle kernel thread, parked, dead) is guessed from values that kernels use differently.",
            guessed_states_));
}

}  // namespace wakelab::trace::perfetto
