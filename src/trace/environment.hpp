// What a recording knows of the machine beside its events: tasks as they were at its start and end,
// CPUs, kernel, settings, the command. `wakelab record` appends it to the file it writes, behind
// everything that other programs look at, so that trace-cmd and perf read the file as ever:
//
//   JSON text | its length in bytes (8, little-endian) | "WKENV001"
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "topo/cpu_mask.hpp"
#include "trace/input.hpp"
#include "trace/translator.hpp"

namespace wakelab::trace {

struct RecordedTask {
    std::int32_t pid = -1;
    std::int32_t tgid = -1;
    std::string name;         // bytes, at most 15
    std::string allowed;      // list of CPUs, "0-3,8"; empty: not known
    std::int32_t policy = 0;  // SCHED_NORMAL = 0, FIFO 1, RR 2, BATCH 3, IDLE 5, DEADLINE 6
    std::int32_t nice = 0;
    std::int32_t rt_priority = 0;
    bool at_start = false;
    bool at_end = false;
    bool operator==(const RecordedTask&) const = default;
};

// Places are named by the lowest CPU that shares them; -1: the machine does not tell.
struct RecordedCpu {
    std::uint32_t cpu = 0;
    std::int32_t cache = -1;  // last-level cache
    std::int32_t core = -1;   // SMT siblings
    std::int32_t node = -1;   // number of the memory node
    std::int32_t package = -1;
    std::string governor;    // of cpufreq
    std::uint64_t lost = 0;  // events that were overwritten before they were read
    bool operator==(const RecordedCpu&) const = default;
};

struct Environment {
    std::string recorder;  // "wakelab 0.1.0"
    std::string backend;   // "tracefs", "perf"
    std::vector<std::string> command;
    std::int32_t command_pid = -1;
    std::string command_end;           // "exit 0", "signal 9", "still running"
    std::int64_t started_unix_ns = 0;  // wall time
    std::int64_t started_ns = 0;       // the same moment in the clock of the events
    std::int64_t duration_ns = 0;
    std::string clock;
    std::string kernel_release, kernel_version, kernel_cmdline, hostname, architecture;
    std::vector<std::pair<std::string, std::string>> settings;  // "CONFIG_HZ": "250"
    std::vector<std::pair<std::string, std::string>>
        unreadable;                           // setting: why it could not be read
    std::vector<std::string> events;          // "sched/sched_switch"
    std::vector<std::int32_t> recorder_tids;  // threads of the recorder: not part of the load
    std::vector<RecordedCpu> cpus;            // ascending
    std::vector<RecordedTask> tasks;          // ascending pid
    bool operator==(const Environment&) const = default;
};

// JSON; bytes of names that are not printable UTF-8 are escaped as by printable() and come back.
[[nodiscard]] std::string to_json(const Environment& environment);
// Unknown members are ignored, missing ones keep their defaults. Error: no JSON object, or a member
// of another type than expected; says which.
[[nodiscard]] Result<Environment> parse_environment(std::string_view json);

// What to append to a trace file.
[[nodiscard]] std::string environment_trailer(const Environment& environment);
// Of a file that ends in a trailer; nothing if it does not. `input` must be seekable; where it
// stands does not change. Error: there is one, and it is damaged.
[[nodiscard]] Result<std::optional<Environment>> read_environment(const Input& input);

// Hands CPUs, caches, names and facts to a translator. Before the first event.
void describe_environment(const Environment& environment, Translator& translator);

// "0-3,8" as the kernel writes it; nothing if it is not one. CPUs beyond topo::kMaxCpus are left
// out.
[[nodiscard]] std::optional<topo::CpuMask> parse_kernel_cpu_list(std::string_view list);
// The other way.
[[nodiscard]] std::string kernel_cpu_list(const topo::CpuMask& mask);

}  // namespace wakelab::trace
