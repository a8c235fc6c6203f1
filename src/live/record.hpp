// `wakelab record`: scheduler events of this machine, with what is known about it, to a file that
// wakelab reads, and trace-cmd, KernelShark and Perfetto (a trace.dat, through tracefs) or perf (a
// perf.data, through perf_event).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"

namespace wakelab::live {

// kAuto: tracefs, or perf_event where tracefs is not there or may not be written to.
enum class Backend : std::uint8_t { kAuto, kTracefs, kPerf };
// Error: another word; lists them.
[[nodiscard]] Result<Backend> parse_backend(const std::string& word);

struct RecordOptions {
    std::string output = "wakelab.dat";  // "-": standard output
    std::vector<std::string> command;    // empty: until a signal or the end of `duration`
    std::optional<Duration> duration;    // ends then; the command is sent SIGTERM
    // Flight recorder: nothing is written while it runs; at its end the events of this last time
    // are kept, as far as the buffer held them.
    std::optional<Duration> last;
    std::vector<std::string> events;  // see choose_events()
    Backend backend = Backend::kAuto;
    std::uint64_t buffer_bytes = 0;  // per CPU; 0: kDefaultBuffer, or by `last`
    bool calibrate = false;          // measures what an event costs first (half a second)
    // perf_event as if there were no formats of tracepoints: context switches only. For tests.
    bool without_tracepoints = false;
    std::string recorder = "wakelab";  // name and version, for the file
    // Called once recording has begun, e.g. to say so; may be empty.
    std::function<void()> begun;
};

inline constexpr std::uint64_t kDefaultBuffer = 4u << 20;

struct RecordReport {
    // Not empty: the command could not be executed, and there is no file. command_status is 127 or
    // 126 then.
    std::string problem;
    std::string output;
    std::string backend;   // "tracefs", "perf"
    std::string ended_by;  // "the command ended", "--duration", "SIGINT"
    bool has_command = false;
    bool command_still_runs = false;  // it ignored the signal
    std::int32_t command_pid = -1;
    std::string command_end;       // "exit 0", "signal 9 (Killed)"
    int command_status = 0;        // as a shell would have it
    std::int64_t duration_ns = 0;  // that was recorded
    std::int64_t kept_ns = 0;      // of it in the file: less with `last`
    std::uint64_t events = 0;
    std::uint64_t file_bytes = 0;
    std::vector<std::uint64_t> lost;  // events, by CPU number
    std::uint32_t cpus = 0;
    std::int64_t recorder_cpu_ns = 0;    // of the recorder's threads while it recorded
    std::optional<double> ns_per_event;  // measured by `calibrate`
    std::vector<std::string> notes;      // a sentence each

    [[nodiscard]] std::uint64_t lost_events() const;
};

// Records. No tracing of it is left on, however it ends. Error: one line that says what is missing
// and what helps; there is no file then, and a file that was there before is unchanged. Takes over
// SIGINT, SIGTERM and SIGHUP meanwhile: each ends the recording and is passed on to the command.
// Not from several threads.
[[nodiscard]] Result<RecordReport> record(const RecordOptions& options);

// The lines to print after it, each ended by a newline.
[[nodiscard]] std::string report_text(const RecordReport& report);

}  // namespace wakelab::live
