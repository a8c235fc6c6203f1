#include "policy/cfs/cfs_version.hpp"

#include <algorithm>
#include <array>

#include "base/check.hpp"
#include "policy/cfs/domain_levels.hpp"
#include "policy/cfs/feature_lists.hpp"

namespace wakelab::policy::cfs {

namespace {

using F = Feature;

// Each version as what it changed in its predecessor. 2.6.24 exchanged the model of 2.6.23 and its
// rules with it, so both start from the defaults.

constexpr CfsVersion v23() {
    CfsVersion v;
    v.name = "cfs-2.6.23";
    v.key = "V23";
    v.kernel = "2.6.23 (2007-10-09)";
    v.summary = "the first CFS: tasks are owed the time they waited; wake-ups search idle CPUs";
    v.features = lists::k23;
    v.always_on = {F::kSyncWakeups, F::kAffineWakeups, F::kLbBias};
    v.min_granularity_ns = 2'000'000;
    v.wakeup_granularity_ns = 1'000'000;  // half the scaled min_granularity
    v.granularity_limit_ns = 100'000'000;
    v.model = FairModel::kWaitRuntime;
    v.new_task_beside_parent_only = true;
    v.sync_wakee_waits = true;
    v.queued_wakeup_preempts = false;
    v.cpu_load_rounds_up = false;
    v.balance.sees_uneven_groups = false;
    v.levels = levels::k23;
    return v;
}

constexpr CfsVersion v24() {
    CfsVersion v;
    v.name = "cfs-2.6.24";
    v.key = "V24";
    v.root_is_a_group = true;
    v.kernel = "2.6.24 (2008-01-24)";
    v.summary = "vruntime; cold sync wakees are pulled; idle search inside a shared cache";
    v.features = lists::k24;
    v.always_on = {F::kSyncWakeups, F::kAffineWakeups, F::kLbBias};
    v.pulls_cold_sync = true;
    v.queued_wakeup_preempts = false;
    v.levels = levels::k24;
    v.ipc = {.data_ready_sync = false, .unix_write_space_sync = true, .pipe_end_sync = true};
    return v;
}

constexpr CfsVersion v25() {
    CfsVersion v = v24();
    v.name = "cfs-2.6.25";
    v.key = "V25";
    v.kernel = "2.6.25 (2008-04-16), scheduler identical in 2.6.25.4";
    v.alias = "cfs-2.6.25.4";
    v.summary = "socket wake-ups are sync, and small overlaps pull the wakee whatever the loads";
    v.features = lists::k25;
    v.always_on.add(F::kCacheHotBuddy);
    v.wakeup_granularity_ns = 5'000'000;
    v.inverse = InverseRule::kShort;
    v.min_vruntime = MinVruntimeRule::kTreeChange;
    v.period = PeriodRule::kMinGranularity;
    v.slice = SliceRule::kMultiply;
    v.place_base = PlaceBase::kLeftmost;
    v.buddies = BuddyRule::kLoadScaled;
    v.granularity = GranularityRule::kCurrHeavy;
    v.preempt.ignore_own_wakeup = true;
    v.mark = OverlapMark::kPreemptCheck;
    v.select = SelectRule::kClassHook;
    v.affine = AffineRule::kOverlapShortcut;
    v.queued_wakeup_preempts = true;
    v.rt_balance = RtBalance::kPushUnlessHighest;
    v.levels = levels::k25;
    v.ipc.data_ready_sync = true;
    return v;
}

constexpr CfsVersion v26a() {
    CfsVersion v = v25();
    v.name = "cfs-2.6.26-rc3";
    v.key = "V26A";
    v.root_is_a_group = false;
    v.groups = GroupRule::kByLoad;
    v.kernel = "2.6.26-rc3, -rc4 (2008-05-18 ... 28)";
    v.alias = "cfs-2.6.26-rc4";
    v.summary = "as 2.6.25, virtual time scaled by the queue's weight, remote clocks exact";
    v.features = lists::k26;
    // AFFINE_WAKEUPS is in the list but read nowhere yet (cfs.md 3.2).
    v.always_on = {F::kAffineWakeups, F::kLbBias};
    v.unread = {F::kDeadline};
    v.wakeup_granularity_ns = 10'000'000;
    v.inverse = InverseRule::kShortPlusOne;
    v.clock = ClockRule::kTargetQueue;
    v.vruntime_rate = VruntimeRate::kQueueWeight;
    v.vslice = VsliceRule::kWholePeriod;
    v.credit = CreditRule::kQueueWeight;
    v.account_before_place = true;
    v.buddies = BuddyRule::kGranularity;
    v.granularity = GranularityRule::kQueueWeight;
    v.preempt_test = PreemptTest::kNotBehind;
    v.busy_by_fair_tasks = true;
    v.rt_balance = RtBalance::kPushUnlessMarked;
    v.balance.order = BalanceOrder::kListLosesLast;
    return v;
}

constexpr CfsVersion v26() {
    CfsVersion v = v26a();
    v.name = "cfs-2.6.26";
    v.key = "V26";
    v.groups = GroupRule::kFixedShares;
    v.kernel = "2.6.26 (2008-07-13), = -rc5 for the fair class";
    v.alias = "cfs-2.6.26-rc5";
    v.summary = "queue scaling reverted; a wakee is pulled only if that does not unbalance";
    v.always_on = {F::kLbBias};
    v.unread = {F::kNormalizedSleeper, F::kDeadline};  // CreditRule::kPlain: the code was reverted
    v.vruntime_rate = VruntimeRate::kOwnWeight;
    v.slice = SliceRule::kDivide;
    v.vslice = VsliceRule::kQueueShareIfNew;
    v.credit = CreditRule::kPlain;
    v.granularity = GranularityRule::kCurrHeavy;
    v.affine = AffineRule::kBalanced;
    return v;
}

constexpr CfsVersion v27() {
    CfsVersion v = v26();
    v.name = "cfs-2.6.27";
    v.key = "V27";
    v.groups = GroupRule::kByLoadRateLimited;
    v.kernel = "2.6.27 (2008-10-09)";
    v.alias = {};
    v.summary = "queue scaling again; a woken task runs next for a whole pair slice";
    v.features = lists::k27;
    v.always_on = {};
    v.unread = {};
    v.wakeup_granularity_ns = 5'000'000;
    v.vruntime_rate = VruntimeRate::kQueueWeight;
    v.slice = SliceRule::kMultiply;
    v.vslice = VsliceRule::kWholePeriod;
    v.credit = CreditRule::kQueueWeight;
    v.buddies = BuddyRule::kPairSlice;
    v.granularity = GranularityRule::kQueueWeightLifted;
    v.mark = OverlapMark::kEveryWakeup;
    v.rt_balance = RtBalance::kPriorityVectors;
    v.balance.group_imbalance_by_average = true;
    v.balance.small_margin_tasks = 2;
    v.balance.empty_average = EmptyAverage::kLastComputed;
    v.balance.local_average_in_small = true;
    v.balance.fuzzy_skip = false;
    return v;
}

constexpr CfsVersion v28() {
    CfsVersion v = v27();
    v.name = "cfs-2.6.28";
    v.key = "V28";
    v.groups = GroupRule::kByLoadThreshold;
    v.kernel = "2.6.28 (2008-12-24)";
    v.summary = "per-task virtual time for good; last buddy; long overlaps drop the sync hint";
    v.features = lists::k28;
    v.vruntime_rate = VruntimeRate::kOwnWeight;
    v.min_vruntime = MinVruntimeRule::kEveryUpdateTieBug;
    v.slice = SliceRule::kProjectedCount;
    v.vslice = VsliceRule::kFairSlice;
    v.place_base = PlaceBase::kMinVruntime;
    v.credit = CreditRule::kOwnWeight;
    v.buddies = BuddyRule::kNextThenLast;
    v.buddy_clear = BuddyClear::kDequeue;
    v.granularity = GranularityRule::kCurrHeavyFeature;
    v.preempt_test = PreemptTest::kStrictlyAhead;
    v.preempt.stop_if_marked = true;
    v.preempt.overlap_features = true;
    v.new_task_always_rescheds = false;
    v.hrtick_short_queues_only = true;
    v.affine = AffineRule::kOverlapLimitsSync;
    v.shortcut_on_same_cpu = true;
    v.levels = levels::k28;
    v.balance.order = BalanceOrder::kList;
    v.balance.small_margin_tasks = 1;
    v.balance.empty_average = EmptyAverage::kZero;
    return v;
}

constexpr CfsVersion v29() {
    CfsVersion v = v28();
    v.name = "cfs-2.6.29";
    v.key = "V29";
    v.kernel = "2.6.29 (2009-03-23), = -rc7 for the scheduler";
    v.alias = "cfs-2.6.29-rc7";
    v.summary = "buddies end when picked; idle-policy tasks are preempted by everybody";
    v.idle_policy_load = kIdlePolicyLoad;
    v.clock = ClockRule::kPreviousQueue;
    v.min_vruntime = MinVruntimeRule::kEveryUpdateQueue;
    v.slice = SliceRule::kProjectedWeights;
    v.credit = CreditRule::kOwnWeightNotIdle;
    v.skip_empty_update = true;
    v.buddy_clear = BuddyClear::kPicked;
    v.preempt.update_curr_first = true;
    v.preempt.only_normal_preempts = true;
    v.preempt.idle_policy_yields = true;
    v.balance.newidle_needs_lowest = false;
    v.balance.newidle_stops_on_failure = true;
    return v;
}

constexpr CfsVersion v30() {
    CfsVersion v = v29();
    v.name = "cfs-2.6.30";
    v.key = "V30";
    v.kernel = "2.6.30 (2009-06-09)";
    v.alias = {};
    v.summary = "granularity adapts to how often the wakee wakes others; preemption grows overlaps";
    v.features = lists::k30;
    v.granularity = GranularityRule::kWakeeWeight;
    v.mark = OverlapMark::kActivation;
    v.preempted_sample = PreemptedSample::kSincePick;
    v.balance.newidle_pulls_one = true;
    return v;
}

constexpr CfsVersion v31() {
    CfsVersion v = v30();
    v.name = "cfs-2.6.31";
    v.key = "V31";
    v.kernel = "2.6.31 (2009-09-09)";
    v.summary = "as 2.6.30; AMD cores of a package share a cache domain";
    v.amd_package_is_cache = true;
    return v;
}

constexpr CfsVersion tip0913() {
    CfsVersion v = v31();
    v.name = "cfs-tip-20090913";
    v.key = "T0913";
    v.kernel = "tip tree of 2009-09-10 ... 13, between 2.6.31 and 2.6.32-rc1";
    v.summary =
        "latency 5 ms, no sleeper credit; idle search over the machine, affine in a cache only";
    v.features = lists::k0913;
    v.latency_ns = 5'000'000;
    v.min_granularity_ns = 1'000'000;
    v.wakeup_granularity_ns = 1'000'000;
    v.child_runs_first = false;
    v.place_never_back = true;
    v.new_task_inherits_vruntime = true;
    v.compares_signed = true;
    v.shortcut_on_same_cpu = false;
    v.affine_to_empty = true;
    v.levels = levels::k0913;
    return v;
}

constexpr CfsVersion v32a() {
    CfsVersion v = tip0913();
    v.name = "cfs-2.6.32-rc1";
    v.key = "V32A";
    v.kernel = "2.6.32-rc1 (2009-09-27)";
    v.summary = "half credit; wake-ups look only at the two CPUs concerned; next buddy off";
    v.features = lists::k32;
    v.buddy_clear = BuddyClear::kEveryPick;
    v.preempt.sync_feature = true;
    v.preempt.next_is_feature = true;
    v.preempt.next_not_for_forks = true;
    v.tracks_running = true;
    v.select = SelectRule::kDomainFlags;
    v.affine = AffineRule::kSyncLessMore;
    v.levels = levels::k32a;
    v.power_is_sum = true;
    v.balance.dynamic_power = true;
    return v;
}

constexpr CfsVersion v32() {
    CfsVersion v = v32a();
    v.name = "cfs-2.6.32";
    v.key = "V32";
    v.kernel = "2.6.32 (2009-12-02)";
    v.summary = "buddies only in long queues and after preemption; the tick looks at the lead";
    v.clock = ClockRule::kBothQueues;
    v.buddies = BuddyRule::kLastWins;
    v.buddy_clear = BuddyClear::kPicked;
    v.preempt.buddies_need_long_queue = true;
    v.tick_checks_lead = true;
    v.levels = levels::k32;
    return v;
}

constexpr std::array kVersions = {v23(), v24(), v25(), v26a(),    v26(),  v27(), v28(),
                                  v29(), v30(), v31(), tip0913(), v32a(), v32()};

}  // namespace

std::span<const CfsVersion> versions() {
    return kVersions;
}

FeatureSet unread_features(const CfsVersion& version) {
    FeatureSet unread = version.unread;
    unread.add(version.always_on);
    return unread;
}

const CfsVersion& version_by_key(std::string_view key) {
    const auto* it = std::ranges::find(kVersions, key, &CfsVersion::key);
    WK_CHECK(it != kVersions.end());
    return *it;
}

}  // namespace wakelab::policy::cfs
