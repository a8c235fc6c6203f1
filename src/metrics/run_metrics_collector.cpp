#include <algorithm>

#include "metrics/run_metrics.hpp"

namespace wakelab::metrics {

using trace::EventType;
using trace::kNobody;
using trace::PrevState;
using trace::TraceRecord;

RunMetricsCollector::RunMetricsCollector(const trace::TraceInfo& info, const Topology& topology)
    : topology_(topology), cases_(0) {
    m_.start_ns = info.start_ns;
    m_.unit = info.unit;
    m_.recorded = info.recorded;
    m_.load = LoadSeries(info.start_ns, info.cpus);
    add_cpus(info.cpus);
    make_groups();
    for (std::uint32_t task = 0; task < info.task_names.size(); ++task)
        add_task(task, info.task_names[task]);
}

void RunMetricsCollector::add_cpus(std::uint32_t cpus) {
    const std::size_t before = m_.cpus.size();
    if (cpus <= before && before > 0) return;
    m_.cpus.resize(cpus);
    m_.load.add_cpus(cpus);
    cases_.add_cpus(cpus);
    for (auto& by_cpu : m_.group_run_ns) by_cpu.resize(cpus);
    if (!m_.recorded) return;
    for (auto cpu = static_cast<std::uint32_t>(before); cpu < cpus; ++cpu)
        m_.load.correct(cpu, LoadSeries::Doing::kUnknown);
}

void RunMetricsCollector::make_groups() {
    m_.group_run_ns.resize(m_.groups.count(), std::vector<std::int64_t>(m_.cpus.size()));
    while (m_.group_metrics.size() < m_.groups.count())
        m_.group_metrics.push_back(
            {ExactHistogram(&group_pages_), ExactHistogram(&group_pages_),
             std::vector<GroupDelay>(TaskGroups::kMaxGroups + 1)});
}

void RunMetricsCollector::add_task(std::uint32_t task, std::string_view name) {
    grow(task + 1);
    m_.task_names[task] = name;
    m_.groups.add(task, name);
    make_groups();
}

void RunMetricsCollector::rename_task(std::uint32_t task, std::string_view name) {
    grow(task + 1);
    m_.task_names[task] = name;
    m_.groups.rename(task, name);
    make_groups();
}

void RunMetricsCollector::grow(std::uint32_t count) {
    if (m_.tasks.size() >= count) return;
    m_.tasks.resize(count);
    m_.notes.resize(count);
    m_.task_names.resize(count);
    hot_.resize(count);
}

bool RunMetricsCollector::is_far(std::uint32_t from_cpu, std::uint32_t to_cpu) const {
    if (from_cpu == kNobody || from_cpu == to_cpu) return false;
    return !topology_.knows_caches() || topology_.far_apart(from_cpu, to_cpu);
}

void RunMetricsCollector::note_load(std::uint32_t cpu, std::int64_t ns, const ThreadStates& states) {
    const CpuLane& lane = states.cpu(cpu);
    using enum LoadSeries::Doing;
    m_.load.set(cpu, ns,
                lane.current != kNobody ? kBusy : states.is_known(cpu) ? kIdle : kUnknown,
                lane.queued);
}

void RunMetricsCollector::add(const TraceRecord& record, const Step& step,
                              const ThreadStates& states, const IdleWatch& watch) {
    if (!step.accepted) return;
    switch (record.type) {
        case EventType::kSwitch:
            m_.has_switches = true;
            add_switch(record, step, watch);
            return note_load(record.cpu, record.ns, states);
        case EventType::kWakeup:
            end_sleep(record, step);
            if (record.ns >= m_.start_ns) add_wakeup(record);
            return note_load(record.cpu, record.ns, states);
        case EventType::kWakeupNew:
            note_load(record.cpu, record.ns, states);
            break;
        case EventType::kMigrate:
            note_load(record.cpu, record.ns, states);
            if (static_cast<std::uint64_t>(record.payload) < m_.cpus.size())
                note_load(static_cast<std::uint32_t>(record.payload), record.ns, states);
            break;
        case EventType::kLost:
            add_lost(record, step);
            return note_load(record.cpu, record.ns, states);
        default:
            break;
    }
    if (record.ns < m_.start_ns) return;
    switch (record.type) {
        case EventType::kWakeupEarly:
            ++m_.early_wakeups;
            return;
        case EventType::kWakeupNew:
            ++m_.forks;
            if (record.task != kNobody) ++m_.tasks[record.task].forks;
            return;
        case EventType::kSpurious:
            ++m_.spurious_wakeups;
            return;
        case EventType::kMigrate:
            return add_migration(record);
        case EventType::kWorkUnit:
            m_.work_units += static_cast<std::uint64_t>(record.payload);
            if (record.task != kNobody)
                m_.tasks[record.task].work_units += static_cast<std::uint64_t>(record.payload);
            return;
        default:
            return;
    }
}

void RunMetricsCollector::add_migration(const TraceRecord& record) {
    ++m_.balance_migrations;
    TaskMetrics& moved = m_.tasks[record.arg];
    ++moved.balance_migrations;
    const auto how_far = static_cast<std::size_t>(
        topology_.distance(static_cast<std::uint32_t>(record.payload), record.cpu));
    ++moved.migrations[how_far];
    ++m_.migrations[how_far];
}

void RunMetricsCollector::add_wakeup(const TraceRecord& record) {
    ++m_.wakeups;
    m_.load.count_wakeup(record.ns);
    TaskMetrics& wakee = m_.tasks[record.arg];
    ++wakee.wakeups;
    const auto prev_cpu = static_cast<std::uint32_t>(record.payload >> 32);
    if (prev_cpu == record.cpu) return;
    ++m_.wake_migrations;
    ++wakee.wake_migrations;
    const auto how_far = static_cast<std::size_t>(topology_.distance(prev_cpu, record.cpu));
    ++wakee.migrations[how_far];
    ++m_.migrations[how_far];
}

void RunMetricsCollector::end_sleep(const TraceRecord& record, const Step& step) {
    if (step.spans_gap) ++m_.gaps.sleeps;
    if (step.slept_since_ns == Step::kUnknownTime) return;
    m_.tasks[record.arg].sleep_ns[static_cast<std::size_t>(step.slept_as)] +=
        counted(step.slept_since_ns, record.ns);
}

void RunMetricsCollector::add_run(std::uint32_t task, std::uint32_t cpu, std::int64_t ran_ns) {
    m_.cpus[cpu].busy_ns += ran_ns;
    m_.tasks[task].run_ns += ran_ns;
    m_.group_run_ns[m_.groups.group_of(task)][cpu] += ran_ns;
}

void RunMetricsCollector::add_switch(const TraceRecord& record, const Step& step,
                                     const IdleWatch& watch) {
    using enum LoadSeries::Doing;
    const std::int64_t since_ns = counted(step.cpu_since_ns, record.ns);
    if (m_.recorded) m_.load.correct(record.cpu, record.task == kNobody ? kIdle : kBusy);
    cases_.ran(record.cpu, record.task, record.ns, record.arg);
    if (record.task == kNobody)
        m_.cpus[record.cpu].idle_ns += since_ns;
    else
        switch_out(record, since_ns);
    if (record.arg != kNobody) switch_in(record, step, watch);
}

void RunMetricsCollector::switch_out(const TraceRecord& record, std::int64_t ran_ns) {
    add_run(record.task, record.cpu, ran_ns);
    TaskMetrics& t = m_.tasks[record.task];
    TaskHot& hot = hot_[record.task];
    hot.period_ns += ran_ns;
    if (record.ns < m_.start_ns) return;
    const auto how = static_cast<PrevState>(record.flags);
    if (trace::is_blocked(how)) {
        PeriodCost& cost = hot.far ? t.far_periods : t.near_periods;
        ++cost.periods;
        cost.run_ns += hot.period_ns;
        return;
    }
    switch (how) {
        case PrevState::kYielded:
            ++m_.yields;
            return;
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

void RunMetricsCollector::switch_in(const TraceRecord& record, const Step& step,
                                    const IdleWatch& watch) {
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
    m_.affinity_changes += step.left_affinity;
    m_.gaps.waits += step.spans_gap;
    ++m_.switches;
    m_.load.count_switch(record.ns);
    ++m_.cpus[record.cpu].switches;
    ++t.switches;
    if (record.task != kNobody) ++m_.task_switches;
    if (last_cpu != record.cpu && last_cpu != kNobody) {
        ++t.moves;
        if (record.cpu == cpu_before) ++t.returns;
    }
    if (step.queued_since_ns != Step::kUnknownTime) end_wait(record, step, watch);
}

void RunMetricsCollector::end_wait(const TraceRecord& record, const Step& step,
                                   const IdleWatch& watch) {
    const std::int64_t delay_ns = record.ns - step.queued_since_ns;
    TaskMetrics& t = m_.tasks[record.arg];
    const std::uint32_t group = m_.groups.group_of(record.arg);
    GroupMetrics& g = m_.group_metrics[group];
    if (step.queued_by == QueuedBy::kPreemption) {
        m_.preemption_delay.add(delay_ns);
        g.preemption_delay.add(delay_ns);
        ++t.delays;
        t.delay_sum_ns += delay_ns;
        t.delay_max_ns = std::max(t.delay_max_ns, delay_ns);
    } else if (step.queued_by == QueuedBy::kWakeup) {
        m_.wakeup_latency.add(delay_ns);
        g.wakeup_latency.add(delay_ns);
        ++t.latencies;
        t.latency_sum_ns += delay_ns;
        t.latency_max_ns = std::max(t.latency_max_ns, delay_ns);
    } else {
        return;
    }
    cases_.add(record, step, watch);
    if (record.task == kNobody) return;
    GroupDelay& by = g.delayed_by[m_.groups.group_of(record.task)];
    by.ns += record.ns - std::max({step.queued_since_ns, step.cpu_since_ns, m_.start_ns});
    ++by.waits;
}

void RunMetricsCollector::add_lost(const TraceRecord& record, const Step& step) {
    if (record.ns >= m_.start_ns) ++m_.gaps.gaps;
    CpuMetrics& cpu = m_.cpus[record.cpu];
    const bool known = step.known_until_ns != Step::kUnknownTime;
    const std::int64_t until_ns = known ? step.known_until_ns : step.cpu_since_ns;
    if (known) {
        const std::int64_t known_ns = counted(step.cpu_since_ns, until_ns);
        if (step.lost_current == kNobody)
            cpu.idle_ns += known_ns;
        else
            add_run(step.lost_current, record.cpu, known_ns);
        m_.load.set(record.cpu, std::max(until_ns, m_.start_ns), LoadSeries::Doing::kUnknown, 0);
        cases_.ran(record.cpu, step.lost_current, until_ns, WaitCases::kNotKnown);
    }
    cpu.unknown_ns += counted(until_ns, record.ns);
    cases_.ran(record.cpu, WaitCases::kNotKnown, record.ns, WaitCases::kNotKnown);
}

void RunMetricsCollector::finish_tasks(const ThreadStates& states) {
    for (std::uint32_t task = 0; task < states.tasks() && task < m_.tasks.size(); ++task) {
        const Thread& t = states.thread(task);
        if (t.epoch != states.epoch()) continue;
        if (t.state == ThreadState::kRunnable)
            m_.tasks[task].runnable_ns += counted(t.since_ns, m_.end_ns);
        if (t.state == ThreadState::kSleeping)
            m_.tasks[task].sleep_ns[static_cast<std::size_t>(t.sleep)] +=
                counted(t.since_ns, m_.end_ns);
    }
}

RunMetrics RunMetricsCollector::finish(std::int64_t end_ns, const ThreadStates& states,
                                       const IdleWatch& watch) {
    m_.end_ns = std::max(end_ns, m_.start_ns);
    for (std::uint32_t cpu = 0; cpu < states.cpus(); ++cpu) {
        const CpuLane& lane = states.cpu(cpu);
        const std::int64_t since_ns = counted(lane.since_ns, m_.end_ns);
        if (m_.recorded && states.is_known(cpu))
            m_.load.correct(cpu, lane.current == kNobody ? LoadSeries::Doing::kIdle
                                                         : LoadSeries::Doing::kBusy);
        if (!states.is_known(cpu))
            m_.cpus[cpu].unknown_ns += since_ns;
        else if (lane.current == kNobody)
            m_.cpus[cpu].idle_ns += since_ns;
        else
            add_run(lane.current, cpu, since_ns);
    }
    finish_tasks(states);
    for (std::uint32_t task = 0; task < m_.notes.size() && task < states.tasks(); ++task)
        m_.notes[task].restricted = watch.is_restricted(task);
    for (TaskNotes& n : m_.notes) n.guessed = n.guessed && n.restricted;
    m_.load.finish(m_.end_ns);
    m_.worst_wakeups = cases_.woken();
    m_.worst_preemptions = cases_.preempted();
    m_.idle = watch.totals();
    m_.ignored_masks = watch.ignored_masks();
    m_.anomalies = states.anomalies();
    return std::move(m_);
}

}  // namespace wakelab::metrics
