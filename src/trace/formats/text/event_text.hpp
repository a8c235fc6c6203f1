// The arguments of a kernel event as text, as tracefs, trace-cmd report and perf script print them. Shared by
// the readers of text; the line around it is theirs.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "trace/kernel_event.hpp"

namespace wakelab::trace {

enum class TextOutcome : std::uint8_t {
    kDecoded,
    kNotNeeded,  // an event without meaning here, or one that is not known
    kDamaged,    // a known event whose arguments have no form that is known
};

// `event` is the name without its system ("sched_switch"; also "sys_write", "sys_enter_write",
// "sys_exit_write"), `args` what follows it without spaces at either end ("prev_comm=... next_prio=120";
// of the kernel's own form of a system call "(fd: 1, ...)" or "-> 0x1").
//
// Sets type and what the arguments tell; of an event that tells its current task (sched_switch, fork,
// exit) pid and comm too. ns, cpu, context and, for the other events, pid are the caller's: set before.
// The forms put names (any bytes but NUL, at most 15) before numbers without quoting them; a name is taken
// to end at the last place where the rest has its form, so no name can pass for a number.
[[nodiscard]] TextOutcome parse_event_text(std::string_view event, std::string_view args,
                                           KernelEvent& out);

// --- for the readers of lines ---

// Decimal digits with an optional '-' at the beginning of `text`, which is then advanced behind them.
// Nothing: no digit, or more than 18.
[[nodiscard]] std::optional<std::int64_t> take_number(std::string_view& text);

}  // namespace wakelab::trace
