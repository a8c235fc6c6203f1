// What a trace.dat file says about itself before its events: trace-cmd.dat.v6(5) and .v7(5).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/formats/event_format.hpp"
#include "trace/formats/trace_dat/byte_cursor.hpp"
#include "trace/formats/trace_dat/cpu_stream.hpp"
#include "trace/formats/trace_dat/ring_buffer_page.hpp"
#include "trace/quality.hpp"

namespace wakelab::trace {

// Events of one tracing instance.
struct TraceDatBuffer {
    struct Cpu {
        std::uint32_t cpu = 0;
        std::uint64_t offset = 0, size = 0;  // in the file; unpacked size is not told
    };
    std::string name;  // "": the main one
    std::string clock;
    std::uint32_t page_bytes = 0;  // 0: that of the file
    std::uint64_t offset = 0;      // of its section (v7) or of its CPU table (v6)
    bool compressed = false;
    bool is_text = false;          // of a latency tracer; has no CPUs
    std::vector<Cpu> cpus;

    [[nodiscard]] bool has_data() const {
        for (const Cpu& c : cpus)
            if (c.size != 0) return true;
        return false;
    }
};

struct TraceDatFile {
    int version = 0;  // 6 or 7
    bool big_endian = false;
    std::uint32_t page_bytes = 0;
    std::string compression = "none";  // v7: "zstd", "zlib"
    RingBufferLayout layout;
    std::vector<EventFormat> formats;
    std::string cmdlines;  // lines "PID NAME"
    std::uint32_t cpus = 0;
    std::string clock;
    std::string uname;     // "Linux HOST RELEASE MACHINE"
    ClockScale scale;
    std::vector<TraceDatBuffer> buffers;  // the main one first, if it has events
};

inline constexpr std::string_view kTraceDatMagic = "\x17\x08\x44" "tracing";
inline constexpr std::uint64_t kMaxTextBytes = 64u << 20;  // of names, formats; larger is no real file

// Everything up to the events. Error: not one of versions 6 and 7, cut off within, or nothing to read by.
// What is strange but does not matter goes to `quality`.
[[nodiscard]] Result<TraceDatFile> read_trace_dat_file(const Input& input, TraceQuality& quality);

// --- parts of the above, by file ---

// trace_dat_metadata.cpp: the texts that v6 has in a row and v7 in sections.
Status read_header_info(ByteCursor& in, TraceDatFile& file);
void read_ftrace_formats(ByteCursor& in, TraceDatFile& file, TraceQuality& quality);
void read_event_formats(ByteCursor& in, TraceDatFile& file, TraceQuality& quality);
void read_cmdlines(ByteCursor& in, TraceDatFile& file);

// trace_dat_options.cpp: one option; those that are not known are skipped.
struct TraceDatOption {
    std::uint16_t id = 0;
    std::uint64_t at = 0;    // of its data
    std::uint32_t size = 0;
};
// "local global [mono]" or, of a buffer of version 7, "mono": "mono".
[[nodiscard]] std::string clock_of(const std::string& text);
void read_option(const Input& input, const TraceDatOption& option, TraceDatFile& file,
                 TraceQuality& quality);

// trace_dat_sections.cpp: the options and sections of version 7, from the first options section on.
Status read_sections(const Input& input, std::uint64_t options_at, TraceDatFile& file,
                     TraceQuality& quality);

}  // namespace wakelab::trace
