#include "report/run_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "diag/words.hpp"
#include "metrics/stats.hpp"
#include "report/number_text.hpp"
#include "report/text_table.hpp"

namespace wakelab::report {

namespace {

using diag::duration_words;
using diag::rate_words;
using diag::share_words;
using metrics::RunMetrics;
using metrics::TaskMetrics;

constexpr std::size_t kCpusListed = 32;  // more CPUs: minimum, median, maximum
constexpr std::size_t kTasksListed = 2;  // of one group; more tasks: one line
constexpr double kNsPerMs = 1e6;

std::string latency_words(const metrics::ExactHistogram& h) {
    if (h.count() == 0) return "none";
    const auto at = [&](double share) {
        return duration_words(static_cast<double>(h.quantile_ns(share)));
    };
    return fmt::format("p50 {}, p99 {}, max {}, mean {}", at(0.5), at(0.99), at(1.0),
                       duration_words(h.mean_ns()));
}

std::string preemption_words(const RunMetrics& m) {
    const auto& p = m.preemptions;
    if (p.total() == 0) return "none";
    const auto share = [&](std::uint64_t part) {
        return share_words(static_cast<double>(part) / static_cast<double>(p.total()));
    };
    return fmt::format("{}/s: by a wake-up {}, by the tick or slice end {}, otherwise {}",
                       rate_words(m.per_second(p.total())), share(p.by_wakeup), share(p.by_tick),
                       share(p.other));
}

double time_share(const RunMetrics& m, std::int64_t ns) {
    return m.duration_ns() > 0 ? static_cast<double>(ns) / static_cast<double>(m.duration_ns()) : 0;
}

std::string summary(const RunMetrics& m) {
    TextTable t({Align::kLeft, Align::kLeft});
    const auto rate = [&](std::uint64_t count) { return rate_words(m.per_second(count)); };
    t.add({m.unit, fmt::format("{}/s ({} in {:.3f} s)", rate(m.work_units),
                               diag::count_words(m.work_units), m.seconds())});
    t.add({"CPU time", fmt::format("busy {}, idle {}", share_words(1 - m.idle_share()),
                                   share_words(m.idle_share()))});
    t.add({"waits while a CPU idles",
           fmt::format("{} of the time; lost {} of the machine",
                       share_words(time_share(m, m.idle.stuck_time_ns)),
                       share_words(m.capacity_share(m.idle.lost_cpu_ns)))});
    t.add({"wake-ups", fmt::format("{}/s; early {}/s, spurious {}/s", rate(m.wakeups),
                                   rate(m.early_wakeups), rate(m.spurious_wakeups))});
    t.add({"wake-up latency", latency_words(m.wakeup_latency)});
    t.add({"switches", fmt::format("{}/s, {}/s of them from task to task", rate(m.switches),
                                   rate(m.task_switches))});
    t.add({"preemptions", preemption_words(m)});
    t.add({"preemption delay", latency_words(m.preemption_delay)});
    t.add({"migrations", fmt::format("{}/s at wake-up, {}/s while queued",
                                     rate(m.wake_migrations), rate(m.balance_migrations))});
    if (m.yields > 0) t.add({"yields", rate(m.yields) + "/s"});
    if (m.forks > 0) t.add({"forks", rate(m.forks) + "/s"});
    if (const std::uint64_t bad = m.anomalies.total(); bad > 0)
        t.add({"records that do not fit", diag::count_words(bad)});
    return t.text();
}

// "low / median / high" of a column.
struct Range {
    explicit Range(std::vector<double> values) : sample(std::move(values)) {}
    std::vector<double> sample;

