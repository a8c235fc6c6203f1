// Backend tracefs: pages of the kernel's ring buffer, as they are, behind a head of trace.dat.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <map>

#include "base/text.hpp"
#include "live/calibration.hpp"
#include "live/event_choice.hpp"
#include "live/event_formats.hpp"
#include "live/host_facts.hpp"
#include "live/page_collector.hpp"
#include "live/recording.hpp"
#include "live/tracefs_session.hpp"
#include "trace/formats/trace_dat/trace_dat_head.hpp"
#include "trace/output_file.hpp"

namespace wakelab::live {

namespace {

std::vector<std::string> ftrace_formats(const TracefsSession& session) {
    std::vector<std::string> formats;
    std::error_code error;
    namespace fs = std::filesystem;
    std::vector<std::string> names;
    for (fs::directory_iterator it(session.root() + "/events/ftrace", error), end;
         !error && it != end; it.increment(error))
        names.push_back(it->path().filename().string());
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) {
        std::string format = session.file("events/ftrace/" + name + "/format");
        if (!format.empty()) formats.push_back(std::move(format));
    }
    return formats;
}

// The kernel's own table holds only the latest few thousand names; those that were there at the
// start or end are known better.
std::string command_lines(const TracefsSession& session, const trace::Environment& environment) {
    std::map<std::int64_t, std::string> names;
    for (const std::string& line : split(session.file("saved_cmdlines"), '\n')) {
        const std::size_t space = line.find(' ');
        if (space == std::string::npos) continue;
        if (const auto pid = parse_int(line.substr(0, space))) names[*pid] = line.substr(space + 1);
    }
    for (const trace::RecordedTask& t : environment.tasks) names[t.pid] = t.name;
    std::string text;
    for (auto& [pid, name] : names) {
        std::replace(name.begin(), name.end(), '\n', '?');
        text += fmt::format("{} {}\n", pid, name);
    }
    return text;
}

trace::TraceDatHead head_of(const TracefsSession& session, const trace::Environment& environment,
                            const std::vector<CpuPages>& cpus) {
    trace::TraceDatHead head;
    head.page_bytes = PageCollector::kPageBytes;
    read_event_formats(session.root(), session.enabled(), head);
    head.ftrace_formats = ftrace_formats(session);
    head.cmdlines = command_lines(session, environment);
    head.clock = session.clock_line();
    head.cpu_bytes.resize(cpus.empty() ? 0 : cpus.back().cpu + 1);
    for (const CpuPages& c : cpus) head.cpu_bytes[c.cpu] = c.bytes;
    using Option = trace::DatOption;
    for (const CpuPages& c : cpus)
        head.options.push_back(
            {Option::kCpuStat,
             fmt::format("CPU: {}\n{}", c.cpu, session.stats_text(c.cpu)) + '\0'});
    head.options.push_back(
        {Option::kUname,
         fmt::format("Linux {} {} {} {}", environment.hostname, environment.kernel_release,
                     environment.kernel_version, environment.architecture) +
             '\0'});
    head.options.push_back({Option::kVersion, environment.recorder + '\0'});
    std::string id(8, '\0');
    std::memcpy(id.data(), &environment.started_unix_ns, 8);
    head.options.push_back({Option::kTraceId, id});
    return head;
}

Status copy_pages(CpuPages& pages, trace::OutputFile& out) {
    std::vector<std::byte> buffer(1u << 20);
    for (std::uint64_t at = 0; at < pages.bytes && !out.failed();) {
        const ssize_t n = ::pread(pages.file.get(), buffer.data(),
                                  std::min<std::uint64_t>(buffer.size(), pages.bytes - at),
                                  static_cast<off_t>(at));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0)
            return Error{fmt::format("temporary file: cannot be read: {}",
                                     std::strerror(n < 0 ? errno : EIO))};
        out.write(std::span(buffer).first(static_cast<std::size_t>(n)));
        at += static_cast<std::uint64_t>(n);
    }
    pages.file.reset();  // its disk space is needed for the next CPU
    return {};
}

