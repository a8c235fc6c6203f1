// Backend perf: records of perf_event, as they are, in a perf.data.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>

#include "live/calibration.hpp"
#include "live/event_formats.hpp"
#include "live/perf_collector.hpp"
#include "live/perf_layout.hpp"
#include "live/perf_plan.hpp"
#include "live/perf_rounds.hpp"
#include "live/recording.hpp"
#include "trace/formats/byte_builder.hpp"
#include "trace/output_file.hpp"

namespace wakelab::live {

namespace {

template <class Int>
std::string numbers(Int first, Int second) {
    trace::ByteBuilder out;
    out.number(first);
    out.number(second);
    return out.take();
}

std::uint64_t clock_resolution_ns() {
    timespec resolution{};
    ::clock_getres(CLOCK_MONOTONIC, &resolution);
    return static_cast<std::uint64_t>(resolution.tv_nsec);
}

trace::PerfDataHead head_of(const PerfPlan& plan, const PerfSession& session,
                            const trace::Environment& environment, const RoundTotals& totals) {
    using Feature = trace::PerfFeature;
    trace::PerfDataHead head;
    head.events = session.events();
    if (!plan.choice.tracepoints.empty()) {
        trace::TraceDatHead formats;
        std::vector<EventName> events;
        for (const PerfTracepoint& t : plan.choice.tracepoints) events.push_back(t.event);
        read_event_formats(plan.tracefs, events, formats);
        head.features.emplace_back(Feature::kTracingData, trace::perf_tracing_data(formats));
    }
    const auto possible = static_cast<std::uint32_t>(::sysconf(_SC_NPROCESSORS_CONF));
    const auto online = static_cast<std::uint32_t>(plan.cpus.size());
    head.features.emplace_back(Feature::kHostname, trace::perf_string(environment.hostname));
    head.features.emplace_back(Feature::kOsRelease, trace::perf_string(environment.kernel_release));
    head.features.emplace_back(Feature::kVersion, trace::perf_string(environment.recorder));
    head.features.emplace_back(Feature::kArch, trace::perf_string(environment.architecture));
    head.features.emplace_back(Feature::kCpus, numbers(possible, online));
    head.features.emplace_back(Feature::kSampleTime, numbers(totals.first_ns, totals.last_ns));
    trace::ByteBuilder resolution;
    resolution.number(clock_resolution_ns());
    head.features.emplace_back(Feature::kClockId, resolution.take());
    return head;
}

class PerfSource final : public EventSource {
 public:
    PerfSource(const RecordOptions& options, const PerfPlan& plan, PerfSession& session,
               PerfCollector& collector)
        : options_(options), plan_(plan), session_(session), collector_(collector) {}

    void start_readers(trace::Environment& environment) override {
        environment.backend = "perf";
        for (const PerfTracepoint& t : plan_.choice.tracepoints)
            environment.events.push_back(t.event.system + "/" + t.event.name);
        if (!has_tracepoints()) environment.events.emplace_back("perf/context_switch");
        if (!options_.last) collector_.start();
        environment.recorder_tids = collector_.thread_ids();
    }
    Status start() override {
        session_.start();
        return {};
    }
    [[nodiscard]] int failure_fd() const override { return collector_.failure_fd(); }
    void stop() override { session_.stop(); }
    Status finish(trace::Environment& environment, std::int64_t end_ns,
                  RecordReport& report) override {
        if (Status read = collector_.finish(keep_after(options_, end_ns)); !read) return read;
        const auto totals =
            write_rounds(collector_.cpus(), has_tracepoints(), RoundFiles::kKeep, [](auto) {});
        if (!totals) return totals.error();
        const std::string losses = count(*totals, end_ns, environment, report);
        return write_file(environment, *totals, losses, report);
    }

 private:
    [[nodiscard]] bool has_tracepoints() const { return !plan_.choice.tracepoints.empty(); }

