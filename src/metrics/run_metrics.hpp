// The numbers of one run: what every task and CPU did, how long woken and preempted tasks waited,
// how often they moved. All times are ns of the counted part of the run, all counts of events in
// it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/idle_watch.hpp"
#include "metrics/log_histogram.hpp"
#include "metrics/task_groups.hpp"
#include "metrics/thread_states.hpp"

namespace wakelab::metrics {

// Run periods (from being switched in after a wake-up until sleeping again) by where the task ran
// before: tells what a lost cache costs a task in its own run time.
struct PeriodCost {
    std::uint64_t periods = 0;
    std::int64_t run_ns = 0;
};

struct TaskMetrics {
    std::int64_t run_ns = 0;
    std::int64_t runnable_ns = 0;  // queued, not running: all run delay
    std::uint64_t wakeups = 0;
    std::uint64_t switches = 0;            // switched in
    std::uint64_t wake_migrations = 0;     // woken onto another CPU than before
    std::uint64_t balance_migrations = 0;  // moved while queued
    std::uint64_t preemptions = 0;
    std::uint64_t moves = 0;    // first run on another CPU than the run before
    std::uint64_t returns = 0;  // of these back to the CPU before that
    std::uint64_t work_units = 0;
    std::uint64_t latencies = 0;  // wake-ups whose latency ended
    std::int64_t latency_sum_ns = 0;
    std::int64_t latency_max_ns = 0;
    PeriodCost near_periods;  // began on the CPU or in the cache of the run before
    PeriodCost far_periods;   // began in another cache (caches unknown: on another CPU)
};

struct CpuMetrics {
    std::int64_t busy_ns = 0;
    std::int64_t idle_ns = 0;
    std::uint64_t switches = 0;  // tasks switched in
};

struct PreemptionCounts {
    std::uint64_t by_wakeup = 0;
    std::uint64_t by_tick = 0;
    std::uint64_t other = 0;
    [[nodiscard]] std::uint64_t total() const { return by_wakeup + by_tick + other; }
};

struct RunMetrics {
    std::int64_t start_ns = 0;
    std::int64_t end_ns = 0;
    std::string unit;                     // of work_units, plural
    std::vector<std::string> task_names;  // by task id
    std::vector<TaskMetrics> tasks;       // by task id
    std::vector<CpuMetrics> cpus;
    TaskGroups groups;
    std::vector<std::vector<std::int64_t>> group_run_ns;  // [group][cpu]
    LogHistogram wakeup_latency;                          // wake-up -> first running
    LogHistogram preemption_delay;                        // preempted -> running again
    PreemptionCounts preemptions;
    std::uint64_t yields = 0;
    std::uint64_t work_units = 0;
    std::uint64_t switches = 0;       // tasks switched in
    std::uint64_t task_switches = 0;  // of these directly from another task
    std::uint64_t wakeups = 0;
    std::uint64_t early_wakeups = 0;
    std::uint64_t forks = 0;
    std::uint64_t spurious_wakeups = 0;
    std::uint64_t wake_migrations = 0;
    std::uint64_t balance_migrations = 0;
    IdleWatchTotals idle;
    Anomalies anomalies;

    [[nodiscard]] std::int64_t duration_ns() const { return end_ns - start_ns; }
    [[nodiscard]] double seconds() const { return static_cast<double>(duration_ns()) * 1e-9; }
    [[nodiscard]] double per_second(std::uint64_t count) const;
    // Share of the CPU time of all CPUs, 0 .. 1.
    [[nodiscard]] double capacity_share(std::int64_t cpu_ns) const;
    [[nodiscard]] double idle_share() const;
    // CPU time that the tasks need more because they were moved between caches: per task, the
    // number of far periods times what a far period runs longer than a near one. 0 where there is
    // too little of either to compare.
    [[nodiscard]] double move_cost_ns() const;
};

// Fills a RunMetrics from records and the steps that ThreadStates made of them.
class RunMetricsCollector {
 public:
    explicit RunMetricsCollector(const trace::TraceInfo& info);

    void grow(std::uint32_t count);
    void add_task(std::uint32_t task, std::string_view name);
    void add(const trace::TraceRecord& record, const Step& step);
    // Closes what is open. `states` and `watch` have seen all records.
    RunMetrics finish(std::int64_t end_ns, const ThreadStates& states, const IdleWatch& watch);

 private:
    struct TaskHot {
        std::uint32_t cpu = trace::kNobody;         // of the latest run
        std::uint32_t cpu_before = trace::kNobody;  // of the latest run elsewhere
        std::int64_t period_ns = 0;                 // run time of the current period
        bool far = false;                           // the period began in another cache
    };

    void add_switch(const trace::TraceRecord& record, const Step& step);
    void switch_out(const trace::TraceRecord& record, std::int64_t ran_ns);
    void switch_in(const trace::TraceRecord& record, const Step& step);
    void add_wakeup(const trace::TraceRecord& record);
    void add_run(std::uint32_t task, std::uint32_t cpu, std::int64_t ran_ns);
    [[nodiscard]] bool is_far(std::uint32_t from_cpu, std::uint32_t to_cpu) const;
    // The part of [from_ns, to_ns] that is counted.
    [[nodiscard]] std::int64_t counted(std::int64_t from_ns, std::int64_t to_ns) const;

    RunMetrics m_;
    std::vector<TaskHot> hot_;
    std::vector<std::uint32_t> cache_of_;
};

}  // namespace wakelab::metrics
