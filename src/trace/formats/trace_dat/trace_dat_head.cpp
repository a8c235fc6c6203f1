#include "trace/formats/trace_dat/trace_dat_head.hpp"

#include <bit>
#include <string_view>

#include "base/check.hpp"
#include "trace/formats/byte_builder.hpp"

namespace wakelab::trace {

namespace {

constexpr std::string_view kMagic = "\x17\x08\x44tracing";

void add_formats(ByteBuilder& out, const TraceDatHead& head) {
    out.number(static_cast<std::uint32_t>(head.ftrace_formats.size()));
    for (const std::string& format : head.ftrace_formats) out.sized<std::uint64_t>(format);
    out.number(static_cast<std::uint32_t>(head.systems.size()));
    for (const TraceDatHead::System& system : head.systems) {
        out.terminated(system.name);
        out.number(static_cast<std::uint32_t>(system.formats.size()));
        for (const std::string& format : system.formats) out.sized<std::uint64_t>(format);
    }
}

// What trace.dat begins with and what perf.data keeps of it, under their own versions.
void add_metadata(ByteBuilder& out, const TraceDatHead& head, std::string_view version) {
    out.raw(kMagic);
    out.terminated(version);
    out.number(static_cast<std::uint8_t>(std::endian::native == std::endian::big ? 1 : 0));
    out.number(static_cast<std::uint8_t>(sizeof(long)));
    out.number(head.page_bytes);
    out.terminated("header_page");
    out.sized<std::uint64_t>(head.header_page);
    out.terminated("header_event");
    out.sized<std::uint64_t>(head.header_event);
    add_formats(out, head);
    out.sized<std::uint32_t>(head.kallsyms);
    out.sized<std::uint32_t>(head.printk_formats);
    out.sized<std::uint64_t>(head.cmdlines);
}

void add_options(ByteBuilder& out, const TraceDatHead& head) {
    out.terminated("options  ");
    for (const TraceDatHead::Option& option : head.options) {
        out.number(static_cast<std::uint16_t>(option.id));
        out.sized<std::uint32_t>(option.data);
    }
    if (!head.clock.empty()) {
        out.number(static_cast<std::uint16_t>(DatOption::kTraceClock));
        out.number(std::uint32_t{0});
    }
    out.number(std::uint16_t{0});
}

// Where the data of the CPUs begins depends on the size of this table and of the clock behind it.
void add_cpu_table(ByteBuilder& out, const TraceDatHead& head) {
    out.terminated("flyrecord");
    std::uint64_t offset = out.size() + 16 * head.cpu_bytes.size();
    if (!head.clock.empty()) offset += 8 + head.clock.size();
    offset = (offset + head.page_bytes - 1) / head.page_bytes * head.page_bytes;
    for (const std::uint64_t bytes : head.cpu_bytes) {
        out.number(offset);
        out.number(bytes);
        offset += bytes;
    }
    if (!head.clock.empty()) out.sized<std::uint64_t>(head.clock);
    out.pad_to(head.page_bytes);
}

}  // namespace

std::string trace_dat_head(const TraceDatHead& head) {
    for (const std::uint64_t bytes : head.cpu_bytes) WK_CHECK(bytes % head.page_bytes == 0);
    ByteBuilder out;
    add_metadata(out, head, "6");
    out.number(static_cast<std::uint32_t>(head.cpu_bytes.size()));
    add_options(out, head);
    add_cpu_table(out, head);
    return out.take();
}

std::string perf_tracing_data(const TraceDatHead& head) {
    ByteBuilder out;
    add_metadata(out, head, "0.6");
    return out.take();
}

}  // namespace wakelab::trace
