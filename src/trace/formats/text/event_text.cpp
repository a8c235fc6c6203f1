#include "trace/formats/text/event_text.hpp"

#include <algorithm>
#include <cstring>

#include "trace/formats/task_state_bits.hpp"

// Forms: TP_printk of include/trace/events/{sched,irq,power,ipi,syscalls}.h of 2.6.31 to 6.18; trace-cmd's
// plugin_sched_switch.c, which trace-cmd report and older perf use instead; the raw fields of report -R.

namespace wakelab::trace {

namespace {

using K = KernelEventType;

constexpr std::size_t kMaxName = 15;  // TASK_COMM_LEN without its NUL

// Advances behind `word` if `text` begins so.
bool take(std::string_view& text, std::string_view word) {
    if (text.size() < word.size() || std::memcmp(text.data(), word.data(), word.size()) != 0) return false;
    text.remove_prefix(word.size());
    return true;
}

// Of every number of every line, so in one pass over the digits.
inline bool take_long(std::string_view& text, std::int64_t& value) {
    const char* at = text.data();
    const char* const end = at + text.size();
    const bool negative = at != end && *at == '-';
    if (negative) ++at;
    const char* const first = at;
    std::uint64_t v = 0;
    for (; at != end; ++at) {
        const unsigned digit = static_cast<unsigned char>(*at) - unsigned{'0'};
        if (digit > 9) break;
        v = v * 10 + digit;
    }
    if (at == first || at - first > 18) return false;
    value = negative ? -static_cast<std::int64_t>(v) : static_cast<std::int64_t>(v);
    text.remove_prefix(static_cast<std::size_t>(at - text.data()));
    return true;
}

inline bool take_int(std::string_view& text, std::int32_t& value) {
    std::int64_t v = 0;
    if (!take_long(text, v)) return false;
    value = static_cast<std::int32_t>(v);
    return true;
}

bool skip_number(std::string_view& text) {
    std::int64_t v = 0;
    return take_long(text, v);
}

// A name that ends where `delimiter` begins: the last such place a name can reach, and if the rest then has
// not the expected form, the one before. `rest` says if a text has the form.
template <class Rest>
bool take_name(std::string_view& text, std::string_view delimiter, Comm& name, Rest rest) {
    if (text.size() < delimiter.size()) return false;
    std::size_t end = std::min(text.size() - delimiter.size(), kMaxName);
    for (;; --end) {
        const void* at = memrchr(text.data(), delimiter[0], end + 1);
        if (at == nullptr) return false;
        end = static_cast<std::size_t>(static_cast<const char*>(at) - text.data());
        if (std::memcmp(at, delimiter.data(), delimiter.size()) == 0) {
            std::string_view after = text.substr(end + delimiter.size());
            if (rest(after)) {
                name = Comm(text.substr(0, end));
                text = after;
                return true;
            }
        }
        if (end == 0) return false;
    }
}

// "S", "R+", "D|K": up to the next space.
PrevState take_state(std::string_view& text) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view letters = text.substr(0, end);
    text.remove_prefix(end);
    if (letters == "S") return PrevState::kBlocked;
    return prev_state_of(letters);
}

// " [120]"
bool take_prio(std::string_view& text) {
    std::string_view t = text;
    if (!take(t, " [") || !skip_number(t) || !take(t, "]")) return false;
    text = t;
    return true;
}

// "A:12 [120] S ==> B:34 [120]" of the plugin; "task A:12 [120] (S) ==> B:34 [120]" of 2.6.31. Names cannot
// pass for numbers here as long as pid and priority of prev have five digits together.
bool parse_switch_short(std::string_view args, bool old, KernelEvent& e) {
    std::int64_t state = 0;
    const auto next = [&](std::string_view& t) {
        return take_int(t, e.other_pid) && take_prio(t) && t.empty();
    };
    const auto prev = [&](std::string_view& t) {
        if (!take_int(t, e.pid) || !take_prio(t) || !take(t, " ")) return false;
        if (old != take(t, "(")) return false;
        if (!t.starts_with("==>")) {
            // The plugin's table of letters is of before 4.14: "I" comes out as "W".
            const bool is_idle = t.starts_with("W ");
            const PrevState s = take_state(t);
            state = static_cast<std::int64_t>(is_idle ? PrevState::kIdleThread : s);
            if (!take(t, " ")) return false;
        }
        return take(t, "==> ") && take_name(t, ":", e.other_comm, next);
    };
    if (!take_name(args, ":", e.comm, prev)) return false;
    e.value = state;
    return true;
}

bool parse_switch(std::string_view args, KernelEvent& e) {
    e.type = K::kSwitch;
    if (!take(args, "prev_comm=")) {
        if (parse_switch_short(args, false, e)) return true;
        return take(args, "task ") && parse_switch_short(args, true, e);
    }
    const auto next = [&](std::string_view& t) { return take_int(t, e.other_pid); };
    const auto prev = [&](std::string_view& t) {
        if (!take_int(t, e.pid) || !take(t, " prev_prio=") || !skip_number(t) ||
            !take(t, " prev_state="))
            return false;
        if (std::int64_t bits = 0; take_long(t, bits)) {  // trace-cmd report -R
            e.value = static_cast<std::int64_t>(prev_state_of_bits(bits, StateBits::kUnknownKernel));
            return take(t, " next_comm=") && take_name(t, " next_pid=", e.other_comm, next);
        }
        e.value = static_cast<std::int64_t>(take_state(t));
        return take(t, " ==> next_comm=") && take_name(t, " next_pid=", e.other_comm, next);
    };
    return take_name(args, " prev_pid=", e.comm, prev);
}

// " success=0": the task was not woken after all.
bool take_success(std::string_view& text, bool& success) {
    std::int32_t value = 1;
    if (take(text, " success=") && !take_int(text, value)) return false;
    success = value != 0;
    return true;
}

// "A:12 [120] success=1 CPU:001", "A:12 [120]<CPU:001>" of the plugin; "task A:12 [120] success=1 [001]"
bool parse_wakeup_short(std::string_view args, bool old, KernelEvent& e, bool& success) {
    const auto rest = [&](std::string_view& t) {
        if (!take_int(t, e.other_pid) || !take_prio(t) || !take_success(t, success)) return false;
        if (old) return take(t, " [") && take_int(t, e.target_cpu) && take(t, "]") && t.empty();
        if (take(t, "<CPU:")) return take_int(t, e.target_cpu) && take(t, ">") && t.empty();
        return (!take(t, " CPU:") || take_int(t, e.target_cpu)) && t.empty();
    };
    return take_name(args, ":", e.other_comm, rest);
}

TextOutcome parse_wakeup(K type, std::string_view args, KernelEvent& e) {
    e.type = type;
    e.target_cpu = -1;
    bool success = true;
    const auto rest = [&](std::string_view& t) {
        if (!take_int(t, e.other_pid) || !take(t, " prio=") || !skip_number(t) ||
            !take_success(t, success))
            return false;
        if (take(t, " target_cpu=") || take(t, " [")) return take_int(t, e.target_cpu);
        return t.empty();
    };
    bool good = false;
    if (take(args, "comm=")) {
        good = take_name(args, " pid=", e.other_comm, rest);
    } else {
        good = parse_wakeup_short(args, false, e, success) ||
               (take(args, "task ") && parse_wakeup_short(args, true, e, success));
    }
    if (!good) return TextOutcome::kDamaged;
    return success ? TextOutcome::kDecoded : TextOutcome::kNotNeeded;
}

// "comm=A pid=12 prio=120 orig_cpu=0 dest_cpu=1"; "task A:12 [120] from: 0  to: 1" of 2.6.31.
bool parse_migrate(std::string_view args, KernelEvent& e) {
    e.type = K::kMigrate;
    if (take(args, "comm="))
        return take_name(args, " pid=", e.other_comm, [&](std::string_view& t) {
            return take_int(t, e.other_pid) && take(t, " prio=") && skip_number(t) &&
                   take(t, " orig_cpu=") && take_int(t, e.from_cpu) && take(t, " dest_cpu=") &&
                   take_int(t, e.target_cpu);
        });
    return take(args, "task ") && take_name(args, ":", e.other_comm, [&](std::string_view& t) {
               return take_int(t, e.other_pid) && take_prio(t) && take(t, " from: ") &&
                      take_int(t, e.from_cpu) && take(t, "  to: ") && take_int(t, e.target_cpu);
           });
}

// "comm=A pid=1 child_comm=B child_pid=2"; "parent A:1  child B:2" of 2.6.31; trace-cmd report -R writes the
// fields as they are called: "parent_comm=A parent_pid=1 ...".
bool parse_fork(std::string_view args, KernelEvent& e) {
    e.type = K::kFork;
    const bool raw = take(args, "parent_comm=");
    const bool keyed = raw || take(args, "comm=");
    if (!keyed && !take(args, "parent ")) return false;
    const auto child = [&](std::string_view& t) { return take_int(t, e.other_pid) && t.empty(); };
    const auto parent = [&](std::string_view& t) {
        return take_int(t, e.pid) && take(t, keyed ? " child_comm=" : "  child ") &&
               take_name(t, keyed ? " child_pid=" : ":", e.other_comm, child);
    };
    return take_name(args, raw ? " parent_pid=" : keyed ? " pid=" : ":", e.comm, parent);
}

// "filename=F pid=1 old_pid=1": F is a path of any bytes and any length.
bool parse_exec(std::string_view args, KernelEvent& e) {
    e.type = K::kExec;
    constexpr std::string_view kPid = " pid=";
    if (!args.starts_with("filename=")) return false;
    const std::size_t at = args.rfind(kPid);
    if (at == args.npos) return false;
    args.remove_prefix(at + kPid.size());
    return take_int(args, e.pid);
}

// "comm=A pid=12 prio=120", since 6.13 with " group_dead=true"; "task A:12 [120]" of 2.6.31.
bool parse_exit(std::string_view args, KernelEvent& e) {
    e.type = K::kExit;
    if (take(args, "comm="))
        return take_name(args, " pid=", e.comm, [&](std::string_view& t) {
            return take_int(t, e.pid) && take(t, " prio=") && skip_number(t) &&
                   (t.empty() || t[0] == ' ');
        });
    return take(args, "task ") && take_name(args, ":", e.comm, [&](std::string_view& t) {
               return take_int(t, e.pid) && take_prio(t) && t.empty();
           });
}

// 0x1f or ffff: nothing if it is a symbol ("wait_on_page+0x10/0x20").
std::optional<std::int64_t> hex_of(std::string_view text) {
    take(text, "0x");
    std::uint64_t value = 0;
    if (text.empty() || text.size() > 16) return std::nullopt;
    for (const char c : text) {
        std::uint32_t digit = 0;
        if (c >= '0' && c <= '9') digit = static_cast<std::uint32_t>(c - '0');
        else if (c >= 'a' && c <= 'f') digit = static_cast<std::uint32_t>(c - 'a') + 10;
        else return std::nullopt;
        value = value << 4 | digit;
    }
    return static_cast<std::int64_t>(value);
}

// "pid=12 iowait=1 caller=symbol" (kernels for Android)
bool parse_blocked_reason(std::string_view args, KernelEvent& e) {
    e.type = K::kBlockedReason;
    std::int32_t io_wait = 0;
    if (!take(args, "pid=") || !take_int(args, e.other_pid)) return false;
    if ((take(args, " iowait=") || take(args, " io_wait=")) && !take_int(args, io_wait)) return false;
    e.io_wait = io_wait != 0;
    e.value = take(args, " caller=") ? hex_of(args.substr(0, args.find(' '))).value_or(0) : 0;
    return true;
}

// "KEY=number ..." to value
bool parse_valued(K type, std::string_view args, std::string_view key, KernelEvent& e) {
    e.type = type;
    if (!take(args, key)) return false;
    const auto value = take_number(args);
    e.value = value.value_or(0);
    return value.has_value();
}

// "state=4294967295 cpu_id=1"
bool parse_power(K type, std::string_view args, KernelEvent& e) {
    if (!parse_valued(type, args, "state=", e)) return false;
    if (type == K::kCpuIdle) e.value = static_cast<std::int32_t>(e.value);  // PWR_EVENT_EXIT: (u32)-1
    const std::size_t at = args.find("cpu_id=");
    e.target_cpu = -1;
    if (at == args.npos) return true;
    args.remove_prefix(at + 7);
    return take_int(args, e.target_cpu);
}

// "cpu=1 callsite=... callback=..."; of ipi_raise and ipi_send_cpumask the mask is not needed.
bool parse_ipi(std::string_view args, bool one_cpu, KernelEvent& e) {
    e.type = K::kIpi;
    e.target_cpu = -1;
    return !one_cpu || (take(args, "cpu=") && take_int(args, e.target_cpu));
}

// "NR 1 (2, 7f.., ...)", "NR 1 = 5"
bool parse_raw_syscall(K type, std::string_view args, KernelEvent& e) {
    e.type = type;
    if (!take(args, "NR ")) return false;
    const auto number = take_number(args);
    if (!number) return false;
    e.value = *number;
    if (type == K::kSyscallEnter) return true;
    if (!take(args, " = ")) return false;
    const auto result = take_number(args);
    e.value = result.value_or(0);
    return result.has_value();
}

// "sys_write(fd: 1, ...)", "sys_write -> 0x5" of the kernel; "sys_enter_write: fd: 0x1, ...",
// "sys_exit_write: 0x5" of trace-cmd. The number of the call is not told: -1.
bool parse_named_syscall(std::string_view event, std::string_view args, KernelEvent& e) {
    const bool exits = event.starts_with("sys_exit_") || args.starts_with("->");
    e.type = exits ? K::kSyscallExit : K::kSyscallEnter;
    e.value = exits ? 0 : -1;
    if (!exits) return true;
    take(args, "->");
    while (take(args, " ")) {}
    const auto result = args.starts_with("0x") ? hex_of(args) : take_number(args);
    e.value = result.value_or(0);
    return result.has_value();
}

TextOutcome outcome(bool decoded) {
    return decoded ? TextOutcome::kDecoded : TextOutcome::kDamaged;
}

TextOutcome parse_sched(std::string_view name, std::string_view args, KernelEvent& e) {
    if (name == "switch") return outcome(parse_switch(args, e));
    if (name == "waking") return parse_wakeup(K::kWaking, args, e);
    if (name == "wakeup") return parse_wakeup(K::kWakeup, args, e);
    if (name == "wakeup_new") return parse_wakeup(K::kWakeupNew, args, e);
    if (name == "migrate_task") return outcome(parse_migrate(args, e));
    if (name == "process_fork") return outcome(parse_fork(args, e));
    if (name == "process_exec") return outcome(parse_exec(args, e));
    if (name == "process_exit") return outcome(parse_exit(args, e));
    if (name == "blocked_reason") return outcome(parse_blocked_reason(args, e));
    return TextOutcome::kNotNeeded;
}

}  // namespace

