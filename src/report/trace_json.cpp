#include "report/trace_json.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "diag/waker_groups.hpp"
#include "report/number_text.hpp"
#include "report/trace_text.hpp"

namespace wakelab::report {

namespace {

using metrics::RunMetrics;
using nlohmann::ordered_json;
using trace::kNobody;

constexpr std::array<const char*, metrics::kSleepKinds> kSleepNames = {
    "interruptible_ns", "uninterruptible_ns", "io_ns", "stopped_ns"};
constexpr std::array<const char*, metrics::kDistances> kDistanceNames = {
    "same_core", "same_cache", "other_cache", "other_node", "unknown"};

ordered_json quality_json(const RunMetrics& m, const trace::TraceQuality& q,
                          std::string_view source) {
    ordered_json json = {{"source", printable(source)},
                         {"format", printable(q.format)},
                         {"clock", printable(q.clock)},
                         {"resolution_ns", q.resolution_ns},
                         {"kernel", printable(q.kernel)},
                         {"events", q.total_events()},
                         {"lost_events", q.lost_events},
                         {"gaps", std::max(q.gaps, m.gaps.gaps)},
                         {"waits_across_gaps", m.gaps.waits},
                         {"sleeps_across_gaps", m.gaps.sleeps},
                         {"unknown_share", json_number(unknown_share(m))},
                         {"inferred_migrations", q.inferred_migrations},
                         {"inferred_wakeups", q.inferred_wakeups},
                         {"out_of_order", q.out_of_order},
                         {"contradictions", m.anomalies.total()},
                         {"damaged", q.damaged},
                         {"truncated", q.truncated},
                         {"skipped", ordered_json::object()},
                         {"notes", ordered_json::array()}};
    for (const auto& [name, count] : q.skipped) json["skipped"][printable(name)] = count;
    for (const std::string& note : q.notes) json["notes"].push_back(printable(note));
    return json;
}

ordered_json finding_json(const RunMetrics& m, const diag::Finding& f) {
    ordered_json json = {{"id", f.id},
                         {"title", printable(f.title)},
                         {"symptom", ordered_json::array()},
                         {"confidence", diag::to_string(f.confidence)},
                         {"explains", nullptr},
                         {"evidence", ordered_json::object()},
                         {"cases", ordered_json::array()},
                         {"experiments", ordered_json::array()}};
    for (const std::string& s : f.symptom) json["symptom"].push_back(printable(s));
    if (f.explains) json["explains"] = json_number(*f.explains);
    for (const diag::Evidence& e : f.evidence) json["evidence"][e.name] = json_number(e.value);
    for (const diag::ConcreteCase& c : f.cases) {
        ordered_json one = {{"at_ns", c.at_ns}, {"length_ns", c.length_ns}};
        if (c.task != kNobody) one["task"] = printable(m.task_name(c.task));
        if (c.cpu != kNobody) one["cpu"] = c.cpu;
        one["words"] = printable(c.words);
        json["cases"].push_back(one);
    }
    for (const diag::Experiment& e : f.experiments)
        json["experiments"].push_back(
            {{"arguments", printable(e.arguments())}, {"why", printable(e.why)}});
    return json;
}

ordered_json histogram_json(const metrics::ExactHistogram& h) {
    return {{"count", h.count()},
            {"mean_ns", json_number(h.mean_ns())},
            {"p50_ns", h.quantile_ns(0.5)},
            {"p95_ns", h.quantile_ns(0.95)},
            {"p99_ns", h.quantile_ns(0.99)},
            {"max_ns", h.max_ns()},
            {"exact", h.is_exact()}};
}

template <std::size_t N>
ordered_json counts_json(const std::array<std::uint64_t, N>& counts,
                         const std::array<const char*, N>& names) {
    ordered_json json = ordered_json::object();
    for (std::size_t i = 0; i < N; ++i) json[names[i]] = counts[i];
    return json;
}

ordered_json group_json(const RunMetrics& m, const metrics::TaskMetrics& t, std::uint32_t group) {
    ordered_json json = {{"name", printable(m.groups.name(group))},
                         {"tasks", m.groups.size(group)},
                         {"run_ns", t.run_ns},
                         {"runnable_ns", t.runnable_ns},
                         {"sleep", ordered_json::object()},
                         {"switches", t.switches},
                         {"preemptions", t.preemptions},
                         {"wakeups", t.wakeups},
                         {"forks", t.forks},
                         {"migrations", counts_json(t.migrations, kDistanceNames)},
                         {"wakeup_latency", histogram_json(m.group_metrics[group].wakeup_latency)},
                         {"preemption_delay",
                          histogram_json(m.group_metrics[group].preemption_delay)}};
    for (std::size_t i = 0; i < metrics::kSleepKinds; ++i)
        json["sleep"][kSleepNames[i]] = t.sleep_ns[i];
    return json;
}

ordered_json cpus_json(const RunMetrics& m) {
    ordered_json json = ordered_json::array();
    for (std::uint32_t cpu = 0; cpu < m.cpus.size(); ++cpu) {
        const metrics::CpuMetrics& c = m.cpus[cpu];
        const metrics::QueueLengths& q = m.load.queue(cpu);
        json.push_back({{"busy_ns", c.busy_ns},
                        {"idle_ns", c.idle_ns},
                        {"unknown_ns", c.unknown_ns},
                        {"switches", c.switches},
                        {"queue_max", q.max},
                        {"queue_time_ns", q.time_ns}});
    }
    return json;
}

ordered_json idle_json(const RunMetrics& m) {
    const metrics::IdleWatchTotals& w = m.idle;
    ordered_json json = {{"stuck_time_ns", w.stuck_time_ns},
                         {"lost_cpu_ns", w.lost_cpu_ns},
                         {"excluded_wait_ns", w.excluded_wait_ns},
                         {"excluded_cpu_ns", w.excluded_cpu_ns},
                         {"violations", w.violations},
                         {"violations_by_log2_ns", w.violations_by_length},
                         {"longest", ordered_json::array()}};
    for (const metrics::Violation& v : w.longest) {
        ordered_json one = {{"at_ns", v.from_ns - m.start_ns}, {"length_ns", v.length_ns}};
        if (v.task != kNobody) one["task"] = printable(m.task_name(v.task));
        if (v.idle_cpu != kNobody) one["idle_cpu"] = v.idle_cpu;
        json["longest"].push_back(one);
    }
    return json;
}

ordered_json wait_json(const RunMetrics& m, const metrics::WaitCase& w) {
    ordered_json json = {{"task", printable(m.task_name(w.task))},
                         {"why", w.why == metrics::QueuedBy::kWakeup ? "woken" : "preempted"},
                         {"at_ns", w.from_ns - m.start_ns},
                         {"wait_ns", w.wait_ns},
                         {"cpu", w.cpu},
                         {"ran_cpu", w.ran_cpu},
                         {"woken_by", nullptr},
                         {"ran_instead", ordered_json::array()},
                         {"idle_cpu", nullptr},
                         {"idle_ns", w.idle_ns}};
    if (m.notes.size() > w.task && m.notes[w.task].pid >= 0) json["pid"] = m.notes[w.task].pid;
    if (w.waker != kNobody) json["woken_by"] = printable(m.task_name(w.waker));
    if (w.idle_cpu != kNobody) json["idle_cpu"] = w.idle_cpu;
    for (const metrics::RanInstead& r : w.instead) {
        if (r.ns == 0) continue;
        ordered_json one = {{"task", nullptr}, {"ns", r.ns}};
        if (r.task < m.tasks.size()) one["task"] = printable(m.task_name(r.task));
        json["ran_instead"].push_back(one);
    }
    return json;
}

ordered_json worst_json(const RunMetrics& m, std::size_t rows) {
    ordered_json json = ordered_json::array();
    for (const auto* cases : {&m.worst_wakeups, &m.worst_preemptions})
        for (std::size_t i = 0; i < cases->size() && i < rows; ++i)
            json.push_back(wait_json(m, (*cases)[i]));
    return json;
}

std::string_view role_word(metrics::WakeRole role) {
    static constexpr std::array<std::string_view, 5> kWords = {"none", "1:1", "1:N", "N:1",
                                                               "pipeline"};
    return kWords[static_cast<std::size_t>(role)];
}

ordered_json wakers_json(const metrics::RunSummary& run) {
    ordered_json json = ordered_json::array();
    for (const diag::WakerGroup& g : diag::group_wakers(run))
        json.push_back({{"name", printable(g.name)},
                        {"tasks", g.tasks},
                        {"role", role_word(g.role)},
                        {"wakeups", g.placed.wakeups},
                        {"moved", g.placed.moved},
                        {"onto_waker", g.placed.onto_waker},
                        {"misplaced", g.placed.misplaced},
                        {"stacked", g.placed.stacked},
                        {"other_cache", g.placed.far},
                        {"batch_cuts", g.batch.cut.cuts}});
    return json;
}

}  // namespace

std::string trace_json(const metrics::RunSummary& run, std::span<const diag::Finding> findings,
                       const trace::TraceQuality& quality, std::string_view source) {
    const RunMetrics& m = run.metrics;
    ordered_json json;
    json["quality"] = quality_json(m, quality, source);
    json["duration_ns"] = m.duration_ns();
    json["findings"] = ordered_json::array();
    for (const diag::Finding& f : findings) json["findings"].push_back(finding_json(m, f));
    json["wakeup_latency"] = histogram_json(m.wakeup_latency);
    json["preemption_delay"] = histogram_json(m.preemption_delay);
    json["switches"] = m.switches;
    json["wakeups"] = m.wakeups;
    json["wake_migrations"] = m.wake_migrations;
    json["balance_migrations"] = m.balance_migrations;
    json["migrations"] = counts_json(m.migrations, kDistanceNames);
    json["groups"] = ordered_json::array();
    const std::vector<metrics::TaskMetrics> totals = m.group_totals();
    for (std::uint32_t g = 0; g < totals.size() && g < m.group_metrics.size(); ++g)
        if (totals[g].run_ns + totals[g].runnable_ns > 0)
            json["groups"].push_back(group_json(m, totals[g], g));
    json["cpus"] = cpus_json(m);
    json["idle_while_waiting"] = idle_json(m);
    json["wakers"] = wakers_json(run);
    json["worst"] = worst_json(m, metrics::WaitCases::kKept);
    return json.dump(2) + "\n";
}

std::string top_json(const RunMetrics& m, const trace::TraceQuality& quality,
                     std::string_view source, std::size_t rows) {
    ordered_json json;
    json["quality"] = quality_json(m, quality, source);
    json["worst"] = worst_json(m, rows);
    return json.dump(2) + "\n";
}

std::string timeline_json(const metrics::Timeline& timeline) {
    ordered_json json = {{"from_ns", timeline.from_ns},
                         {"to_ns", timeline.to_ns},
                         {"cut", timeline.cut},
                         {"lanes", ordered_json::array()},
                         {"tasks", ordered_json::array()}};
    for (const auto& lane : timeline.lanes) {
        ordered_json slices = ordered_json::array();
        for (const metrics::TimelineSlice& s : lane) {
            if (!s.known) continue;
            ordered_json task = nullptr;
            if (s.task != kNobody) task = s.task;
            slices.push_back(ordered_json::array({s.from_ns, s.to_ns, task, s.queued}));
        }
        json["lanes"].push_back(std::move(slices));
    }
    for (const std::string& name : timeline.task_names) json["tasks"].push_back(printable(name));
    return json.dump() + "\n";
}

}  // namespace wakelab::report
