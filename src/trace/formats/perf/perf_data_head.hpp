// What a perf.data file has around its records, for files that are written here: the header and
// the attributes before them, the features behind (perf.data-file-format.txt of tools/perf).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/formats/perf/perf_features.hpp"

namespace wakelab::trace {

struct PerfDataHead {
    struct Event {
        std::string attr;  // struct perf_event_attr; of one size in all
        std::vector<std::uint64_t> ids;
        std::string name;  // "sched:sched_switch"
    };
    std::vector<Event> events;     // at least one
    std::uint64_t data_bytes = 0;  // of the records
    // Ascending, without EVENT_DESC, which is made of `events`.
    std::vector<std::pair<PerfFeature, std::string>> features;
};

// In the byte order of this machine. Ends where the records begin, a multiple of 8.
[[nodiscard]] std::string perf_data_head(const PerfDataHead& head);
// What follows the records.
[[nodiscard]] std::string perf_data_tail(const PerfDataHead& head);
// A text as features have it.
[[nodiscard]] std::string perf_string(std::string_view text);

}  // namespace wakelab::trace
