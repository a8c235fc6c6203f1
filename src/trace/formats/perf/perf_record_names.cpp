#include "trace/formats/perf/perf_record_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace wakelab::trace {

std::string perf_record_name(std::uint32_t type) {
    // include/uapi/linux/perf_event.h; from 64 on tools/lib/perf/include/perf/event.h.
    static constexpr std::array kNames = {
        std::pair{1u, std::string_view("MMAP")},       std::pair{5u, std::string_view("THROTTLE")},
        std::pair{6u, std::string_view("UNTHROTTLE")}, std::pair{8u, std::string_view("READ")},
        std::pair{10u, std::string_view("MMAP2")},     std::pair{11u, std::string_view("AUX")},
        std::pair{12u, std::string_view("ITRACE_START")},
        std::pair{16u, std::string_view("NAMESPACES")}, std::pair{17u, std::string_view("KSYMBOL")},
        std::pair{18u, std::string_view("BPF_EVENT")},  std::pair{19u, std::string_view("CGROUP")},
        std::pair{20u, std::string_view("TEXT_POKE")},
        std::pair{21u, std::string_view("AUX_OUTPUT_HW_ID")},
        std::pair{70u, std::string_view("AUXTRACE_INFO")}, std::pair{71u, std::string_view("AUXTRACE")},
        std::pair{72u, std::string_view("AUXTRACE_ERROR")}, std::pair{75u, std::string_view("STAT_CONFIG")},
        std::pair{76u, std::string_view("STAT")}, std::pair{77u, std::string_view("STAT_ROUND")}};
    const auto at = std::ranges::find(kNames, type, [](const auto& n) { return n.first; });
    if (at == kNames.end()) return fmt::format("perf record type {}", type);
    return fmt::format("PERF_RECORD_{}", at->second);
}

}  // namespace wakelab::trace
