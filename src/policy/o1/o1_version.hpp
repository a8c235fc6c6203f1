// What distinguishes the O(1) schedulers of 2.6.9 .. 2.6.22: one row of data per kernel (o1.md 0,
// 14). The code reads these fields and never a version name.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "policy/kernel.hpp"

namespace wakelab::policy::o1 {

// How recalc_task_prio() turns sleep into sleep_avg (o1.md 3.2, 3.3).
enum class SleepRule : std::uint8_t {
    kCredit,      // 2.6.9: bonus multiplier, interactive_credit
    kMultiplier,  // 2.6.11 .. 2.6.16: the same without credits
    kCeiling,     // 2.6.18 .. 2.6.22: no multiplier, long sleeps raise to INTERACTIVE_SLEEP only
};

// What activating a real-time task does to its estimator (o1.md 3.5).
enum class RtActivation : std::uint8_t {
    kAsOthers,   // 2.6.9: sleep credit, mark and timestamp
    kMarksOnly,  // 2.6.16: mark and timestamp
    kNothing,    // 2.6.22
};

// What "load" counts (o1.md 5.4, 5.6).
enum class LoadUnit : std::uint8_t {
    kTasks,   // SCHED_LOAD_SCALE per runnable task
    kBiased,  // the same times prio_bias / nr_running (smpnice v1)
    kWeight,  // sum of load_weight (smpnice v2)
};

// How find_busiest_group() turns group loads into an amount to move (o1.md 8.3).
enum class ImbalanceRule : std::uint8_t { k2_6_9, k2_6_14, k2_6_18 };

// What sched_exec() compares, if a task that execs may move at all (o1.md 8.6).
enum class ExecRule : std::uint8_t {
    kLightest,     // 2.6.9: the least loaded CPU of the highest level
    kIdlestGroup,  // 2.6.13: sched_balance_self(), at fork, too
};

// Where cache_hot_time comes from (o1.md 9.2).
enum class HotTime : std::uint8_t { kDecayTicks, kMeasuredAtBoot };

// Which domain levels a kernel builds, and their parameters (o1.md 9.1, 9.5).
enum class DomainSet : std::uint8_t { k2_6_9, k2_6_9El, k2_6_16, k2_6_22 };

// Who reads kernel.wake_balance, and what 0 skips (o1.md 5.3, 5.5).
enum class WakeBalanceSysctl : std::uint8_t { kNone, kKeepsWakeIdle, kSkipsWakeIdle };

struct O1Version {
    std::string_view name;  // registry name
    std::string_view key;   // the spec's key
    std::string_view kernel;
    std::string_view summary;
    KernelConfig kernel_config;
    IpcRules ipc;

    // Priorities and slices (o1.md 2, 3, 4).
    SleepRule sleep_rule = SleepRule::kCeiling;
    bool delta_rounds_down = true;       // DELTA() of 2.6.17 and later (o1.md 2.3)
    bool granularity_10ms = true;        // base of TIMESLICE_GRANULARITY; false: MIN_TIMESLICE
    bool charge_by_bonus = true;         // run time is divided by the bonus whatever the credit
    bool pick_always_requeues = false;   // the waiting credit moves a task to the tail of its list
    bool rotation_updates_prio = false;  // granularity round robin recomputes prio (2.6.9)
    bool starves_since_switch = false;   // 2.6.9-EL: limit counts from the last array switch
    bool batch_expires = true;           // SCHED_BATCH wakes into the expired array (2.6.17)
    bool has_batch = true;               // SCHED_BATCH exists (2.6.16)
    bool pipe_sleep_typed = true;        // TASK_NONINTERACTIVE activates with a sleep type (2.6.17)
    RtActivation rt_activation = RtActivation::kNothing;
    bool nice_keeps_bonus = true;     // renice and setscheduler recompute prio with the bonus
    bool exit_needs_same_cpu = true;  // the slice returns to a parent on the same CPU only (2.6.15)
    bool fork_runs_tick = false;      // sched_fork() of a one-jiffy parent runs a whole tick

    // Wake-up (o1.md 5).
    bool wake_by_cache_hot = false;  // 2.6.9: cache-hot test in every domain; else wake_idx loads
    bool wake_idle_needs_short_queue = true;  // wake_idle() only looks if nr_running <= 1 (2.6.22)
    bool wake_filter = false;  // only repeated wakes from one CPU may pull (2.6.16-rc1..rc3)
    WakeBalanceSysctl wake_balance = WakeBalanceSysctl::kNone;

    // Loads and balancing (o1.md 6, 8, 9).
    LoadUnit load_unit = LoadUnit::kWeight;
    bool one_cpu_load = false;            // 2.6.9: a single halving average
    bool clock_follows_switches = true;   // snapshot of the clock also at every schedule() (2.6.20)
    bool clock_compensation = true;       // default of the tunable: remote timestamps are shifted
    bool balance_on_next_balance = true;  // 2.6.20: next_balance, one balancer per group
    ImbalanceRule imbalance_rule = ImbalanceRule::k2_6_18;
    bool idle_pull_is_forced = false;  // 2.6.9: an idle CPU takes a task even when balanced
    bool refuse_hot_at_first = false;  // 2.6.9: hot tasks stay while nr_balance_failed < tries
    bool balanced_resets_failed = true;
    bool newidle_resets_failed = true;
    bool keeps_pinned_backoff =
        true;  // all tasks pinned counts as balanced, with a longer interval
    bool kick_doubles_interval = true;    // after asking for an active balance
    bool push_to_idle_groups = false;     // 2.6.9: active balance serves every idle group
    std::uint32_t failed_after_kick = 1;  // nr_balance_failed - cache_nice_tries after a kick
    std::uint32_t queue_load_idx = 0;     // load index of find_busiest_queue()
    bool reports_busy_sibling = true;     // load_balance() of SMT levels can return -1
    ExecRule exec_rule = ExecRule::kIdlestGroup;
    HotTime hot_time = HotTime::kMeasuredAtBoot;
    DomainSet domains = DomainSet::k2_6_22;
};

// All rows, oldest first.
[[nodiscard]] std::span<const O1Version> o1_versions();
// Row by registry name; the name must exist.
[[nodiscard]] const O1Version& o1_version(std::string_view name);

}  // namespace wakelab::policy::o1
