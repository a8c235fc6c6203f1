// One line of ftrace text: "  comm-pid   (tgid) [cpu] flags  seconds: event: arguments", as tracefs (trace,
// trace_pipe), trace-cmd report and systrace write it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace wakelab::trace {

struct FtraceLine {
    std::string_view comm;  // of the cache of names, may be stale; empty if not known ("<...>")
    std::string_view event;  // empty: text without an event (function tracer)
    std::string_view args;
    std::int64_t ns = 0;     // or counts of another clock, if fraction_digits is 0
    std::uint32_t cpu = 0;
    std::int32_t pid = 0;
    std::int32_t tgid = -1;  // -1: not told
    std::uint8_t context = 0;  // Context bits
    std::uint8_t fraction_digits = 0;  // 6: microseconds, 9: nanoseconds
};

// Nothing: the line has not this form. Views point into `line`.
[[nodiscard]] std::optional<FtraceLine> parse_ftrace_line(std::string_view line);

}  // namespace wakelab::trace
