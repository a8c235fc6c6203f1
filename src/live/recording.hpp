// The parts of a recording that do not depend on where events come from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "live/record.hpp"
#include "live/signals.hpp"
#include "live/traced_command.hpp"
#include "trace/environment.hpp"

namespace wakelab::live {

[[nodiscard]] std::int64_t monotonic_ns();
[[nodiscard]] std::int64_t own_cpu_ns();  // CPU time of this process

struct RecordingEnd {
    enum class Cause : std::uint8_t {
        kCommand,
        kDuration,
        kSignal,
        kFailure
    } cause = Cause::kCommand;
    Signals::Request signal;  // of kSignal
};

// Until the command ends, `duration` is over, a signal comes or `failure_fd` can be read.
[[nodiscard]] RecordingEnd wait_for_end(const Signals& signals, TracedCommand* command,
                                        std::optional<Duration> duration, int failure_fd);
// Tells a command that outlived its recording, and waits a little for it.
void dismiss(const RecordingEnd& end, TracedCommand* command, const Signals& signals);
// Fills what the report says about end and command.
void report_end(const RecordingEnd& end, TracedCommand* command, RecordReport& report);

// The environment as of now, before the first event.
[[nodiscard]] trace::Environment environment_at_start(const RecordOptions& options);
// Where temporary files of this output go: beside it, so that a full disk is met early.
[[nodiscard]] std::string folder_for(const std::string& output);

// Bytes of buffer per CPU: those asked for, or by what is to be kept.
[[nodiscard]] std::uint64_t buffer_for(const RecordOptions& options, std::size_t cpus);

// Of a flight recorder: events before this time are not kept.
[[nodiscard]] std::optional<std::int64_t> keep_after(const RecordOptions& options,
                                                     std::int64_t end_ns);

// Where events come from. The calls come in this order, once each.
class EventSource {
 public:
    virtual ~EventSource() = default;
    // Says what is recorded, and begins to read it. After the last fork.
    virtual void start_readers(trace::Environment& environment) = 0;
    virtual Status start() = 0;
    [[nodiscard]] virtual int failure_fd() const = 0;  // can be read: it cannot go on
    virtual void stop() = 0;
    // Reads the rest and writes the file.
    virtual Status finish(trace::Environment& environment, std::int64_t end_ns,
                          RecordReport& report) = 0;
};

// The recording, after everything that can be refused has been tried. `report` holds what is known
// so far.
[[nodiscard]] Result<RecordReport> run_recording(const RecordOptions& options, EventSource& source,
                                                 const Signals& signals, RecordReport report);

// The backends.
[[nodiscard]] Result<RecordReport> record_tracefs(const RecordOptions& options);
// `tracefs_refused`: why tracefs was not taken; empty: perf_event was asked for.
[[nodiscard]] Result<RecordReport> record_perf(const RecordOptions& options,
                                               const std::string& tracefs_refused);

}  // namespace wakelab::live
