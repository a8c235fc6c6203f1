// Records of all CPUs in the order in which they stand in a perf.data: in rounds, as perf record
// writes them. A round holds a short time of every CPU, one CPU after the other, so that a reader
// can put the events in order with few of them in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "live/perf_collector.hpp"

namespace wakelab::live {

inline constexpr std::int64_t kRoundNs = 10'000'000;

struct RoundTotals {
    std::uint64_t bytes = 0;  // of everything handed out
    // Tracepoints; without them switches, forks, exits and names.
    std::uint64_t events = 0;
    std::int64_t first_ns = 0, last_ns = 0;
    std::vector<std::uint64_t> told_lost;  // by index of the CPU: what PERF_RECORD_LOST says
};

enum class RoundFiles : std::uint8_t { kKeep, kFree };  // disk space of what has been read

// `put` gets every record, and PERF_RECORD_FINISHED_ROUND behind each round. Error: a temporary
// file cannot be read.
[[nodiscard]] Result<RoundTotals> write_rounds(
    const std::vector<CpuRecords>& cpus, bool has_tracepoints, RoundFiles files,
    const std::function<void(std::span<const std::byte>)>& put);

}  // namespace wakelab::live
