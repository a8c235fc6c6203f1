#include "metrics/run_metrics.hpp"

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

RunMetricsCollector::RunMetricsCollector(const trace::TraceInfo& info) : cache_of_(info.cache_of) {
    m_.start_ns = info.start_ns;
    m_.unit = info.unit;
    m_.cpus.resize(info.cpus);
    m_.group_run_ns.emplace_back(info.cpus);
    for (std::uint32_t task = 0; task < info.task_names.size(); ++task)
        add_task(task, info.task_names[task]);
}

void RunMetricsCollector::add_task(std::uint32_t task, std::string_view name) {
    grow(task + 1);
    if (m_.task_names.size() <= task) m_.task_names.resize(task + 1);
    m_.task_names[task] = name;
    m_.groups.add(task, name);
    m_.group_run_ns.resize(m_.groups.count(), std::vector<std::int64_t>(m_.cpus.size()));
}

void RunMetricsCollector::grow(std::uint32_t count) {
    if (m_.tasks.size() >= count) return;
    m_.tasks.resize(count);
    hot_.resize(count);
}

std::int64_t RunMetricsCollector::counted(std::int64_t from_ns, std::int64_t to_ns) const {
    return std::max<std::int64_t>(0, to_ns - std::max(from_ns, m_.start_ns));
}

bool RunMetricsCollector::is_far(std::uint32_t from_cpu, std::uint32_t to_cpu) const {
    if (from_cpu == kNobody || from_cpu == to_cpu) return false;
    return cache_of_.empty() || cache_of_[from_cpu] != cache_of_[to_cpu];
}

void RunMetricsCollector::add(const TraceRecord& record, const Step& step) {
    if (!step.accepted) return;
    if (record.type == EventType::kSwitch) return add_switch(record, step);
    if (record.ns < m_.start_ns) return;
    switch (record.type) {
        case EventType::kWakeup:
            return add_wakeup(record);
        case EventType::kWakeupEarly:
            ++m_.early_wakeups;
            return;
        case EventType::kWakeupNew:
            ++m_.forks;
            return;
        case EventType::kSpurious:
            ++m_.spurious_wakeups;
            return;
        case EventType::kMigrate:
            ++m_.balance_migrations;
            ++m_.tasks[record.arg].balance_migrations;
            return;
        case EventType::kWorkUnit:
            m_.work_units += static_cast<std::uint64_t>(record.payload);
            if (record.task != kNobody)
                m_.tasks[record.task].work_units += static_cast<std::uint64_t>(record.payload);
            return;
        default:
            return;
    }
}

void RunMetricsCollector::add_wakeup(const TraceRecord& record) {
    ++m_.wakeups;
    TaskMetrics& wakee = m_.tasks[record.arg];
    ++wakee.wakeups;
    const auto prev_cpu = static_cast<std::uint32_t>(record.payload >> 32);
    if (prev_cpu == record.cpu) return;
    ++m_.wake_migrations;
    ++wakee.wake_migrations;
}

void RunMetricsCollector::add_run(std::uint32_t task, std::uint32_t cpu, std::int64_t ran_ns) {
    m_.cpus[cpu].busy_ns += ran_ns;
    m_.tasks[task].run_ns += ran_ns;
    m_.group_run_ns[m_.groups.group_of(task)][cpu] += ran_ns;
}

void RunMetricsCollector::add_switch(const TraceRecord& record, const Step& step) {
    const std::int64_t since_ns = counted(step.cpu_since_ns, record.ns);
    if (record.task == kNobody)
        m_.cpus[record.cpu].idle_ns += since_ns;
    else
        switch_out(record, since_ns);
    if (record.arg != kNobody) switch_in(record, step);
}

void RunMetricsCollector::switch_out(const TraceRecord& record, std::int64_t ran_ns) {
    add_run(record.task, record.cpu, ran_ns);
    TaskMetrics& t = m_.tasks[record.task];
    TaskHot& hot = hot_[record.task];
    hot.period_ns += ran_ns;
    if (record.ns < m_.start_ns) return;
    switch (static_cast<PrevState>(record.flags)) {
        case PrevState::kYielded:
            ++m_.yields;
            return;
        case PrevState::kBlocked: {
            PeriodCost& cost = hot.far ? t.far_periods : t.near_periods;
            ++cost.periods;
            cost.run_ns += hot.period_ns;
            return;
        }
        case PrevState::kDead:
            return;
        case PrevState::kPreemptedByWakeup:
            ++m_.preemptions.by_wakeup;
            break;
        case PrevState::kPreemptedByTick:
            ++m_.preemptions.by_tick;
            break;
        default:
            ++m_.preemptions.other;
            break;
    }
    ++t.preemptions;
}

void RunMetricsCollector::switch_in(const TraceRecord& record, const Step& step) {
    TaskHot& hot = hot_[record.arg];
    TaskMetrics& t = m_.tasks[record.arg];
    const bool begins = step.queued_by == QueuedBy::kWakeup || step.queued_by == QueuedBy::kFork;
    if (begins) {
        hot.period_ns = 0;
        hot.far = is_far(hot.cpu, record.cpu);
    }
    const std::uint32_t last_cpu = hot.cpu;
    const std::uint32_t cpu_before = hot.cpu_before;
    if (last_cpu != record.cpu) {
        hot.cpu_before = last_cpu;
        hot.cpu = record.cpu;
    }
    if (step.queued_since_ns != Step::kUnknownTime)
        t.runnable_ns += counted(step.queued_since_ns, record.ns);
    if (record.ns < m_.start_ns) return;
    ++m_.switches;
    ++m_.cpus[record.cpu].switches;
    ++t.switches;
    if (record.task != kNobody) ++m_.task_switches;
    if (last_cpu != record.cpu && last_cpu != kNobody) {
        ++t.moves;
        if (record.cpu == cpu_before) ++t.returns;
    }
    if (step.queued_since_ns == Step::kUnknownTime) return;
    const std::int64_t delay_ns = record.ns - step.queued_since_ns;
    if (step.queued_by == QueuedBy::kPreemption) m_.preemption_delay.add(delay_ns);
    if (step.queued_by != QueuedBy::kWakeup) return;
    m_.wakeup_latency.add(delay_ns);
    ++t.latencies;
    t.latency_sum_ns += delay_ns;
    t.latency_max_ns = std::max(t.latency_max_ns, delay_ns);
}

RunMetrics RunMetricsCollector::finish(std::int64_t end_ns, const ThreadStates& states,
                                       const IdleWatch& watch) {
    m_.end_ns = std::max(end_ns, m_.start_ns);
    for (std::uint32_t cpu = 0; cpu < states.cpus(); ++cpu) {
        const CpuLane& lane = states.cpu(cpu);
        const std::int64_t since_ns = counted(lane.since_ns, m_.end_ns);
        if (lane.current == kNobody)
            m_.cpus[cpu].idle_ns += since_ns;
        else
            add_run(lane.current, cpu, since_ns);
    }
    for (std::uint32_t task = 0; task < states.tasks(); ++task) {
        const Thread& t = states.thread(task);
        if (t.state == ThreadState::kRunnable)
            m_.tasks[task].runnable_ns += counted(t.since_ns, m_.end_ns);
    }
    m_.idle = watch.totals();
    m_.anomalies = states.anomalies();
    return std::move(m_);
}

}  // namespace wakelab::metrics
