// What perf.data tells about the machine and the recording beside its events: the "features" of
// tools/perf/util/header.h. In a file they stand behind the data, in a pipe they are records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "trace/formats/perf/perf_attr.hpp"
#include "trace/quality.hpp"
#include "trace/translator.hpp"

namespace wakelab::trace {

enum class PerfFeature : std::uint32_t {
    kTracingData = 1, kHostname = 3, kOsRelease = 4, kVersion = 5, kArch = 6, kCpus = 7,
    kCommandLine = 11,
    kEventDesc = 12, kCache = 20, kSampleTime = 21, kClockId = 23,
};

struct PerfFeatures {
    std::vector<std::uint32_t> cache_of;  // by CPU; empty: not told
    std::uint32_t cpus = 0;               // online; 0: not told
    std::vector<std::string> event_names; // in the order of the attributes
    std::int64_t clock_resolution_ns = 0; // 0: not told
};

// Takes what is of use; false: damaged. Unknown features are none of ours.
bool take_perf_feature(PerfFeature feature, std::span<const std::byte> bytes, bool swap,
                       PerfFeatures& features, TraceQuality& quality);

// "mono" for CLOCK_MONOTONIC: the names of trace clocks where there is one.
[[nodiscard]] std::string perf_clock_name(std::int32_t clock_id);

}  // namespace wakelab::trace
