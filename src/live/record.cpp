#include "live/record.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "live/recording.hpp"
#include "live/tracefs_session.hpp"

namespace wakelab::live {

namespace {

std::string size_text(std::uint64_t bytes) {
    const auto b = static_cast<double>(bytes);
    if (bytes >= 10'000'000) return fmt::format("{:.0f} MB", b / 1e6);
    if (bytes >= 100'000) return fmt::format("{:.1f} MB", b / 1e6);
    return fmt::format("{:.1f} kB", b / 1e3);
}

double seconds(std::int64_t ns) {
    return static_cast<double>(ns) / 1e9;
}

std::string losses_text(const RecordReport& r) {
    if (r.lost_events() == 0) return "no event lost\n";
    std::string text = fmt::format("{} events lost", r.lost_events());
    for (std::size_t cpu = 0; cpu < r.lost.size(); ++cpu)
        if (r.lost[cpu] != 0) text += fmt::format(", CPU {}: {}", cpu, r.lost[cpu]);
    return text + "; a larger --buffer loses fewer\n";
}

std::string overhead_text(const RecordReport& r) {
    const double machine_ns = static_cast<double>(r.duration_ns) * std::max(r.cpus, 1u);
    if (machine_ns <= 0) return {};
    std::string text = fmt::format("overhead: recorder {:.3f} s of CPU, {:.2f} % of the machine",
                                   seconds(r.recorder_cpu_ns),
                                   100 * static_cast<double>(r.recorder_cpu_ns) / machine_ns);
    if (r.ns_per_event) {
        const double cost = *r.ns_per_event * static_cast<double>(r.events);
        text += fmt::format("; events {:.3f} s, {:.2f} % ({:.0f} ns each, measured by --calibrate)",
                            cost / 1e9, 100 * cost / machine_ns, *r.ns_per_event);
    } else {
        text += "; what the events themselves cost is measured with --calibrate";
    }
    return text + "\n";
}

}  // namespace

std::uint64_t RecordReport::lost_events() const {
    std::uint64_t n = 0;
    for (const std::uint64_t l : lost) n += l;
    return n;
}

Result<Backend> parse_backend(const std::string& word) {
    if (word == "auto") return Backend::kAuto;
    if (word == "tracefs") return Backend::kTracefs;
    if (word == "perf") return Backend::kPerf;
    return Error{fmt::format("--backend {}: expected auto, tracefs or perf", printable(word))};
}

Result<RecordReport> record(const RecordOptions& options) {
    if (options.duration && options.duration->ns <= 0)
        return Error{"--duration: expected more than 0"};
    if (options.last && options.last->ns <= 0) return Error{"--last: expected more than 0"};
    if (options.backend == Backend::kPerf) return record_perf(options, {});
    if (options.backend == Backend::kTracefs) return record_tracefs(options);
    const auto tracefs = find_tracefs(tracefs_places());
    return tracefs ? record_tracefs(options) : record_perf(options, tracefs.error().message);
}

std::string report_text(const RecordReport& r) {
    std::string text;
    for (const std::string& note : r.notes) text += fmt::format("note: {}\n", note);
    if (!r.problem.empty()) return text;
    text += fmt::format(
        "{}: {} events in {:.3f} s ({:.0f} per second), {}, {:.0f} bytes each\n",
        printable(r.output), r.events, seconds(r.kept_ns),
        r.kept_ns > 0 ? static_cast<double>(r.events) / seconds(r.kept_ns) : 0,
        size_text(r.file_bytes),
        r.events > 0 ? static_cast<double>(r.file_bytes) / static_cast<double>(r.events) : 0);
    if (r.kept_ns < r.duration_ns)
        text += fmt::format("of {:.3f} s recorded the last {:.3f} s were kept\n",
                            seconds(r.duration_ns), seconds(r.kept_ns));
    text += losses_text(r) + overhead_text(r);
    if (!r.has_command) return text + fmt::format("ended by {}\n", r.ended_by);
    if (r.command_still_runs)
        return text + fmt::format("ended by {}; the command (pid {}) is still running\n",
                                  r.ended_by, r.command_pid);
    return text + fmt::format("ended by {}; command: {}\n", r.ended_by, r.command_end);
}

}  // namespace wakelab::live
