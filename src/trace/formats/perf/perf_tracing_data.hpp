// The event formats inside perf.data: the "tracing data" that perf copies from tracefs, in the layout of
// the header of trace.dat version 6 (trace-cmd.dat.v6(5)).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "trace/formats/event_format.hpp"

namespace wakelab::trace {

struct PerfTracingData {
    bool big_endian = false;  // of the traced machine
    std::vector<EventFormat> formats;
    std::uint64_t damaged = 0;  // formats that could not be read
    bool truncated = false;
};

// Error: not tracing data.
[[nodiscard]] Result<PerfTracingData> parse_perf_tracing_data(std::span<const std::byte> bytes);

}  // namespace wakelab::trace
