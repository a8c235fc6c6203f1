#include "trace/formats/perfetto/perfetto_event.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "trace/formats/perfetto/field_cursor.hpp"

namespace wakelab::trace::perfetto {

// include/linux/trace_events.h, TRACE_FLAG_*
std::uint8_t context_of(std::uint64_t common_flags) {
    return static_cast<std::uint8_t>(((common_flags & 0x08) != 0 ? kInHardirq : 0) |
                                     ((common_flags & 0x10) != 0 ? kInSoftirq : 0));
}

// Copies 16 bytes whatever the length and clears what is too much: names are the bulk of an event. Needs 16
// readable bytes from its beginning on, see BundleDecoder::decode().
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

namespace {

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

}  // namespace

bool decode_event(std::uint32_t id, std::string_view message, StateReader& states, KernelEvent& e) {
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
            e.value = states.prev_state(f.number[sched_switch::kPrevState]);
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

}  // namespace wakelab::trace::perfetto
