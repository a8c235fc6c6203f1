#include "trace/formats/perf/perf_features.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/text.hpp"
#include "topo/cpu_mask.hpp"
#include "trace/formats/perf/span_cursor.hpp"

namespace wakelab::trace {

namespace {

// "0-3,8" to numbers below kMaxCpus.
std::vector<std::uint32_t> cpu_list(std::string_view text) {
    std::vector<std::uint32_t> cpus;
    for (const std::string& part : split(text, ',')) {
        const std::size_t dash = part.find('-');
        const auto first = parse_int(part.substr(0, dash));
        const auto last = dash == part.npos ? first : parse_int(part.substr(dash + 1));
        if (!first || !last || *first < 0) continue;
        for (std::int64_t c = *first; c <= std::min<std::int64_t>(*last, topo::kMaxCpus - 1); ++c)
            cpus.push_back(static_cast<std::uint32_t>(c));
    }
    return cpus;
}

// Per cache: level, line size, sets, ways, then type, size and CPUs as text. The caches of the highest
// level are the last-level caches.
bool take_caches(SpanCursor& in, PerfFeatures& features) {
    if (in.u32() != 1) return true;  // another version
    const std::uint32_t count = in.u32();
    std::uint32_t highest = 0, number = 0;
    for (std::uint32_t i = 0; i < count && in.ok(); ++i) {
        const std::uint32_t level = in.u32();
        in.take(12);
        in.padded_string();
        in.padded_string();
        const std::string_view cpus = in.padded_string();
        if (!in.ok()) break;
        if (level < highest) continue;
        if (level > highest) {
            features.cache_of.clear();
            number = 0;
        }
        highest = level;
        for (const std::uint32_t cpu : cpu_list(cpus)) {
            if (cpu >= features.cache_of.size()) features.cache_of.resize(cpu + 1);
            features.cache_of[cpu] = number;
        }
        ++number;
    }
    return in.ok();
}

bool take_event_names(SpanCursor& in, PerfFeatures& features) {
    const std::uint32_t events = in.u32();
    const std::uint32_t attr_size = in.u32();
    for (std::uint32_t i = 0; i < events && in.ok(); ++i) {
        in.take(attr_size);
        const std::uint32_t ids = in.u32();
        features.event_names.emplace_back(in.padded_string());
        in.take(std::uint64_t{ids} * 8);
    }
    return in.ok();
}

bool take_command_line(SpanCursor& in, TraceQuality& quality) {
    std::string line;
    const std::uint32_t words = in.u32();
    for (std::uint32_t i = 0; i < words && in.ok() && line.size() < 1000; ++i)
        line += (i == 0 ? "" : " ") + std::string(in.padded_string());
    if (in.ok() && !line.empty()) quality.notes.push_back("Recorded by: " + printable(line));
    return in.ok();
}

}  // namespace

bool take_perf_feature(PerfFeature feature, std::span<const std::byte> bytes, bool swap,
                       PerfFeatures& features, TraceQuality& quality) {
    SpanCursor in(bytes, swap);
    switch (feature) {
        case PerfFeature::kHostname: quality.hostname = in.padded_string(); break;
        case PerfFeature::kOsRelease: quality.kernel = in.padded_string(); break;
        case PerfFeature::kArch: quality.architecture = in.padded_string(); break;
        case PerfFeature::kCpus:
            in.u32();  // that could exist
            features.cpus = in.u32();
            break;
        case PerfFeature::kCommandLine: return take_command_line(in, quality);
        case PerfFeature::kEventDesc: return take_event_names(in, features);
        case PerfFeature::kCache: return take_caches(in, features);
        case PerfFeature::kClockId:
            if (bytes.size() < 8) return false;
            features.clock_resolution_ns = static_cast<std::int64_t>(load_u64(bytes.data(), swap));
            break;
        default: break;
    }
    return in.ok();
}

// clock_gettime(2), include/uapi/linux/time.h.
std::string perf_clock_name(std::int32_t clock_id) {
    switch (clock_id) {
        case 0: return "realtime";
        case 1: return "mono";
        case 4: return "mono_raw";
        case 7: return "boot";
        case 11: return "tai";
        default: return fmt::format("clock {}", clock_id);
    }
}

}  // namespace wakelab::trace
