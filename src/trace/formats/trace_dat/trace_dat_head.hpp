// The head of a trace.dat file, version 6 (trace-cmd.dat.v6(5)): everything before the pages of the
// CPUs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace wakelab::trace {

// Numbers of options (trace-cmd's include/private/trace-cmd-private.h), as far as they are written
// here.
enum class DatOption : std::uint16_t {
    kCpuStat = 2,     // text: per_cpu/cpuN/stats, one option per CPU
    kTraceClock = 4,  // empty: the clock follows the table of CPU data
    kUname = 5,       // text
    kOffset = 7,      // text: ns to add to every time
    kVersion = 9,     // text: of the recorder
    kTraceId = 11,    // 8 bytes
    kTsc2Nsec = 14,   // u32 multiplier, u32 shift, u64 offset
};

// Texts are the files of tracefs as they are.
struct TraceDatHead {
    std::uint32_t page_bytes = 4096;
    std::string header_page, header_event;
    std::vector<std::string> ftrace_formats;  // events/ftrace/*/format
    struct System {
        std::string name;
        std::vector<std::string> formats;
    };
    std::vector<System> systems;
    std::string kallsyms, printk_formats;
    std::string cmdlines;  // lines "PID NAME"
    struct Option {
        DatOption id{};
        std::string data;
    };
    std::vector<Option> options;
    std::string clock;  // "[mono]"; empty: not told. Adds the option kTraceClock.
    std::vector<std::uint64_t> cpu_bytes;  // by CPU number, multiples of page_bytes
};

// In the byte order of this machine. Ends where the data of CPU 0 begins; those of the others
// follow without gaps.
[[nodiscard]] std::string trace_dat_head(const TraceDatHead& head);

// The same texts as perf.data has them (feature TRACING_DATA): without options and CPUs.
[[nodiscard]] std::string perf_tracing_data(const TraceDatHead& head);

}  // namespace wakelab::trace
