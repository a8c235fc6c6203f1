#include "live/recording.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "live/host_facts.hpp"

namespace wakelab::live {

namespace {

constexpr std::int64_t kGraceNs = 5'000'000'000;  // for a command that was told to end

std::int64_t clock_ns(clockid_t clock) {
    timespec now{};
    ::clock_gettime(clock, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

int milliseconds_until(std::int64_t deadline_ns) {
    const std::int64_t left = deadline_ns - monotonic_ns();
    if (left <= 0) return 0;
    return static_cast<int>(std::min<std::int64_t>((left + 999'999) / 1'000'000, 3'600'000));
}

// A busy CPU records some 4 MB a second.
constexpr std::uint64_t kFlightBytesPerSecond = 8u << 20;

std::uint64_t memory_bytes() {
    const long pages = ::sysconf(_SC_PHYS_PAGES), bytes = ::sysconf(_SC_PAGESIZE);
    return pages > 0 && bytes > 0
               ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(bytes)
               : std::uint64_t{1} << 30;
}

}  // namespace

std::int64_t monotonic_ns() {
    return clock_ns(CLOCK_MONOTONIC);
}

std::int64_t own_cpu_ns() {
    return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

RecordingEnd wait_for_end(const Signals& signals, TracedCommand* command,
                          std::optional<Duration> duration, int failure_fd) {
    const std::int64_t deadline = duration ? monotonic_ns() + duration->ns : 0;
    std::array<pollfd, 2> wait{pollfd{signals.fd(), POLLIN, 0}, pollfd{failure_fd, POLLIN, 0}};
    for (;;) {
        if (const auto request = signals.next()) return {RecordingEnd::Cause::kSignal, *request};
        if (command != nullptr && command->ended()) return {RecordingEnd::Cause::kCommand, {}};
        if (wait[1].revents != 0) return {RecordingEnd::Cause::kFailure, {}};
        if (duration && monotonic_ns() >= deadline) return {RecordingEnd::Cause::kDuration, {}};
        ::poll(wait.data(), wait.size(), duration ? milliseconds_until(deadline) : -1);
    }
}

void dismiss(const RecordingEnd& end, TracedCommand* command, const Signals& signals) {
    if (command == nullptr || command->ended()) return;
    const bool has_signal = end.cause == RecordingEnd::Cause::kSignal;
    if (!has_signal)
        command->signal(SIGTERM);
    else if (!end.signal.from_terminal)
        command->signal(end.signal.number);
    const std::int64_t deadline = monotonic_ns() + kGraceNs;
    pollfd wait{signals.fd(), POLLIN, 0};
    while (!command->ended() && monotonic_ns() < deadline) {
        ::poll(&wait, 1, milliseconds_until(deadline));
        if (signals.next()) return;  // a second Ctrl-C: do not wait
    }
}

void report_end(const RecordingEnd& end, TracedCommand* command, RecordReport& report) {
    switch (end.cause) {
        case RecordingEnd::Cause::kCommand:
            report.ended_by = "the command ended";
            break;
        case RecordingEnd::Cause::kDuration:
            report.ended_by = "--duration";
            break;
        case RecordingEnd::Cause::kSignal:
            report.ended_by = fmt::format("SIG{}", ::sigabbrev_np(end.signal.number));
            break;
        case RecordingEnd::Cause::kFailure:
            report.ended_by = "a failure";
            break;
    }
    if (command == nullptr) return;
    report.has_command = true;
    report.command_pid = command->pid();
    report.command_still_runs = !command->ended();
    if (report.command_still_runs) {
        report.command_end = "still running";
        return;
    }
    report.command_end = wait_status_text(command->wait_status());
    report.command_status = shell_status(command->wait_status());
}

trace::Environment environment_at_start(const RecordOptions& options) {
    trace::Environment e;
    e.recorder = options.recorder;
    e.command = options.command;
    describe_kernel(e);
    e.cpus = list_cpus();
    e.tasks = list_tasks();
    e.started_unix_ns = clock_ns(CLOCK_REALTIME);
    e.started_ns = monotonic_ns();
    return e;
}

std::optional<std::int64_t> keep_after(const RecordOptions& options, std::int64_t end_ns) {
    if (!options.last) return std::nullopt;
    return end_ns - options.last->ns;
}

std::uint64_t buffer_for(const RecordOptions& options, std::size_t cpus) {
    if (options.buffer_bytes != 0) return options.buffer_bytes;
    if (!options.last) return kDefaultBuffer;
    const auto milliseconds =
        static_cast<std::uint64_t>(std::max<std::int64_t>(options.last->ns, 0) / 1'000'000);
    const std::uint64_t wanted =
        std::min<std::uint64_t>(milliseconds, 3'600'000) * kFlightBytesPerSecond / 1000;
    return std::clamp<std::uint64_t>(
        wanted, kDefaultBuffer, std::max<std::uint64_t>(kDefaultBuffer, memory_bytes() / 8 / cpus));
}

namespace {

// From the start to the file.
Status run(const RecordOptions& options, EventSource& source, TracedCommand* command,
           const Signals& signals, RecordReport& report) {
    trace::Environment environment = environment_at_start(options);
    environment.clock = "mono";
    source.start_readers(environment);
    environment.recorder_tids.push_back(::gettid());
    if (command != nullptr) environment.command_pid = command->pid();
    const std::int64_t cpu_before = own_cpu_ns();
    environment.started_ns = monotonic_ns();
    if (Status started = source.start(); !started) return started;
    if (command != nullptr) {
        const Status released = command->release();
        if (!released) {
            report.problem = released.error().message;
            return {};
        }
    }
    if (options.begun) options.begun();
    const RecordingEnd end = wait_for_end(signals, command, options.duration, source.failure_fd());
    source.stop();
    const std::int64_t end_ns = monotonic_ns();
    report.recorder_cpu_ns = own_cpu_ns() - cpu_before;
    report.duration_ns = environment.duration_ns = end_ns - environment.started_ns;
    environment.tasks = merge_tasks(std::move(environment.tasks), list_tasks());
    if (command != nullptr)
        environment.command_end =
            command->ended() ? wait_status_text(command->wait_status()) : "still running";
    const Status written = source.finish(environment, end_ns, report);
    dismiss(end, command, signals);
    report_end(end, command, report);
    return written;
}

}  // namespace

Result<RecordReport> run_recording(const RecordOptions& options, EventSource& source,
                                   const Signals& signals, RecordReport report) {
    std::optional<TracedCommand> command;
    if (!options.command.empty()) {
        auto held = TracedCommand::hold(options.command, signals);
        if (!held) return held.error();
        command.emplace(std::move(*held));
    }
    const Status done = run(options, source, command ? &*command : nullptr, signals, report);
    if (!done) return done.error();
    if (!report.problem.empty()) {
        report.has_command = true;
        report.command_status = shell_status(command->wait_status());
    }
    return report;
}

std::string folder_for(const std::string& output) {
    std::error_code error;
    const auto status = std::filesystem::status(output, error);
    const bool beside = output != "-" && (!std::filesystem::exists(status) ||
                                          std::filesystem::is_regular_file(status));
    if (beside) {
        const std::string parent = std::filesystem::path(output).parent_path().string();
        return parent.empty() ? "." : parent;
    }
    const char* temporary = std::getenv("TMPDIR");
    return temporary != nullptr && *temporary != 0 ? temporary : "/tmp";
}

}  // namespace wakelab::live
