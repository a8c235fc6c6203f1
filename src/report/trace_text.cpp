#include "report/trace_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "diag/waker_groups.hpp"
#include "diag/words.hpp"
#include "report/finding_text.hpp"
#include "report/number_text.hpp"
#include "report/text_table.hpp"
#include "report/wait_text.hpp"

namespace wakelab::report {

namespace {

using diag::count_words;
using diag::duration_words;
using diag::rate_words;
using diag::share_words;
using metrics::RunMetrics;
using metrics::TaskMetrics;

constexpr std::size_t kGroupsShown = 20;
constexpr std::size_t kWakersShown = 10;
constexpr std::size_t kCpusShown = 64;
constexpr std::size_t kLongestShown = 5;

std::string ms(std::int64_t ns) {
    return fmt::format("{:.3f}", static_cast<double>(ns) * 1e-6);
}

std::string us(std::int64_t ns) {
    return fmt::format("{:.3f}", static_cast<double>(ns) * 1e-3);
}

// Groups that ran or waited, most CPU time first.
std::vector<std::uint32_t> by_run_time(const RunMetrics& m, const std::vector<TaskMetrics>& totals) {
    std::vector<std::uint32_t> order;
    for (std::uint32_t g = 0; g < m.groups.count(); ++g)
        if (totals[g].run_ns + totals[g].runnable_ns > 0) order.push_back(g);
    std::ranges::stable_sort(order, std::greater{}, [&](std::uint32_t g) { return totals[g].run_ns; });
    return order;
}

std::string more_line(std::size_t all, std::size_t shown, std::string_view what) {
    return all > shown ? fmt::format("  ... and {} more {}\n", all - shown, what) : std::string();
}

std::string group_table(const RunMetrics& m, const std::vector<TaskMetrics>& totals,
                        const std::vector<std::uint32_t>& order) {
    TextTable t({Align::kLeft});
    t.add({"ms", "tasks", "run", "runnable", "asleep", "disk sleep", "I/O", "stopped", "switches",
           "preempted", "wake-ups"});
    for (std::size_t i = 0; i < order.size() && i < kGroupsShown; ++i) {
        const TaskMetrics& g = totals[order[i]];
        t.add({printable(m.groups.name(order[i])), count_words(m.groups.size(order[i])), ms(g.run_ns),
               ms(g.runnable_ns), ms(g.sleep_ns[0]), ms(g.sleep_ns[1]), ms(g.sleep_ns[2]),
               ms(g.sleep_ns[3]), count_words(g.switches), count_words(g.preemptions),
               count_words(g.wakeups)});
    }
    return t.text(2) + more_line(order.size(), kGroupsShown, "groups");
}

std::vector<std::string> wait_row(std::string name, std::string_view kind,
                                  const metrics::ExactHistogram& h) {
    return {std::move(name), std::string(kind), count_words(h.count()), us(h.quantile_ns(0.5)),
            us(h.quantile_ns(0.95)), us(h.quantile_ns(0.99)), us(h.max_ns()),
            h.is_exact() ? "" : "~0.4 %"};
}

std::string wait_table(const RunMetrics& m, const std::vector<std::uint32_t>& order) {
    TextTable t({Align::kLeft, Align::kLeft});
    t.add({"us", "wait", "count", "p50", "p95", "p99", "max", ""});
    const auto add = [&](const std::string& name, const metrics::ExactHistogram& latency,
                         const metrics::ExactHistogram& delay) {
        if (latency.count() > 0) t.add(wait_row(name, "woken", latency));
        if (delay.count() > 0) t.add(wait_row(name, "preempted", delay));
    };
    add("all", m.wakeup_latency, m.preemption_delay);
    for (std::size_t i = 0; i < order.size() && i < kGroupsShown; ++i) {
        const metrics::GroupMetrics& g = m.group_metrics[order[i]];
        add(printable(m.groups.name(order[i])), g.wakeup_latency, g.preemption_delay);
    }
    return t.text(2);
}

std::string migration_line(const RunMetrics& m) {
    static constexpr std::array<std::string_view, metrics::kDistances> kNames = {
        "to a thread of the same core", "within a cache", "to another cache", "to another node",
        "over an unknown distance (no topology recorded)"};
    std::string text = fmt::format("Migrations: {} at wake-up, {} by the balancer",
                                   count_words(m.wake_migrations), count_words(m.balance_migrations));
    for (std::size_t i = 0; i < kNames.size(); ++i)
        if (m.migrations[i] > 0)
            text += fmt::format("; {} {}", count_words(m.migrations[i]), kNames[i]);
    return paragraph(text + ".", "  ", "  ");
}

std::string cpu_table(const RunMetrics& m) {
    const bool unknown = unknown_share(m) > 0;
    const auto share = [&](std::int64_t ns) {
        return percent_text(static_cast<double>(ns) / static_cast<double>(m.duration_ns()));
    };
    TextTable t({Align::kLeft});
    std::vector<std::string> head = {"CPU", "busy", "idle"};
    if (unknown) head.emplace_back("unknown");
    head.insert(head.end(), {"switches", "queue mean", "max"});
    t.add(head);
    for (std::uint32_t cpu = 0; cpu < m.cpus.size() && cpu < kCpusShown; ++cpu) {
        const metrics::CpuMetrics& c = m.cpus[cpu];
        std::vector<std::string> row = {fmt::format("{}", cpu), share(c.busy_ns), share(c.idle_ns)};
        if (unknown) row.push_back(share(c.unknown_ns));
        const metrics::QueueLengths& q = m.load.queue(cpu);
        const std::int64_t known_ns = std::max<std::int64_t>(1, m.duration_ns() - c.unknown_ns);
        row.push_back(count_words(c.switches));
        row.push_back(fmt::format("{:.2f}", static_cast<double>(q.queued_ns) /
                                                static_cast<double>(known_ns)));
        row.push_back(fmt::format("{}", q.max));
        t.add(row);
    }
    return t.text(2) + more_line(m.cpus.size(), kCpusShown, "CPUs");
}

std::string violation_text(const RunMetrics& m) {
    const metrics::IdleWatchTotals& w = m.idle;
    const double duration = static_cast<double>(std::max<std::int64_t>(m.duration_ns(), 1));
    std::string text = paragraph(
        fmt::format("During {} of the time a task waited behind another while a CPU that it may use "
                    "was idle: {} times, {} of the machine's CPU time lost.",
                    share_words(static_cast<double>(w.stuck_time_ns) / duration),
                    count_words(w.violations), share_words(m.capacity_share(w.lost_cpu_ns))),
        "  ", "  ");
    if (w.violations == 0) return text;
    TextTable lengths({Align::kLeft});
    lengths.add({"lasted below", "times"});
    for (std::size_t i = 0; i < w.violations_by_length.size(); ++i)
        if (w.violations_by_length[i] > 0)
            lengths.add({duration_words(static_cast<double>(std::int64_t{1} << i)),
                         count_words(w.violations_by_length[i])});
    text += lengths.text(2);
    for (std::size_t i = 0; i < w.longest.size() && i < kLongestShown; ++i) {
        const metrics::Violation& v = w.longest[i];
        std::string line = fmt::format("{} at {}", duration_words(static_cast<double>(v.length_ns)),
                                       diag::moment_words(v.from_ns - m.start_ns));
        if (v.idle_cpu != trace::kNobody) line += fmt::format(", CPU {} idle", v.idle_cpu);
        if (v.task != trace::kNobody)
            line += fmt::format(", {} waiting", printable(m.task_name(v.task)));
        text += fmt::format("  {}\n", line);
    }
    return text;
}

std::string_view role_word(metrics::WakeRole role) {
    static constexpr std::array<std::string_view, 5> kWords = {"", "1:1", "1:N", "N:1", "pipeline"};
    return kWords[static_cast<std::size_t>(role)];
}

std::string waker_table(const metrics::RunSummary& run) {
    const RunMetrics& m = run.metrics;
    const std::vector<diag::WakerGroup> wakers = diag::group_wakers(run);
    const auto part = [](std::uint64_t some, std::uint64_t all) {
        return all == 0 ? std::string("-")
                        : share_words(static_cast<double>(some) / static_cast<double>(all));
    };
    TextTable t({Align::kLeft, Align::kLeft, Align::kLeft});
    t.add({"waker", "wakes", "shape", "per s", "a batch", "moved", "to waker's CPU",
           "to a busy CPU, one idle"});
    for (std::size_t i = 0; i < wakers.size() && i < kWakersShown; ++i) {
        const diag::WakerGroup& g = wakers[i];
        const auto& p = g.placed;
        t.add({printable(g.name), printable(g.objects()), std::string(role_word(g.role)),
               rate_words(m.per_second(p.wakeups)),
               g.is_task && g.batch.batches > 0 ? rate_words(g.batch.mean_size()) : "-",
               part(p.moved, p.wakeups), g.is_task ? part(p.onto_waker, p.wakeups) : "-",
               part(p.misplaced, p.wakeups)});
    }
    return t.text(2) + more_line(wakers.size(), kWakersShown, "groups of wakers");
}

std::string fork_line(const RunMetrics& m, const std::vector<TaskMetrics>& totals) {
    constexpr double kStorm = 100;  // forks a second
    std::string text;
    for (std::uint32_t g = 0; g < totals.size(); ++g) {
        const double rate = m.per_second(totals[g].forks);
        if (rate < kStorm) continue;
        text += fmt::format("  fork storm: {} creates {} tasks a second\n",
                            printable(m.groups.name(g)), rate_words(rate));
    }
    return text;
}

}  // namespace

std::string trace_text(const metrics::RunSummary& run, std::span<const diag::Finding> findings,
                       const trace::TraceQuality& quality, std::string_view source) {
    const RunMetrics& m = run.metrics;
    std::string text = quality_text(m, quality, source);
    for (std::size_t i = 0; i < findings.size(); ++i)
        text += "\n" + finding_text(findings[i], i + 1, true);
    if (m.duration_ns() <= 0) return text;
    const std::vector<TaskMetrics> totals = m.group_totals();
    const std::vector<std::uint32_t> order = by_run_time(m, totals);
    text += "\nWhat the tasks did\n" + group_table(m, totals, order) + migration_line(m);
    text += "\nHow long they waited\n" + wait_table(m, order);
    text += "\nLongest waits\n" + wait_cases_table(m, kLongestShown);
    text += "\nCPUs\n" + cpu_table(m);
    text += "\nIdle while work waited\n" + violation_text(m);
    text += "\nWho wakes whom\n" + waker_table(run) + fork_line(m, totals);
    return text;
}

}  // namespace wakelab::report
