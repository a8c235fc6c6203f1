#include "report/html/trace_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "report/html/html_page.hpp"
#include "report/html/html_text.hpp"
#include "report/html/key_numbers.hpp"

namespace wakelab::report::html {

namespace {

constexpr std::size_t kTasksShown = 100;
constexpr std::size_t kGroupsShown = 40;
constexpr std::size_t kSkippedShown = 20;

using metrics::RunMetrics;
using metrics::TaskMetrics;

Cell count_cell(std::uint64_t n) {
    return number_cell(static_cast<double>(n), count_words(n));
}

double per(std::int64_t part, std::int64_t whole) {
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

std::vector<Cell> task_row(Cell name, const TaskMetrics& t, std::int64_t duration_ns) {
    const double mean =
        t.latencies > 0 ? per(t.latency_sum_ns, static_cast<std::int64_t>(t.latencies)) : 0;
    return {std::move(name),
            bar_cell(per(t.run_ns, duration_ns)),
            time_cell(static_cast<double>(t.run_ns)),
            time_cell(static_cast<double>(t.runnable_ns)),
            count_cell(t.wakeups),
            count_cell(t.switches),
            count_cell(t.preemptions),
            count_cell(t.wake_migrations + t.balance_migrations),
            t.latencies > 0 ? time_cell(mean) : empty_cell(),
            t.latencies > 0 ? time_cell(static_cast<double>(t.latency_max_ns)) : empty_cell()};
}

std::vector<std::string> task_head(const char* first) {
    return {first,      "CPU",       "ran",        "waited",       "wake-ups",
            "switches", "preempted", "migrations", "mean latency", "longest"};
}

TaskMetrics sum_of(const TaskMetrics& a, const TaskMetrics& b) {
    TaskMetrics s = a;
    s.run_ns += b.run_ns;
    s.runnable_ns += b.runnable_ns;
    s.wakeups += b.wakeups;
    s.switches += b.switches;
    s.preemptions += b.preemptions;
    s.wake_migrations += b.wake_migrations;
    s.balance_migrations += b.balance_migrations;
    s.latencies += b.latencies;
    s.latency_sum_ns += b.latency_sum_ns;
    s.latency_max_ns = std::max(s.latency_max_ns, b.latency_max_ns);
    return s;
}

}  // namespace

std::string run_numbers_html(const RunMetrics& m) {
    KeyNumbers numbers;
    const auto count = [&](const char* name, std::uint64_t value) {
        numbers.add(name, static_cast<double>(value), count_words(value),
                    number_words(m.per_second(value), 3) + " a second");
    };
    if (m.work_units > 0)
        numbers.add(m.unit + " a second", m.per_second(m.work_units),
                    number_words(m.per_second(m.work_units), 5),
                    count_words(m.work_units) + " in all");
    numbers.add("CPUs busy", 1 - m.idle_share(), share_words(1 - m.idle_share()),
                fmt::format("{} CPUs", m.cpus.size()));
    const double stuck = per(m.idle.stuck_time_ns, m.duration_ns());
    numbers.add("of the time a task waits while a CPU it may use idles", stuck, share_words(stuck),
                time_words(static_cast<double>(m.idle.lost_cpu_ns)) + " of CPU time lost");
    numbers.add("median wake-up latency", static_cast<double>(m.wakeup_latency.quantile_ns(0.5)),
                time_words(static_cast<double>(m.wakeup_latency.quantile_ns(0.5))),
                "99 %: " + time_words(static_cast<double>(m.wakeup_latency.quantile_ns(0.99))));
    count("wake-ups", m.wakeups + m.early_wakeups);
    count("switches", m.switches);
    numbers.add("preemptions", static_cast<double>(m.preemptions.total()),
                count_words(m.preemptions.total()),
                number_words(m.per_second(m.preemptions.total()), 3) + " a second");
    numbers.add("migrations", static_cast<double>(m.wake_migrations + m.balance_migrations),
                count_words(m.wake_migrations + m.balance_migrations),
                fmt::format("{} by wake-ups, {} by balancing", count_words(m.wake_migrations),
                            count_words(m.balance_migrations)));
    return numbers.html();
}

std::string cpu_table_html(const RunMetrics& m) {
    HtmlTable table("CPUs", {"CPU", "busy", "busy time", "idle time", "switches"});
    for (std::size_t cpu = 0; cpu < m.cpus.size(); ++cpu)
        table.add({text_cell(fmt::format("{}", cpu)),
                   bar_cell(per(m.cpus[cpu].busy_ns, m.duration_ns())),
                   time_cell(static_cast<double>(m.cpus[cpu].busy_ns)),
                   time_cell(static_cast<double>(m.cpus[cpu].idle_ns)),
                   count_cell(m.cpus[cpu].switches)});
    return table.html();
}

std::string group_table_html(const RunMetrics& m) {
    std::vector<TaskMetrics> sums(m.groups.count());
    std::vector<std::uint32_t> sizes(m.groups.count());
    for (std::uint32_t t = 0; t < m.tasks.size(); ++t) {
        const std::uint32_t g = m.groups.group_of(t);
        sums[g] = sum_of(sums[g], m.tasks[t]);
        ++sizes[g];
    }
    std::vector<std::uint32_t> order(sums.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, std::greater{},
                             [&](std::uint32_t g) { return sums[g].run_ns; });
    std::vector<std::string> head = task_head("group");
    head.insert(head.begin() + 1, "tasks");
    HtmlTable table("Task groups; CPU 100 % is one CPU all the time", head);
    for (std::size_t i = 0; i < order.size() && i < kGroupsShown; ++i) {
        const std::uint32_t g = order[i];
        if (sums[g].run_ns == 0 && sums[g].wakeups == 0) continue;
        std::vector<Cell> row = task_row(text_cell(m.groups.name(g)), sums[g], m.duration_ns());
        row.insert(row.begin() + 1, count_cell(sizes[g]));
        table.add(row);
    }
    return table.html();
}

std::string task_table_html(const RunMetrics& m) {
    std::vector<std::uint32_t> order(m.tasks.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, std::greater{},
                             [&](std::uint32_t t) { return m.tasks[t].run_ns; });
    HtmlTable table("", task_head("task"));
    std::size_t shown_tasks = 0;
    for (; shown_tasks < order.size() && shown_tasks < kTasksShown; ++shown_tasks) {
        const std::uint32_t t = order[shown_tasks];
        const bool named = t < m.task_names.size() && !m.task_names[t].empty();
        table.add(task_row(text_cell(named ? m.task_names[t] : fmt::format("task {}", t)),
                           m.tasks[t], m.duration_ns()));
    }
    return folded(order.size() > shown_tasks ? fmt::format("The {} tasks with most CPU time, of {}",
                                                           shown_tasks, order.size())
                                             : fmt::format("All {} tasks", shown_tasks),
                  table.html());
}

std::string quality_warnings_html(const trace::TraceQuality& q,
                                  const metrics::Anomalies& anomalies) {
    std::string html;
    const auto warn = [&](const std::string& text) {
        html += fmt::format("<p class=\"warn\">{}</p>\n", text);
    };
    if (q.gaps > 0)
        warn(fmt::format(
            "Events are missing: {} gaps, {} events lost as far as the recorder says. No latency "
            "spans a gap; counts are too low.",
            count_words(q.gaps), count_words(q.lost_events)));
    if (q.truncated) warn("The file ends in the middle of something; what follows is not known.");
    if (q.damaged > 0)
        warn(fmt::format("{} records could not be decoded.", count_words(q.damaged)));
    if (q.out_of_order > 0)
        warn(
            fmt::format("{} events were earlier than the one before and are taken as simultaneous.",
                        count_words(q.out_of_order)));
    if (q.inferred_migrations + q.inferred_wakeups > 0)
        warn(fmt::format(
            "Inferred, because the recording does not hold them: {} migrations, {} wake-ups.",
            count_words(q.inferred_migrations), count_words(q.inferred_wakeups)));
    if (q.resolution_ns > 1)
        warn(fmt::format("The clock of the recording has steps of {}; shorter times are rounded.",
                         time_words(static_cast<double>(q.resolution_ns))));
    if (anomalies.total() > 0)
        warn(fmt::format("{} events contradict what went before them; the later one was believed.",
                         count_words(anomalies.total())));
    for (const std::string& note : q.notes) warn(shown(note));
    return html;
}

std::string quality_table_html(const trace::TraceQuality& q) {
    HtmlTable table("", {"", ""});
    const auto text = [&](const char* name, const std::string& value) {
        if (!value.empty()) table.add({text_cell(name), text_cell(value)});
    };
    text("format", q.format);
    text("clock", q.clock);
    text("kernel", q.kernel);
    text("host", q.hostname);
    text("architecture", q.architecture);
    const auto count = [&](const char* name, std::uint64_t n) {
        table.add({text_cell(name), number_cell(static_cast<double>(n), count_words(n))});
    };
    count("events understood", q.total_events());
    count("records not decoded", q.damaged);
    count("events lost", q.lost_events);
    count("gaps", q.gaps);
    count("out of order", q.out_of_order);
    count("of a CPU that cannot be", q.bad_cpu);
    count("migrations inferred", q.inferred_migrations);
    count("wake-ups inferred", q.inferred_wakeups);
    std::string html = table.html();
    if (q.skipped.empty()) return html;
    HtmlTable skipped("Events without a meaning here", {"event", "count"});
    std::vector<std::pair<std::string, std::uint64_t>> names(q.skipped.begin(), q.skipped.end());
    std::ranges::stable_sort(names, std::greater{}, &std::pair<std::string, std::uint64_t>::second);
    for (std::size_t i = 0; i < names.size() && i < kSkippedShown; ++i)
        skipped.add({text_cell(names[i].first), count_cell(names[i].second)});
    return html + skipped.html();
}

}  // namespace wakelab::report::html
