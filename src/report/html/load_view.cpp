#include "report/html/load_view.hpp"

#include <fmt/format.h>

#include <numeric>

#include "report/html/html_page.hpp"
#include "report/html/html_text.hpp"
#include "report/html/lane_strips.hpp"
#include "report/html/xy_chart.hpp"

namespace wakelab::report::html {

namespace {

double mean(const std::vector<double>& values) {
    return values.empty() ? 0
                          : std::accumulate(values.begin(), values.end(), 0.0) /
                                static_cast<double>(values.size());
}

XySeries steps_of(std::string name, const std::vector<double>& values, std::int64_t bucket_ns,
                  std::size_t colour) {
    XySeries s{.name = std::move(name), .points = {}, .colour = colour};
    for (std::size_t b = 0; b < values.size(); ++b)
        s.points.push_back(
            {.x = (static_cast<double>(b) + 0.5) * static_cast<double>(bucket_ns), .y = values[b]});
    return s;
}

}  // namespace

std::string load_html(const LoadOverTime& load) {
    if (load.empty()) return {};
    std::vector<double> both(load.waiting.size());
    for (std::size_t b = 0; b < both.size(); ++b) both[b] = std::min(load.waiting[b], load.idle[b]);
    XyChart chart{.label = "Waiting tasks and idle CPUs over time",
                  .x_title = "time",
                  .y_title = "tasks, CPUs",
                  .series = {steps_of("tasks that wait", load.waiting, load.bucket_ns, 1),
                             steps_of("idle CPUs", load.idle, load.bucket_ns, 0),
                             steps_of("both at once", both, load.bucket_ns, 6)},
                  .x_ticks = {},
                  .x_words = time_words,
                  .height = 260};
    chart.series[2].dashed = true;
    std::string html =
        figure(xy_chart_svg(chart),
               "Means over equal parts of the run. Where both are above zero at once, CPUs idle "
               "although there is work (affinity may forbid some of it).");
    double most = 1;
    for (const std::vector<double>& cpu : load.queued)
        for (const double q : cpu) most = std::max(most, q);
    std::vector<StripRow> rows;
    for (std::size_t cpu = 0; cpu < load.queued.size(); ++cpu) {
        const double m = mean(load.queued[cpu]);
        rows.push_back({.name = fmt::format("CPU {}", cpu),
                        .values = load.queued[cpu],
                        .words = fmt::format("<span data-v=\"{}\">{}</span>, ≤ {}", m,
                                             number_words(m, 2), load.queued_max[cpu]),
                        .label = fmt::format("Queue of CPU {}: {} tasks on average, {} at most",
                                             cpu, number_words(m, 2), load.queued_max[cpu])});
    }
    html += fmt::format(
        "<h3>Queue of every CPU</h3>\n<p class=\"lead\">Waiting tasks, the running one not "
        "counted; full height: {}. Right: mean and most.</p>\n",
        number_words(most, 2));
    return html + strip_list("", rows, most, "queue");
}

}  // namespace wakelab::report::html
