// The parameter sheet of early CFS: everything in which one kernel version differs from another, as
// data (cfs.md 2.12). The code branches on these enums and never on a version's name.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "policy/cfs/features.hpp"
#include "policy/cfs/weight.hpp"
#include "policy/domains.hpp"
#include "policy/kernel.hpp"

namespace wakelab::policy::cfs {

// cfs.md 2.1, 2.11: what the fair class keeps about a task.
enum class FairModel : std::uint8_t {
    kVruntime,     // V24+: the virtual time it has had
    kWaitRuntime,  // V23: the CPU time it is owed (wait_runtime.hpp)
};

// cfs.md 1.5: whose clock a wake-up moves.
enum class ClockRule : std::uint8_t {
    kOwnCpuOnly,   // V23..V25: a CPU updates only its own clock, remote ones are up to a tick stale
    kTargetQueue,  // V26A..V28: the queue the wakee is enqueued on
    kPreviousQueue,  // V29..V31: the queue the wakee was on before, and no other
    kBothQueues,     // V32
};

// cfs.md 2.1: virtual time of the running entity.
enum class VruntimeRate : std::uint8_t {
    kOwnWeight,    // d * 1024 / w
    kQueueWeight,  // d * RW / w
};

// cfs.md 2.2
enum class MinVruntimeRule : std::uint8_t {
    kEveryUpdate,        // V24: min of running and leftmost, at every accounting
    kTreeChange,         // V25..V27: moves only when the leftmost node changes
    kEveryUpdateTieBug,  // V28: running at min_vruntime is taken for "nothing runs"
    kEveryUpdateQueue,   // V29+
};

// cfs.md 2.3: length of a round of more than nr_latency tasks.
enum class PeriodRule : std::uint8_t { kStretchLatency, kMinGranularity };

// cfs.md 2.3: wall-time slice of an entity.
enum class SliceRule : std::uint8_t {
    kDivide,            // V24, V26: plain division
    kMultiply,          // V25, V26A, V27: calc_delta_mine
    kProjectedCount,    // V28: an entity not yet queued counts in the number of tasks
    kProjectedWeights,  // V29+: and in the load
};

// cfs.md 2.3: how far a new entity is placed behind.
enum class VsliceRule : std::uint8_t {
    kQueueShare,       // V24, V25: period(n + 1) * 1024 / (load + w)
    kQueueShareIfNew,  // V26: the same, n + 1 and + w only when not queued yet
    kWholePeriod,      // V26A, V27
    kFairSlice,        // V28+: the slice in virtual time
};

// cfs.md 2.4: where placing starts.
enum class PlaceBase : std::uint8_t {
    kMinVruntimeOrAverage,  // V24, with TREE_AVG and APPROX_AVG
    kLeftmost,              // V25..V27
    kMinVruntime,           // V28+
};

// cfs.md 2.4: what NORMALIZED_SLEEPER does to the credit of one latency.
enum class CreditRule : std::uint8_t {
    kPlain,             // V24..V26: nothing
    kQueueWeight,       // V26A, V27: latency * RW / w
    kOwnWeight,         // V28: latency in virtual time
    kOwnWeightNotIdle,  // V29+: the same, not for SCHED_IDLE
};

// cfs.md 2.6
enum class BuddyRule : std::uint8_t {
    kNone,          // V24
    kLoadScaled,    // V25: next, within a granularity divided by the queue's load
    kGranularity,   // V26A, V26: next, within the wake-up granularity
    kPairSlice,     // V27: next, for one slice after the last other pick
    kNextThenLast,  // V28..V32A
    kLastWins,      // V32
};

// cfs.md 2.6: when the picked entity loses its buddy marks.
enum class BuddyClear : std::uint8_t {
    kLeavesTree,  // V25..V27: when it leaves the tree (next only)
    kDequeue,     // V28: only on dequeue and yield
    kPicked,      // V29+: also when picked and when its slice ends
    kEveryPick,   // V32A: every pick clears both marks, whoever holds them
};

// cfs.md 2.7: the lead a wakee needs to preempt.
enum class GranularityRule : std::uint8_t {
    kCurrWeight,         // V24: scaled by curr's weight whatever it is
    kCurrHeavy,          // V25, V26: only when curr is heavier than nice 0
    kQueueWeight,        // V26A
    kQueueWeightLifted,  // V27
    kCurrHeavyFeature,   // V28, V29: as V26; ASYM_GRAN off: as V24
    kWakeeWeight,        // V30+: adaptive, scaled by the wakee's weight
};

// cfs.md 2.7: the comparison with the granularity.
enum class PreemptTest : std::uint8_t {
    kUnsigned,       // V24, V25: raw 64-bit values
    kNotBehind,      // V26A..V27: a tie is "no difference"
    kStrictlyAhead,  // V28+: a tie is "behind"
};

// cfs.md 2.8: which of the steps of check_preempt_wakeup exist.
struct PreemptSteps {
    bool update_curr_first = false;        // step 0, V29+
    bool ignore_own_wakeup = false;        // step 3, V25+
    bool stop_if_marked = false;           // step 6, V28+
    bool only_normal_preempts = false;     // step 7, V29+: else only BATCH does not
    bool idle_policy_yields = false;       // step 7b, V29+
    bool overlap_features = false;         // step 9, V28+
    bool sync_feature = false;             // step 9 as in V32A+: WAKEUP_SYNC, WAKEUP_RUNNING
    bool next_is_feature = false;          // step 5, P7, V32A+: only with NEXT_BUDDY
    bool next_not_for_forks = false;       // step 5, V32A+
    bool buddies_need_long_queue = false;  // steps 4, 5, V32: at least nr_latency tasks
};

// cfs.md 4.6: when `last_wakeup` is set, for whom.
enum class OverlapMark : std::uint8_t {
    kNever,         // V24
    kPreemptCheck,  // V25..V26: task running on the wakee's queue, at the preemption check
    kEveryWakeup,   // V27..V29: the waker, at the end of every call
    kActivation,    // V30+: the waker, successful calls outside interrupts; avg_wakeup exists
};

// cfs.md 4.1, 4.2, 4.4
enum class SelectRule : std::uint8_t {
    kInWakeup,     // V23, V24: idle search also for the affine candidate
    kClassHook,    // V25..T0913
    kDomainFlags,  // V32A+
};

// cfs.md 4.3
enum class AffineRule : std::uint8_t {
    kOverlapShortcut,    // V25, V26A: sync and small overlaps pull whatever the loads
    kBalanced,           // V26, V27
    kOverlapLimitsSync,  // V28..T0913: a long overlap drops the sync hint
    kSyncLessMore,       // V32A+
};

// cfs.md 5, P1: who may use the overlap shortcut.
enum class ShortcutFilter : std::uint8_t {
    kNone,       // everybody
    kSameWaker,  // P1: waker and wakee last woke the same third task while running
    kMutual,     // P1i: the wakee was last woken by this waker, which last woke this wakee
    kNobody,     // no-shortcut: the tree lessons.md 5.1 suspects under P2
};

// cfs.md 5: when a sync waker's weight is taken from its CPU's load.
enum class SyncSubtraction : std::uint8_t {
    kAlways,
    kIfAboveWaker,  // P2: only from a load above that weight
    kIfAny,         // P3: only from a load that is not 0
};

// cfs.md 4.6: what a preempted task adds to its avg_overlap.
enum class PreemptedSample : std::uint8_t {
    kNone,
    kSincePick,    // P8, V30+: its run since it was picked
    kSinceWakeup,  // P8b: since its last wake-up of another task, else since the pick
};

// How real-time tasks come to another CPU (rt_balance.hpp).
enum class RtBalance : std::uint8_t {
    kLoadBalancer,       // V24: with the fair ones, by load
    kPushUnlessHighest,  // V25: pushed after a wake-up, except by the CPU's best task
    kPushUnlessMarked,   // V26A, V26: except when the CPU is about to reschedule
    kPriorityVectors,    // V27+: likewise; all CPUs of the lowest priority are candidates
};

// cfs.md 6.8: weight of a group on a CPU, and what the balancer makes of it.
enum class GroupRule : std::uint8_t {
    kFixedShares,        // V24..V26: full shares everywhere; loads count tasks
    kByLoad,             // V26A: by the load there, at each balance; loads count top-level entities
    kByLoadRateLimited,  // V27: at most once in shares_ratelimit, also at wake-ups
    kByLoadThreshold,    // V28+: and only if they change by more than 4
};

// cfs.md 6.3: order in which tasks are offered to the balancer.
enum class BalanceOrder : std::uint8_t {
    kTree,           // V23..V25: smallest key first; from V24 without the running task
    kListLosesLast,  // V26A..V27: most recently queued first; the last element is never offered
    kList,           // V28+
};

// cfs.md 1.6: average task load of a CPU without tasks.
enum class EmptyAverage : std::uint8_t {
    kOneTask,       // V23..V26: 1024
    kLastComputed,  // V27
    kZero,          // V28+
};

// cfs.md 6.2, 6.3: arithmetic of the balancer.
struct BalanceRules {
    BalanceOrder order = BalanceOrder::kTree;
    bool sees_uneven_groups = true;           // V24+: a group is busy when one of its CPUs is
    bool group_imbalance_by_average = false;  // V27+: spread against twice the average task
    std::uint64_t small_margin_tasks = 0;     // X: 0: 1024 (V23..V26); else that many average tasks
    EmptyAverage empty_average = EmptyAverage::kOneTask;
    bool local_average_in_small = false;  // V27+: average_task_load instead of 1024 when empty
    bool fuzzy_skip = true;               // V23..V26: half a unit of slack, priority exception
    bool newidle_needs_lowest = true;     // V23..V28: stops below the first NEWIDLE level
    // V29+: returns -1 when a busy queue had nothing to give, and that counts as pulled.
    bool newidle_stops_on_failure = false;
    bool newidle_pulls_one = false;  // V30+, PREEMPT kernels
    bool dynamic_power = false;      // V32: rounded capacity, PREFER_SIBLING, load / power
};

struct CfsVersion {
    std::string_view name;  // "cfs-2.6.25"
    std::string_view key;   // "V25"
    std::string_view kernel;
    std::string_view summary;
    std::string_view alias;  // another kernel with the same scheduler, e.g. "cfs-2.6.25.4"
    std::span<const FeatureSlot> features;
    FeatureSet always_on;  // what later became a feature and is fixed in this version
    FeatureSet unread;     // listed, but the code never asks and does nothing of it (cfs.md 3.2)