    // Records of the losses that no later event tells.
    std::string count(const RoundTotals& totals, std::int64_t end_ns,
                      trace::Environment& environment, RecordReport& report) const {
        report.events = totals.events;
        report.kept_ns = report.duration_ns;
        if (options_.last) report.kept_ns = std::min(report.kept_ns, options_.last->ns);
        report.lost.resize(plan_.cpus.back() + 1);
        std::string losses;
        for (std::size_t i = 0; i < session_.cpus().size(); ++i) {
            const PerfSession::Cpu& cpu = session_.cpus()[i];
            const std::uint64_t told = totals.told_lost[i];
            const std::uint64_t lost = std::max(told, session_.counters(cpu).lost);
            if (lost > told)
                losses += perf_lost_record({.event_id = cpu.leader_id,
                                            .count = lost - told,
                                            .ns = end_ns,
                                            .cpu = cpu.number});
            report.lost[cpu.number] = lost;
            // The CPU whose ring forgot first limits what is known of all.
            const std::int64_t forgot_ns = collector_.cpus()[i].forgot_before_ns;
            if (forgot_ns >= 0) report.kept_ns = std::min(report.kept_ns, end_ns - forgot_ns);
        }
        for (trace::RecordedCpu& c : environment.cpus)
            if (c.cpu < report.lost.size()) c.lost = report.lost[c.cpu];
        return losses;
    }

    Status write_file(const trace::Environment& environment, const RoundTotals& totals,
                      const std::string& losses, RecordReport& report) const {
        std::string names;
        for (const trace::RecordedTask& t : environment.tasks)
            if (t.at_start || options_.last) names += perf_comm_record(t);
        trace::PerfDataHead head = head_of(plan_, session_, environment, totals);
        head.data_bytes = names.size() + totals.bytes + losses.size();
        Result<trace::OutputFile> out = trace::OutputFile::create(options_.output);
        if (!out) return out.error();
        out->write(trace::perf_data_head(head));
        out->write(names);
        const auto written =
            write_rounds(collector_.cpus(), has_tracepoints(), RoundFiles::kFree,
                         [&](std::span<const std::byte> record) { out->write(record); });
        if (!written) return written.error();
        out->write(losses);
        out->write(trace::perf_data_tail(head));
        out->write(trace::environment_trailer(environment));
        report.file_bytes = out->position();
        return out->commit();
    }

    const RecordOptions& options_;
    const PerfPlan& plan_;
    PerfSession& session_;
    PerfCollector& collector_;
};

}  // namespace

Result<RecordReport> record_perf(const RecordOptions& options, const std::string& tracefs_refused) {
    const Signals signals;
    RecordReport report;
    report.output = options.output;
    report.backend = "perf";
    const auto plan = plan_perf(options, tracefs_refused, report.notes);
    if (!plan) return plan.error();
    if (std::string note = perf_note(*plan, tracefs_refused); !note.empty())
        report.notes.push_back(std::move(note));
    if (options.calibrate) {
        const auto cost = calibrate_perf_event_cost(plan->cpus, plan->choice);
        if (!cost) return cost.error();
        report.ns_per_event = *cost;
    }
    auto session = PerfSession::open(plan->cpus, plan->choice);
    if (!session) return session.error();
    const std::uint64_t wanted = buffer_for(options, session->cpus().size());
    if (Status s = session->map_rings(wanted, options.buffer_bytes == 0); !s) return s.error();
    if (session->ring_bytes() < wanted)
        report.notes.push_back(
            fmt::format("the buffer of each CPU is {} KiB instead of {}: no more may be locked in "
                        "memory",
                        session->ring_bytes() >> 10, wanted >> 10));
    auto collector = PerfCollector::create(*session, folder_for(options.output));
    if (!collector) return collector.error();
    report.cpus = static_cast<std::uint32_t>(session->cpus().size());
    PerfSource source(options, *plan, *session, **collector);
    return run_recording(options, source, signals, std::move(report));
}

}  // namespace wakelab::live
