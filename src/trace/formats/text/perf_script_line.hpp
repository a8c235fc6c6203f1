// One line of perf script: "comm pid/tid [cpu] seconds: system:event: arguments", with the fields that
// perf script prints of tracepoints by itself or when asked (-F).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace wakelab::trace {

struct PerfScriptLine {
    // As perf knows it, empty if it does not; longer than a kernel name for some kernel threads.
    std::string_view comm;
    std::int32_t tid = 0;
    std::int32_t pid = -1;    // -1: not told
    std::int64_t cpu = -1;    // -1: not told
    std::int64_t ns = 0;
    std::uint8_t fraction_digits = 0;  // 6: microseconds, 9: nanoseconds
    std::string_view system;  // empty: an old perf, or no tracepoint
    std::string_view event;   // of anything but a tracepoint all that stands there: "cpu-clock"
    std::string_view args;
};

// Nothing: the line has not this form. Views point into `line`.
[[nodiscard]] std::optional<PerfScriptLine> parse_perf_script_line(std::string_view line);

}  // namespace wakelab::trace
