#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "trace/formats/trace_dat/trace_dat_file.hpp"

namespace wakelab::trace {

namespace {

constexpr std::uint32_t kMaxFormats = 1u << 20;

// Systems whose events may have a meaning here; of the others name and number suffice.
bool is_of_interest(std::string_view system) {
    static constexpr std::array<std::string_view, 6> kSystems = {"sched", "irq",          "ipi",
                                                                 "power", "raw_syscalls", ""};
    return std::ranges::find(kSystems, system) != kSystems.end();
}

// Only the lines before the fields.
std::string_view name_and_id(std::string_view text) {
    return text.substr(0, text.find("format:"));
}

void read_format(ByteCursor& in, const std::string& system, TraceDatFile& file, TraceQuality& quality) {
    const std::string text = in.bytes(in.u64(), kMaxTextBytes);
    if (!in.ok()) return;
    auto format = parse_event_format(is_of_interest(system) ? std::string_view(text) : name_and_id(text));
    if (!format) {
        ++quality.damaged;
        return;
    }
    format->system = system;
    file.formats.push_back(std::move(*format));
}

}  // namespace

Status read_header_info(ByteCursor& in, TraceDatFile& file) {
    const std::string page_title = in.c_string(32);
    const std::string page = in.bytes(in.u64(), kMaxTextBytes);
    const std::string event_title = in.c_string(32);
    in.skip(in.u64());
    if (!in.ok() || page_title != "header_page" || event_title != "header_event")
        return Error{"expected header_page and header_event"};
    auto layout = parse_ring_buffer_layout(page, file.big_endian);
    if (!layout) return layout.error();
    file.layout = *layout;
    return {};
}

void read_ftrace_formats(ByteCursor& in, TraceDatFile& file, TraceQuality& quality) {
    const std::uint32_t count = in.u32();
    for (std::uint32_t i = 0; i < std::min(count, kMaxFormats) && in.ok(); ++i)
        read_format(in, "ftrace", file, quality);
}

void read_event_formats(ByteCursor& in, TraceDatFile& file, TraceQuality& quality) {
    const std::uint32_t systems = in.u32();
    for (std::uint32_t s = 0; s < systems && in.ok(); ++s) {
        const std::string system = in.c_string(256);
        const std::uint32_t events = in.u32();
        for (std::uint32_t e = 0; e < events && in.ok() && file.formats.size() < kMaxFormats; ++e)
            read_format(in, system, file, quality);
    }
}

void read_cmdlines(ByteCursor& in, TraceDatFile& file) {
    file.cmdlines = in.bytes(in.u64(), kMaxTextBytes);
}

}  // namespace wakelab::trace