    // defaults in ns before CPU scaling (cfs.md 1.4)
    std::int64_t latency_ns = 20'000'000;
    std::int64_t min_granularity_ns = 4'000'000;
    std::int64_t wakeup_granularity_ns = 10'000'000;
    std::int64_t granularity_limit_ns = 200'000'000;  // of the first two, after scaling
    bool child_runs_first = true;

    LoadWeight idle_policy_load = kIdlePolicyLoadSignExtended;
    InverseRule inverse = InverseRule::kExact;
    ClockRule clock = ClockRule::kOwnCpuOnly;

    FairModel model = FairModel::kVruntime;
    VruntimeRate vruntime_rate = VruntimeRate::kOwnWeight;
    MinVruntimeRule min_vruntime = MinVruntimeRule::kEveryUpdate;
    PeriodRule period = PeriodRule::kStretchLatency;
    SliceRule slice = SliceRule::kDivide;
    VsliceRule vslice = VsliceRule::kQueueShare;
    PlaceBase place_base = PlaceBase::kMinVruntimeOrAverage;
    CreditRule credit = CreditRule::kPlain;
    bool place_never_back = false;  // T0913+: also a new task is never placed before its vruntime
    bool account_before_place = false;  // V26A+: load and count change before placing
    bool skip_empty_update = false;     // V29+: update_curr returns when no time passed