std::optional<std::int64_t> take_number(std::string_view& text) {
    std::int64_t value = 0;
    if (!take_long(text, value)) return std::nullopt;
    return value;
}

TextOutcome parse_event_text(std::string_view event, std::string_view args, KernelEvent& e) {
    if (take(event, "sched_")) return parse_sched(event, args, e);
    if (event == "irq_handler_entry") return outcome(parse_valued(K::kIrqEntry, args, "irq=", e));
    if (event == "irq_handler_exit") return outcome(parse_valued(K::kIrqExit, args, "irq=", e));
    if (event == "softirq_entry") return outcome(parse_valued(K::kSoftirqEntry, args, "vec=", e));
    if (event == "softirq_exit") return outcome(parse_valued(K::kSoftirqExit, args, "vec=", e));
    if (event == "cpu_idle") return outcome(parse_power(K::kCpuIdle, args, e));
    if (event == "cpu_frequency") return outcome(parse_power(K::kFrequency, args, e));
    if (event == "ipi_send_cpu") return outcome(parse_ipi(args, true, e));
    if (event == "ipi_send_cpumask" || event == "ipi_raise") return outcome(parse_ipi(args, false, e));
    if (event == "sys_enter") return outcome(parse_raw_syscall(K::kSyscallEnter, args, e));
    if (event == "sys_exit") return outcome(parse_raw_syscall(K::kSyscallExit, args, e));
    if (event.starts_with("sys_")) return outcome(parse_named_syscall(event, args, e));
    return TextOutcome::kNotNeeded;
}

}  // namespace wakelab::trace
