#include "metrics/run_metrics.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace wakelab::metrics {

using trace::EventType;
using trace::kNobody;
using trace::PrevState;
using trace::TraceRecord;

double RunMetrics::per_second(std::uint64_t count) const {
    return duration_ns() > 0 ? static_cast<double>(count) / seconds() : 0;
}

double RunMetrics::capacity_share(std::int64_t cpu_ns) const {
    const double capacity = static_cast<double>(duration_ns()) * static_cast<double>(cpus.size());
    return capacity > 0 ? static_cast<double>(cpu_ns) / capacity : 0;
}

double RunMetrics::idle_share() const {
    std::int64_t idle_ns = 0;
    for (const CpuMetrics& cpu : cpus) idle_ns += cpu.idle_ns;
    return capacity_share(idle_ns);
}

double RunMetrics::move_cost_ns() const {
    constexpr std::uint64_t kEnough = 20;
    double cost = 0;
    for (const TaskMetrics& t : tasks) {
        if (t.near_periods.periods < kEnough || t.far_periods.periods < kEnough) continue;
        const auto mean = [](const PeriodCost& p) {
            return static_cast<double>(p.run_ns) / static_cast<double>(p.periods);
        };
        cost += static_cast<double>(t.far_periods.periods) *
                (mean(t.far_periods) - mean(t.near_periods));
    }
    return std::max(cost, 0.0);
}

void TaskMetrics::add(const TaskMetrics& o) {
    run_ns += o.run_ns;
    runnable_ns += o.runnable_ns;
    wakeups += o.wakeups;
    switches += o.switches;
    wake_migrations += o.wake_migrations;
    balance_migrations += o.balance_migrations;
    preemptions += o.preemptions;
    moves += o.moves;
    returns += o.returns;
    work_units += o.work_units;
    latencies += o.latencies;
    latency_sum_ns += o.latency_sum_ns;
    latency_max_ns = std::max(latency_max_ns, o.latency_max_ns);
    for (std::size_t i = 0; i < kSleepKinds; ++i) sleep_ns[i] += o.sleep_ns[i];
    delays += o.delays;
    delay_sum_ns += o.delay_sum_ns;
    delay_max_ns = std::max(delay_max_ns, o.delay_max_ns);
    for (std::size_t i = 0; i < kDistances; ++i) migrations[i] += o.migrations[i];
    forks += o.forks;
    near_periods.periods += o.near_periods.periods;
    near_periods.run_ns += o.near_periods.run_ns;
    far_periods.periods += o.far_periods.periods;
    far_periods.run_ns += o.far_periods.run_ns;
}

std::vector<TaskMetrics> RunMetrics::group_totals() const {
    std::vector<TaskMetrics> totals(groups.count());
    for (std::uint32_t task = 0; task < tasks.size(); ++task)
        totals[groups.group_of(task)].add(tasks[task]);
    return totals;
}

std::string RunMetrics::task_name(std::uint32_t task) const {
    return task < task_names.size() && !task_names[task].empty() ? task_names[task]
                                                                 : fmt::format("task {}", task);
}

}  // namespace wakelab::metrics
