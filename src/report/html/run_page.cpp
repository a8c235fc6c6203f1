// What `wakelab run --json` wrote: the numbers of one run.
#include <fmt/format.h>

#include <algorithm>

#include "report/html/delay_chart.hpp"
#include "report/html/html_page.hpp"
#include "report/html/html_text.hpp"
#include "report/html/key_numbers.hpp"
#include "report/html/result_pages.hpp"

namespace wakelab::report::html {

namespace {

constexpr std::size_t kTasksShown = 100;

Cell count_cell(const Json& object, const char* key) {
    const double value = number(object, key);
    return number_cell(value, count_words(static_cast<std::uint64_t>(std::max(value, 0.0))));
}

std::string numbers_html(const Json& metrics, double seconds) {
    KeyNumbers numbers;
    const auto count = [&](const char* name, const char* key) {
        const double value = number(metrics, key);
        numbers.add(name, value, number_words(value),
                    seconds > 0 ? number_words(value / seconds, 3) + " a second" : "");
    };
    numbers.add(words(metrics, "unit") + " a second", number(metrics, "rate_per_s"),
                number_words(number(metrics, "rate_per_s"), 5), "");
    numbers.add("CPUs idle", number(metrics, "idle_share"),
                share_words(number(metrics, "idle_share")), "");
    const Json& stuck = member(metrics, "wait_while_idle");
    const double stuck_share = seconds > 0 ? number(stuck, "time_ns") / (seconds * 1e9) : 0;
    numbers.add("waiting while a CPU idles", stuck_share, share_words(stuck_share),
                time_words(number(stuck, "lost_cpu_ns")) + " of CPU time lost");
    count("wake-ups", "wakeups");
    count("switches", "switches");
    const Json& moves = member(metrics, "migrations");
    numbers.add(
        "migrations", number(moves, "wakeup") + number(moves, "balance"),
        number_words(number(moves, "wakeup") + number(moves, "balance")),
        fmt::format("{} by wake-ups, {} by balancing", number_words(number(moves, "wakeup")),
                    number_words(number(moves, "balance"))));
    const Json& cuts = member(metrics, "preemptions");
    const double preemptions =
        number(cuts, "wakeup") + number(cuts, "tick") + number(cuts, "other");
    numbers.add("preemptions", preemptions, number_words(preemptions),
                fmt::format("{} by wake-ups, {} by the tick", number_words(number(cuts, "wakeup")),
                            number_words(number(cuts, "tick"))));
    return numbers.html();
}

std::string cpus_html(const Json& result, double duration_ns) {
    HtmlTable table("CPUs", {"CPU", "busy", "busy time", "idle time", "switches"});
    std::size_t index = 0;
    for (const Json& cpu : list(result, "cpus")) {
        const double busy = duration_ns > 0 ? number(cpu, "busy_ns") / duration_ns : 0;
        table.add({text_cell(fmt::format("{}", index++)), bar_cell(busy),
                   time_cell(number(cpu, "busy_ns")), time_cell(number(cpu, "idle_ns")),
                   count_cell(cpu, "switches")});
    }
    return table.html();
}

std::string tasks_html(const Json& result, double duration_ns) {
    std::vector<const Json*> tasks;
    for (const Json& task : list(result, "tasks")) tasks.push_back(&task);
    std::ranges::stable_sort(tasks, std::greater{},
                             [](const Json* t) { return number(*t, "run_ns"); });
    HtmlTable table("Tasks by CPU time",
                    {"task", "CPU", "ran", "waited", "wake-ups", "switches", "preempted",
                     "moved at wake-up", "moved by balancing", "longest latency"});
    for (std::size_t i = 0; i < tasks.size() && i < kTasksShown; ++i) {
        const Json& t = *tasks[i];
        table.add({text_cell(words(t, "name")),
                   bar_cell(duration_ns > 0 ? number(t, "run_ns") / duration_ns : 0),
                   time_cell(number(t, "run_ns")), time_cell(number(t, "runnable_ns")),
                   count_cell(t, "wakeups"), count_cell(t, "switches"),
                   count_cell(t, "preemptions"), count_cell(t, "wake_migrations"),
                   count_cell(t, "balance_migrations"), time_cell(number(t, "latency_max_ns"))});
    }
    std::string html = table.html();
    if (tasks.size() > kTasksShown)
        html += fmt::format("<p class=\"hint\">{} tasks with less CPU time are not shown.</p>\n",
                            tasks.size() - kTasksShown);
    return html;
}

}  // namespace

std::string run_page(const Json& result, const std::string& title) {
    PageHead head = run_head(result, title, "Run");
    head.navigation = {
        {"numbers", "Numbers"}, {"delays", "Delays"}, {"cpus", "CPUs"}, {"tasks", "Tasks"}};
    const Json& metrics = member(result, "metrics");
    const double duration_ns = number(metrics, "duration_ns");
    std::string page = page_begin(head);
    page += section_begin("numbers", "Numbers");
    if (const double odd = number(metrics, "records_that_do_not_fit"); odd > 0)
        page += fmt::format("<p class=\"warn\">{} events contradict what went before them.</p>\n",
                            number_words(odd));
    page += numbers_html(metrics, duration_ns * 1e-9);
    page += kSectionEnd;
    page += section_begin(
        "delays", "Delays",
        "Wake-up latency: from the wake-up until the task runs. Preemption delay: until a "
        "preempted task runs again.");
    page += delays_html({delay_stats_of("wake-up latency", member(metrics, "wakeup_latency")),
                         delay_stats_of("preemption delay", member(metrics, "preemption_delay"))});
    page += kSectionEnd;
    page +=
        section_begin("cpus", "CPUs") + cpus_html(result, duration_ns) + std::string(kSectionEnd);
    page += section_begin("tasks", "Tasks") + tasks_html(result, duration_ns) +
            std::string(kSectionEnd);
    return page + page_end("Made by wakelab from the result of <code>wakelab run --json</code>.");
}

}  // namespace wakelab::report::html
