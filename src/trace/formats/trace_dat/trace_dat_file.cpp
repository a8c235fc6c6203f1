#include "trace/formats/trace_dat/trace_dat_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace wakelab::trace {

namespace {

constexpr std::uint16_t kOptionDone = 0;
constexpr std::uint16_t kOptionTraceClock = 4;
constexpr std::uint64_t kMaxClockBytes = 4096;

Error cut_off(const Input& input, const char* where) {
    return Error{fmt::format("{}: ends within {}; nothing can be read", input.name(), where)};
}

// Version 6: CPU offsets and sizes, `file.cpus` of them.
Status read_cpu_table(ByteCursor& in, const TraceDatFile& file, TraceDatBuffer& buffer) {
    if (file.cpus > in.left() / 16) return Error{"ends within the table of CPUs"};
    for (std::uint32_t cpu = 0; cpu < std::min(file.cpus, topo::kMaxCpus); ++cpu) {
        TraceDatBuffer::Cpu entry{.cpu = cpu};
        entry.offset = in.u64();
        entry.size = in.u64();
        buffer.cpus.push_back(entry);
    }
    return {};
}

// Version 6, from the word behind the CPU count on: "options", then "flyrecord" or "latency".
Status read_rest(ByteCursor& in, const Input& input, TraceDatFile& file, TraceDatBuffer& buffer,
                 TraceQuality& quality) {
    std::string kind = in.bytes(10, 10);
    bool clock_follows = false;  // an option without data announces it
    if (kind.starts_with("options")) {
        while (in.ok()) {
            TraceDatOption option{.id = in.u16()};
            if (option.id == kOptionDone) break;
            option.size = in.u32();
            option.at = in.position();
            in.skip(option.size);
            if (in.ok()) read_option(input, option, file, quality);
            clock_follows = clock_follows || (option.id == kOptionTraceClock && option.size == 0);
        }
        kind = in.bytes(10, 10);
    }
    if (!in.ok()) return Error{"ends within the options"};
    if (kind.starts_with("latency")) {
        buffer.is_text = true;
        return {};
    }
    if (!kind.starts_with("flyrecord")) return Error{"expected \"flyrecord\" or \"latency\""};
    if (Status s = read_cpu_table(in, file, buffer); !s) return s;
    if (clock_follows) {
        const std::uint64_t bytes = in.u64();
        if (bytes <= kMaxClockBytes) file.clock = clock_of(in.bytes(bytes, kMaxClockBytes));
    }
    return {};
}

// Tables of the instances that options of version 6 told of.
void read_instances(const Input& input, TraceDatFile& file, TraceQuality& quality) {
    for (TraceDatBuffer& buffer : file.buffers) {
        if (buffer.name.empty() || !buffer.cpus.empty()) continue;
        ByteCursor in(input, file.big_endian, buffer.offset);
        TraceDatFile ignored;  // options of an instance say nothing of the file
        ignored.version = file.version;
        ignored.big_endian = file.big_endian;
        ignored.cpus = file.cpus;
        TraceQuality unused;
        if (!read_rest(in, input, ignored, buffer, unused)) ++quality.damaged;
    }
}

Status read_version_6(ByteCursor& in, const Input& input, TraceDatFile& file, TraceQuality& quality) {
    if (Status s = read_header_info(in, file); !s)
        return Error{fmt::format("{}: {}", input.name(), s.error().message)};
    read_ftrace_formats(in, file, quality);
    read_event_formats(in, file, quality);
    in.skip(in.u32());  // kallsyms
    in.skip(in.u32());  // printk formats
    read_cmdlines(in, file);
    file.cpus = in.u32();
    if (!in.ok()) return cut_off(input, "its header");
    TraceDatBuffer main;
    if (Status s = read_rest(in, input, file, main, quality); !s)
        return Error{fmt::format("{}: {}", input.name(), s.error().message)};
    read_instances(input, file, quality);
    file.buffers.insert(file.buffers.begin(), std::move(main));
    return {};
}

}  // namespace

Result<TraceDatFile> read_trace_dat_file(const Input& input, TraceQuality& quality) {
    TraceDatFile file;
    ByteCursor in(input, false, kTraceDatMagic.size());
    const std::string version = in.c_string(16);
    file.version = version == "6" ? 6 : version == "7" ? 7 : 0;
    file.big_endian = in.u8() == 1;
    in.set_big_endian(file.big_endian);
    in.skip(1);  // sizeof(long) of the recording program; local_t of the kernel is in header_page
    file.page_bytes = in.u32();
    if (!in.ok()) return cut_off(input, "its first bytes");
    if (file.version == 0)
        return Error{fmt::format("{}: trace.dat of version \"{}\"; versions 6 and 7 can be read",
                                 input.name(), printable(version))};
    Status status;
    if (file.version == 6) {
        status = read_version_6(in, input, file, quality);
    } else {
        file.compression = in.c_string(64);
        in.c_string(64);  // version of the compressor
        const std::uint64_t options_at = in.u64();
        if (!in.ok()) return cut_off(input, "its first bytes");
        status = read_sections(input, options_at, file, quality);
    }
    if (!status) return status.error();
    return file;
}

}  // namespace wakelab::trace
