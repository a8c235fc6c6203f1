#include "trace/formats/perf/perf_tracing_data.hpp"

#include <string_view>

#include "trace/formats/perf/span_cursor.hpp"

namespace wakelab::trace {

namespace {

constexpr std::string_view kMagic = "\x17\x08\x44tracing";

void read_formats(SpanCursor& in, std::string_view system, PerfTracingData& data) {
    const std::uint32_t count = in.u32();
    for (std::uint32_t i = 0; i < count && in.ok(); ++i) {
        const std::string_view text = in.text(in.u64());
        if (!in.ok()) return;
        auto format = parse_event_format(text);
        if (!format) {
            ++data.damaged;
            continue;
        }
        format->system = system;
        data.formats.push_back(std::move(*format));
    }
}

}  // namespace

Result<PerfTracingData> parse_perf_tracing_data(std::span<const std::byte> bytes) {
    SpanCursor in(bytes);
    if (in.text(kMagic.size()) != kMagic) return Error{"the event formats do not begin as such"};
    in.c_string();  // version
    PerfTracingData data;
    const auto machine = in.take(2);  // byte order, size of a long
    if (!in.ok()) return Error{"the event formats are cut off"};
    data.big_endian = machine[0] != std::byte{0};
    in.set_swap(needs_swap(data.big_endian));
    in.u32();  // page size
    in.c_string();
    in.take(in.u64());  // header_page: perf keeps no ring-buffer pages
    in.c_string();
    in.take(in.u64());  // header_event
    read_formats(in, "ftrace", data);
    const std::uint32_t systems = in.u32();
    for (std::uint32_t i = 0; i < systems && in.ok(); ++i) {
        const std::string_view system = in.c_string();
        read_formats(in, system, data);
    }
    // Symbols, printk formats and saved command lines follow; nothing here needs them.
    data.truncated = !in.ok();
    return data;
}

}  // namespace wakelab::trace