Status write_file(const RecordOptions& options, const TracefsSession& session,
                  const trace::Environment& environment, std::vector<CpuPages>& cpus,
                  RecordReport& report) {
    Result<trace::OutputFile> out = trace::OutputFile::create(options.output);
    if (!out) return out.error();
    out->write(trace::trace_dat_head(head_of(session, environment, cpus)));
    for (CpuPages& pages : cpus)
        if (Status copied = copy_pages(pages, *out); !copied) return copied;
    out->write(trace::environment_trailer(environment));
    report.file_bytes = out->position();
    return out->commit();
}

void count(const TracefsSession& session, std::vector<CpuPages>& cpus,
           const std::optional<Duration>& last, std::int64_t end_ns,
           trace::Environment& environment, RecordReport& report) {
    report.lost.resize(cpus.empty() ? 0 : cpus.back().cpu + 1);
    report.kept_ns = report.duration_ns;
    if (last) report.kept_ns = std::min(report.kept_ns, last->ns);
    for (const CpuPages& c : cpus) {
        const CpuStats stats = parse_cpu_stats(session.stats_text(c.cpu));
        report.events += last ? c.counted_events : stats.read;
        report.lost[c.cpu] = stats.dropped + (last ? 0 : stats.overrun);
        // The CPU whose buffer forgot first limits what is known of all.
        if (last && stats.overrun > 0 && c.first_ns >= 0)
            report.kept_ns = std::min(report.kept_ns, end_ns - c.first_ns);
    }
    for (trace::RecordedCpu& c : environment.cpus)
        if (c.cpu < report.lost.size()) c.lost = report.lost[c.cpu];
}

class TracefsSource final : public EventSource {
 public:
    TracefsSource(const RecordOptions& options, TracefsSession& session, PageCollector& collector)
        : options_(options), session_(session), collector_(collector) {}

    void start_readers(trace::Environment& environment) override {
        environment.backend = "tracefs";
        for (const EventName& e : session_.enabled())
            environment.events.push_back(e.system + "/" + e.name);
        if (!options_.last) collector_.start();
        environment.recorder_tids = collector_.thread_ids();
    }
    Status start() override { return session_.start(); }
    [[nodiscard]] int failure_fd() const override { return collector_.failure_fd(); }
    void stop() override { session_.stop(); }
    Status finish(trace::Environment& environment, std::int64_t end_ns,
                  RecordReport& report) override {
        if (Status read = collector_.finish(keep_after(options_, end_ns)); !read) return read;
        count(session_, collector_.cpus(), options_.last, end_ns, environment, report);
        return write_file(options_, session_, environment, collector_.cpus(), report);
    }

 private:
    const RecordOptions& options_;
    TracefsSession& session_;
    PageCollector& collector_;
};

}  // namespace

Result<RecordReport> record_tracefs(const RecordOptions& options) {
    const auto events = choose_events(options.events);
    if (!events) return events.error();
    const Signals signals;
    RecordReport report;
    report.output = options.output;
    report.backend = "tracefs";
    if (options.calibrate) {
        const auto cost = calibrate_event_cost(*events, report.notes);
        if (!cost) return cost.error();
        report.ns_per_event = *cost;
    }
    auto session = TracefsSession::create(report.notes);
    if (!session) return session.error();
    if (Status s = session->set_buffer(buffer_for(options, session->cpus().size())); !s)
        return s.error();
    if (Status s = session->enable(*events, report.notes); !s) return s.error();
    std::vector<Fd> sources;
    for (const std::uint32_t cpu : session->cpus()) {
        Result<Fd> source = session->open_pages(cpu);
        if (!source) return source.error();
        sources.push_back(std::move(*source));
    }
    auto collector =
        PageCollector::create(std::move(sources), session->cpus(), folder_for(options.output));
    if (!collector) return collector.error();
    report.cpus = static_cast<std::uint32_t>(session->cpus().size());
    TracefsSource source(options, *session, **collector);
    return run_recording(options, source, signals, std::move(report));
}

}  // namespace wakelab::live
