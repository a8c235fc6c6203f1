// How the records of our perf_event events lie in memory, the same for all of them: what we ask for
// when events are opened, read in their rings and write to the file.
#pragma once

#include <linux/perf_event.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "trace/environment.hpp"

namespace wakelab::live {

// A sample is IDENTIFIER, TID, TIME, CPU, RAW; every other record ends in TID, TIME, CPU,
// IDENTIFIER (sample_id_all).
inline constexpr std::uint64_t kPerfSampleType =
    PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW;
inline constexpr std::size_t kPerfTrailer = 32;
// Header, pid and tid of who comes or goes, trailer: PERF_RECORD_SWITCH_CPU_WIDE.
inline constexpr std::size_t kPerfSwitchBytes = 8 + 8 + kPerfTrailer;

// A record with its header.
struct PerfRecordView {
    std::uint32_t type = 0;
    std::uint16_t misc = 0;
    std::int64_t ns = 0;  // CLOCK_MONOTONIC
    std::span<const std::byte> bytes;

    [[nodiscard]] bool is_switch_out() const {
        return type == PERF_RECORD_SWITCH_CPU_WIDE && (misc & PERF_RECORD_MISC_SWITCH_OUT) != 0;
    }
    // Of PERF_RECORD_LOST; 0 of others.
    [[nodiscard]] std::uint64_t lost() const;
};

// The size of the record that begins here; 0: it cannot be one, or its header is not whole.
[[nodiscard]] std::size_t perf_record_size(std::span<const std::byte> bytes);
// `bytes`: a whole record.
[[nodiscard]] PerfRecordView view_perf_record(std::span<const std::byte> bytes);

// What a task is called, as perf itself says it of tasks that exist when it begins.
[[nodiscard]] std::string perf_comm_record(const trace::RecordedTask& task);
// Losses of which the kernel told nothing any more, because no event came after them.
struct PerfLoss {
    std::uint64_t event_id = 0;
    std::uint64_t count = 0;
    std::int64_t ns = 0;
    std::uint32_t cpu = 0;
};
[[nodiscard]] std::string perf_lost_record(const PerfLoss& loss);

}  // namespace wakelab::live
