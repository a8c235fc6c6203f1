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

// The backends.
[[nodiscard]] Result<RecordReport> record_tracefs(const RecordOptions& options);

}  // namespace wakelab::live
