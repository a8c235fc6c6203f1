#include "report/html/trace_report.hpp"

#include <fmt/format.h>

#include "base/check.hpp"
#include "report/html/delay_chart.hpp"
#include "report/html/finding_list.hpp"
#include "report/html/html_page.hpp"
#include "report/html/html_text.hpp"
#include "report/html/lane_strips.hpp"
#include "report/html/trace_tables.hpp"
#include "report/html/wake_map.hpp"
#include "report/html/web_assets.hpp"
#include "report/html/worst_waits.hpp"
#include "trace/output_file.hpp"

namespace wakelab::report {

namespace {

using namespace html;  // NOLINT: the parts of this page

constexpr std::string_view kLanesKeys =
    "<noscript><p class=\"hint\">Zoom, arrows and single slices need scripts; busy shares do "
    "not.</p>"
    "</noscript>\n";

std::string lanes_lead(const metrics::Lanes& lanes) {
    std::string text = fmt::format("{} slices and {} wake-ups", count_words(lanes.slices_seen),
                                   count_words(lanes.arrows_seen));
    if (lanes.merged_below_ns > 0)
        text += fmt::format(
            "; slices shorter than {} are merged with their neighbours, {} are drawn",
            time_words(static_cast<double>(lanes.merged_below_ns)), count_words(lanes.slices()));
    if (lanes.arrows_from_ns > 0)
        text += fmt::format("; arrows of wake-ups below {} of latency are left out, {} are drawn",
                            time_words(static_cast<double>(lanes.arrows_from_ns)),
                            count_words(lanes.arrows.size()));
    return text +
           ". A hue is a group of tasks; an arrow goes from the waker to the wakee's CPU and along "
           "its lane "
           "while the wakee waits.";
}

std::string static_lanes(const metrics::Lanes& lanes) {
    const std::vector<std::vector<double>> shares = busy_shares(lanes);
    std::vector<StripRow> rows;
    for (std::size_t cpu = 0; cpu < shares.size(); ++cpu) {
        double mean = 0;
        for (const double s : shares[cpu]) mean += s / static_cast<double>(shares[cpu].size());
        rows.push_back({.name = fmt::format("CPU {}", cpu),
                        .values = shares[cpu],
                        .words = share_words(mean),
                        .label = fmt::format("CPU {} over time, {} busy", cpu, share_words(mean))});
    }
    return strip_list("lanes-static", rows, 1, "busy");
}

void write_lanes(const TraceReportInput& input, const LaneTasks& tasks, const HtmlSink& sink) {
    const metrics::Lanes& lanes = *input.lanes;
    sink(section_begin("timeline", "CPUs over time", lanes_lead(lanes)));
    sink("<div id=\"lanes\"></div>\n");
    sink(static_lanes(lanes));
    sink(kLanesKeys);
    write_lanes_data(lanes, tasks, input.run->metrics.task_names, sink);
    sink(kSectionEnd);
}

// Of RunMetrics, when it keeps cases.
template <class Metrics>
std::string waits_html(const Metrics& m) {
    if constexpr (requires { m.worst_wakeups.size(); }) {
        const auto name_of = [&](std::uint32_t task) { return m.task_name(task); };
        return worst_waits_html("Longest waits of woken tasks",
                                worst_waits(m.worst_wakeups, m.start_ns, trace::kNobody, name_of)) +
               worst_waits_html(
                   "Longest waits of preempted tasks",
                   worst_waits(m.worst_preemptions, m.start_ns, trace::kNobody, name_of));
    } else {
        return {};
    }
}

PageHead head_of(const TraceReportInput& input) {
    const metrics::RunMetrics& m = input.run->metrics;
    PageHead head{.title = input.title, .subtitle = "", .facts = input.facts, .navigation = {}};
    head.facts.emplace_back("time", time_words(static_cast<double>(m.duration_ns())));
    head.facts.emplace_back("CPUs", fmt::format("{}", m.cpus.size()));
    head.facts.emplace_back("tasks", count_words(m.tasks.size()));
    if (input.quality != nullptr) {
        const trace::TraceQuality& q = *input.quality;
        head.facts.emplace_back("events", count_words(q.total_events()));
        if (!q.format.empty()) head.facts.emplace_back("format", q.format);
        if (!q.kernel.empty()) head.facts.emplace_back("kernel", q.kernel);
        if (!q.clock.empty()) head.facts.emplace_back("clock", q.clock);
    }
    return head;
}

std::string section(std::string_view id, std::string_view title, std::string_view lead,
                    std::string_view html) {
    return section_begin(id, title, lead) + std::string(html) + std::string(kSectionEnd);
}

}  // namespace

void write_trace_page(const TraceReportInput& input, const HtmlSink& page_sink) {
    WK_CHECK(input.run != nullptr);
    std::uint64_t size = 0;
    const HtmlSink sink = [&](std::string_view text) {
        size += text.size();
        page_sink(text);
    };
    const metrics::RunMetrics& m = input.run->metrics;
    const bool has_lanes = input.lanes != nullptr && !input.lanes->cpus.empty();
    const std::string delays = delays_html({delay_stats("wake-up latency", m.wakeup_latency),
                                            delay_stats("preemption delay", m.preemption_delay)});
    const std::string load = load_html(input.load.empty() ? load_of(m) : input.load);
    const LaneTasks tasks = has_lanes ? lane_tasks(*input.lanes, m.groups) : LaneTasks{};
    const std::string wakers =
        wake_map_html(wake_links(*input.run), m.seconds(), tasks.group_names);

    PageHead head = head_of(input);
    head.navigation = {{"verdicts", "Verdicts"}, {"numbers", "Numbers"}};
    if (!delays.empty()) head.navigation.emplace_back("delays", "Delays");
    if (has_lanes) head.navigation.emplace_back("timeline", "CPUs over time");
    if (!load.empty()) head.navigation.emplace_back("queues", "Queues");
    if (!wakers.empty()) head.navigation.emplace_back("wakers", "Who wakes whom");
    head.navigation.emplace_back("tables", "Tables");
    if (input.quality != nullptr) head.navigation.emplace_back("recording", "Recording");

    sink(page_begin(head));
    if (input.quality != nullptr) sink(quality_warnings_html(*input.quality, m.anomalies));
    sink(section("verdicts", "Verdicts", "", findings_html(finding_views(input.findings))));
    sink(section("numbers", "Numbers", "", run_numbers_html(m)));
    if (!delays.empty())
        sink(section("delays", "Delays",
                     "Wake-up latency: from the wake-up until the task runs. Preemption delay: "
                     "until a preempted "
                     "task runs again.",
                     delays + waits_html(m)));
    if (has_lanes) write_lanes(input, tasks, sink);
    if (!load.empty()) sink(section("queues", "Queues", "", load));
    if (!wakers.empty()) sink(section("wakers", "Who wakes whom", "", wakers));
    sink(section("tables", "Tables", "",
                 group_table_html(m) + task_table_html(m) + cpu_table_html(m)));
    if (input.quality != nullptr)
        sink(section("recording", "Recording", "", quality_table_html(*input.quality)));
    if (has_lanes) {
        sink("<script>\n");
        sink(kLanesDataJs);
        sink(kLanesJs);
        sink("</script>\n");
    }
    sink(page_end(fmt::format(
        "Made by wakelab. This page is one file of {} and asks the network for nothing.",
        size_words(size))));
}

Status write_trace_report(const TraceReportInput& input, const std::string& path) {
    auto file = trace::OutputFile::create(path);
    if (!file) return file.error();
    write_trace_page(input, [&](std::string_view text) { file->write(text); });
    return file->commit();
}

}  // namespace wakelab::report