    template <class Format>
    [[nodiscard]] std::string text(Format format) const {
        if (sample.size() == 1) return format(sample[0]);
        const auto [low, high] = std::ranges::minmax(sample);
        return fmt::format("{} / {} / {}", format(low), format(metrics::median(sample)),
                           format(high));
    }
};

std::string cpu_table(const RunMetrics& m) {
    TextTable t({Align::kLeft});
    t.add({"CPU", "busy", "idle", "switches/s"});
    const auto row = [&](std::string name, auto first, auto last) {
        std::vector<double> busy;
        std::vector<double> idle;
        std::vector<double> switches;
        for (auto cpu = first; cpu != last; ++cpu) {
            busy.push_back(time_share(m, cpu->busy_ns));
            idle.push_back(time_share(m, cpu->idle_ns));
            switches.push_back(m.per_second(cpu->switches));
        }
        t.add({std::move(name), Range(busy).text(percent_text), Range(idle).text(percent_text),
               Range(switches).text(rate_words)});
    };
    if (m.cpus.size() > kCpusListed) {
        row(fmt::format("all {} (min / median / max)", m.cpus.size()), m.cpus.begin(),
            m.cpus.end());
        return t.text();
    }
    for (auto cpu = m.cpus.begin(); cpu != m.cpus.end(); ++cpu)
        row(std::to_string(cpu - m.cpus.begin()), cpu, std::next(cpu));
    return t.text();
}

// One line of the task table: a task, or several added up with the range over them.
std::vector<std::string> task_row(const RunMetrics& m, std::string name,
                                  const std::vector<std::uint32_t>& tasks) {
    TaskMetrics sum;
    std::vector<double> cpu;
    std::vector<double> latency;
    for (const std::uint32_t task : tasks) {
        const TaskMetrics& t = m.tasks[task];
        cpu.push_back(time_share(m, t.run_ns));
        latency.push_back(t.latencies == 0 ? 0
                                           : static_cast<double>(t.latency_sum_ns) /
                                                 static_cast<double>(t.latencies) / kNsPerMs);
        sum.run_ns += t.run_ns;
        sum.wakeups += t.wakeups;
        sum.switches += t.switches;
        sum.preemptions += t.preemptions;
        sum.wake_migrations += t.wake_migrations + t.balance_migrations;
        sum.latency_max_ns = std::max(sum.latency_max_ns, t.latency_max_ns);
    }
    const auto rate = [&](std::uint64_t count) { return rate_words(m.per_second(count)); };
    return {std::move(name),
            percent_text(time_share(m, sum.run_ns)),
            tasks.size() == 1 ? "" : Range(cpu).text(percent_text),
            rate(sum.wakeups),
            rate(sum.switches),
            rate(sum.preemptions),
            rate(sum.wake_migrations),
            Range(latency).text([](double ms) { return fmt::format("{:.3f}", ms); }),
            fmt::format("{:.3f}", static_cast<double>(sum.latency_max_ns) / kNsPerMs)};
}

std::string task_table(const RunMetrics& m) {
    TextTable t({Align::kLeft});
    t.add({"task", "CPU", "each (min / median / max)", "wake-ups/s", "switches/s", "preempted/s",
           "migrations/s", "latency mean ms", "max ms"});
    std::vector<std::vector<std::uint32_t>> members(m.groups.count());
    for (std::uint32_t task = 0; task < m.tasks.size(); ++task)
        if (m.tasks[task].switches > 0 || m.tasks[task].run_ns > 0)
            members[m.groups.group_of(task)].push_back(task);
    for (std::uint32_t g = 0; g < members.size(); ++g) {
        const auto& tasks = members[g];
        if (tasks.size() > kTasksListed || (g == metrics::TaskGroups::kOthers && !tasks.empty())) {
            t.add(task_row(m, fmt::format("{} ({})", m.groups.name(g), tasks.size()), tasks));
            continue;
        }
        for (const std::uint32_t task : tasks) t.add(task_row(m, m.task_names[task], {task}));
    }
    return t.text();
}

}  // namespace

std::string labels_text(const RunLabels& labels) {
    TextTable t({Align::kLeft, Align::kLeft});
    for (const auto& [name, value] : labels) t.add({name, value});
    return t.text();
}

std::string run_text(const RunMetrics& m, const RunLabels& labels) {
    return fmt::format("{}\n{}\n{}\n{}", labels_text(labels), summary(m), cpu_table(m),
                       task_table(m));
}

}  // namespace wakelab::report
