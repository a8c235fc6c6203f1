// The numbers of one run: what every task and CPU did, how long woken and preempted tasks waited,
// how often they moved. All times are ns of the counted part of the run, all counts of events in
// it.
//
// Where a recording lost events, durations that span the gap are left out: no latency, run or sleep
// reaches over it. How many were left out is counted (GapCounts), and what nobody knows of a CPU is
// neither busy nor idle (CpuMetrics::unknown_ns).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/exact_histogram.hpp"
#include "metrics/idle_watch.hpp"
#include "metrics/load_series.hpp"
#include "metrics/task_groups.hpp"
#include "metrics/thread_states.hpp"
#include "metrics/topology.hpp"
#include "metrics/wait_cases.hpp"

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
    std::array<std::int64_t, kSleepKinds> sleep_ns{};  // by SleepKind
    std::uint64_t delays = 0;                          // preemptions that ended
    std::int64_t delay_sum_ns = 0;
    std::int64_t delay_max_ns = 0;
    std::array<std::uint64_t, kDistances> migrations{};  // of both kinds, by Distance
    std::uint64_t forks = 0;                             // tasks it created
    PeriodCost near_periods;  // began on the CPU or in the cache of the run before
    PeriodCost far_periods;   // began in another cache (caches unknown: on another CPU)

    void add(const TaskMetrics& other);
};

// What is known of a task beside what it did.
struct TaskNotes {
    std::int32_t pid = -1;  // -1: not known
    std::int32_t tgid = -1;
    bool restricted = false;    // it may not use every CPU
    bool guessed = false;       // that is inferred from its name (kernel_threads.hpp)
    bool bound_kernel_thread = false;  // it has the name of a per-CPU kernel thread
};

struct CpuMetrics {
    std::int64_t busy_ns = 0;
    std::int64_t idle_ns = 0;
    std::int64_t unknown_ns = 0;  // recordings: events lost, or no switch seen
    std::uint64_t switches = 0;   // tasks switched in
};

// Waits of tasks of one group that ended while a task of another had the CPU: how long that had it.
struct GroupDelay {
    std::int64_t ns = 0;
    std::uint64_t waits = 0;
};

struct GroupMetrics {
    ExactHistogram wakeup_latency;
    ExactHistogram preemption_delay;
    std::vector<GroupDelay> delayed_by;  // by group of who ran
};

// What was left out because events were lost in between.
struct GapCounts {
    std::uint64_t gaps = 0;
    std::uint64_t waits = 0;   // wake-up latencies and preemption delays
    std::uint64_t sleeps = 0;
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
    std::vector<TaskNotes> notes;         // by task id
    std::vector<CpuMetrics> cpus;
    TaskGroups groups;
    // By the name a task had at the time; everything else of a group is by the latest names.
    std::vector<std::vector<std::int64_t>> group_run_ns;  // [group][cpu]
    std::vector<GroupMetrics> group_metrics;
    ExactHistogram wakeup_latency;    // wake-up -> first running
    ExactHistogram preemption_delay;  // preempted -> running again
    std::vector<WaitCase> worst_wakeups;      // longest first
    std::vector<WaitCase> worst_preemptions;
    LoadSeries load;
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
    std::array<std::uint64_t, kDistances> migrations{};  // of both kinds, by Distance
    IdleWatchTotals idle;
    Anomalies anomalies;
    GapCounts gaps;
    bool recorded = false;
    bool has_switches = false;           // somebody was told to run, if only before start_ns
    std::uint64_t affinity_changes = 0;  // tasks that ran where their mask did not allow it
    std::uint64_t ignored_masks = 0;     // IdleWatch::ignored_masks

    [[nodiscard]] std::int64_t duration_ns() const { return end_ns - start_ns; }
    [[nodiscard]] double seconds() const { return static_cast<double>(duration_ns()) * 1e-9; }
    [[nodiscard]] double per_second(std::uint64_t count) const;
    // Share of the CPU time of all CPUs, 0 .. 1.
    [[nodiscard]] double capacity_share(std::int64_t cpu_ns) const;
    [[nodiscard]] double idle_share() const;
    // The tasks of each group added up, by their latest names.
    [[nodiscard]] std::vector<TaskMetrics> group_totals() const;
    // "postgres-3", "task 7" when it has no name.
    [[nodiscard]] std::string task_name(std::uint32_t task) const;
    // CPU time that the tasks need more because they were moved between caches: per task, the
    // number of far periods times what a far period runs longer than a near one. 0 where there is
    // too little of either to compare.
    [[nodiscard]] double move_cost_ns() const;
};

// Fills a RunMetrics from records and the steps that ThreadStates made of them.
class RunMetricsCollector {
 public:
    // `topology` must outlive this.
    RunMetricsCollector(const trace::TraceInfo& info, const Topology& topology);

    void grow(std::uint32_t count);
    void add_cpus(std::uint32_t cpus);
    void add_task(std::uint32_t task, std::string_view name);
    void rename_task(std::uint32_t task, std::string_view name);
    [[nodiscard]] TaskNotes& notes(std::uint32_t task) { return m_.notes[task]; }
    // `states` and `watch` have seen the record and made `step` of it.
    void add(const trace::TraceRecord& record, const Step& step, const ThreadStates& states,
             const IdleWatch& watch);
    // Closes what is open. `states` and `watch` have seen all records.
    RunMetrics finish(std::int64_t end_ns, const ThreadStates& states, const IdleWatch& watch);

 private:
    struct TaskHot {
        std::uint32_t cpu = trace::kNobody;         // of the latest run
        std::uint32_t cpu_before = trace::kNobody;  // of the latest run elsewhere
        std::int64_t period_ns = 0;                 // run time of the current period
        bool far = false;                           // the period began in another cache
    };

    void add_switch(const trace::TraceRecord& record, const Step& step, const IdleWatch& watch);
    void switch_out(const trace::TraceRecord& record, std::int64_t ran_ns);
    void switch_in(const trace::TraceRecord& record, const Step& step, const IdleWatch& watch);
    void end_wait(const trace::TraceRecord& record, const Step& step, const IdleWatch& watch);
    void add_wakeup(const trace::TraceRecord& record);
    void end_sleep(const trace::TraceRecord& record, const Step& step);
    void add_migration(const trace::TraceRecord& record);
    void add_lost(const trace::TraceRecord& record, const Step& step);
    void add_run(std::uint32_t task, std::uint32_t cpu, std::int64_t ran_ns);
    void note_load(std::uint32_t cpu, std::int64_t ns, const ThreadStates& states);
    void make_groups();
    void finish_tasks(const ThreadStates& states);
    [[nodiscard]] bool is_far(std::uint32_t from_cpu, std::uint32_t to_cpu) const;
    // The part of [from_ns, to_ns] that is counted.
    [[nodiscard]] std::int64_t counted(std::int64_t from_ns, std::int64_t to_ns) const {
        const std::int64_t from = from_ns > m_.start_ns ? from_ns : m_.start_ns;
        return to_ns > from ? to_ns - from : 0;
    }

    static constexpr std::uint32_t kGroupPages = 12 * 1024;  // 48 MiB for the histograms of groups

    RunMetrics m_;
    std::vector<TaskHot> hot_;
    const Topology& topology_;
    WaitCases cases_;
    PageBudget group_pages_{.pages = kGroupPages};
};

}  // namespace wakelab::metrics