    BuddyRule buddies = BuddyRule::kNone;
    BuddyClear buddy_clear = BuddyClear::kLeavesTree;
    GranularityRule granularity = GranularityRule::kCurrWeight;
    PreemptTest preempt_test = PreemptTest::kUnsigned;
    PreemptSteps preempt;
    bool compares_signed = false;   // T0913+: yield and child-runs-first; before raw (cfs.md 0.2)
    bool tick_checks_lead = false;  // V32: the tick also looks at the leftmost task
    bool new_task_always_rescheds = true;     // V24..V27: V28+ only when parent and child swapped
    bool new_task_inherits_vruntime = false;  // T0913+: starts from its parent's
    // V23: only a child that runs first on its parent's CPU is placed as a new task.
    bool new_task_beside_parent_only = false;

    bool hrtick_short_queues_only =
        false;  // V28+: enqueue and dequeue re-arm up to nr_latency tasks

    OverlapMark mark = OverlapMark::kNever;
    PreemptedSample preempted_sample = PreemptedSample::kNone;
    bool tracks_running = false;  // V32A+: avg_running

    SelectRule select = SelectRule::kInWakeup;
    AffineRule affine = AffineRule::kOverlapShortcut;
    bool affine_to_empty = false;  // T0913+: a CPU without load but the waker's always pulls
    ShortcutFilter shortcut_filter = ShortcutFilter::kNone;
    SyncSubtraction sync_subtraction = SyncSubtraction::kAlways;
    bool limits_preempters = false;      // P4: last_preempter
    bool has_preempt_policy = false;     // SCHED_PREEMPT
    bool pulls_cold_sync = false;        // V24: a sync wakee that is not cache-hot, at once
    bool sync_wakee_waits = false;       // V23: on the waker's CPU it is not compared with it
    bool shortcut_on_same_cpu = false;   // V28..V31: prev == this skips wake_affine
    bool busy_by_fair_tasks = false;     // wake_idle: V26A+ counts fair tasks, before all tasks
    bool queued_wakeup_preempts = true;  // V25+: an early wake-up runs the preemption check

    RtBalance rt_balance = RtBalance::kLoadBalancer;
    GroupRule groups = GroupRule::kFixedShares;
    bool root_is_a_group = false;  // V24, V25: tasks without a group form one, too
    bool cpu_load_rounds_up = true;  // V24+: averages reach a rising load
    BalanceRules balance;
    std::span<const LevelParams> levels;  // domain levels, bottom up
    bool power_is_sum =
        false;  // V32: power of a group is that of its CPUs, before: shared cache = 1
    bool amd_package_is_cache = false;  // V31+: AMD cores without a shared cache form an MC level

    IpcRules ipc;
};

// All modelled versions, oldest first.
[[nodiscard]] std::span<const CfsVersion> versions();
// Features whose bit decides nothing in a list of `version`: unread, or done whatever it says.
[[nodiscard]] FeatureSet unread_features(const CfsVersion& version);
// By key of the spec ("V25"); a version that is not modelled is a bug of the caller.
[[nodiscard]] const CfsVersion& version_by_key(std::string_view key);

}  // namespace wakelab::policy::cfs
