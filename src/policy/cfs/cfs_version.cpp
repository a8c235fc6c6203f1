#include "policy/cfs/cfs_version.hpp"

#include <algorithm>
#include <array>

#include "base/check.hpp"

namespace wakelab::policy::cfs {

namespace {

using F = Feature;

// --- sched_features.h, in list order (cfs.md 3.1)
// ----------------------------------------------------
constexpr FeatureSlot kFeatures24[] = {{F::kNewFairSleepers, true},
                                       {F::kWakeupPreempt, true},
                                       {F::kStartDebit, true},
                                       {F::kTreeAvg, false},
                                       {F::kApproxAvg, false}};

constexpr FeatureSlot kFeatures25[] = {{F::kNewFairSleepers, true},
                                       {F::kWakeupPreempt, true},
                                       {F::kStartDebit, true},
                                       {F::kHrtick, true},
                                       {F::kDoubleTick, false}};

constexpr FeatureSlot kFeatures26[] = {
    {F::kNewFairSleepers, true}, {F::kWakeupPreempt, true}, {F::kStartDebit, true},
    {F::kAffineWakeups, true},   {F::kCacheHotBuddy, true}, {F::kSyncWakeups, true},
    {F::kHrtick, true},          {F::kDoubleTick, false},   {F::kNormalizedSleeper, true},
    {F::kDeadline, true}};

// --- domain levels (cfs.md 6.6)
// ----------------------------------------------------------------------
constexpr std::uint32_t kCommon = kLoadBalance | kBalanceExec;

constexpr LevelParams kMc24 = {
    .kind = LevelKind::kMc,
    .flags = kCommon | kBalanceNewidle | kWakeAffine | kWakeIdle | kSharePkgResources,
    .busy_idx = 2,
    .wake_idx = 1,
    .forkexec_idx = 1};
constexpr LevelParams kCpu24 = {.kind = LevelKind::kCpu,
                                .flags = kCommon | kBalanceNewidle | kWakeAffine,
                                .busy_idx = 2,
                                .idle_idx = 1,
                                .newidle_idx = 2,
                                .wake_idx = 1,
                                .forkexec_idx = 1};

constexpr LevelParams with_flags(LevelParams level, std::uint32_t flags) {
    level.flags = flags;
    return level;
}

constexpr LevelParams kLevels24[] = {kMc24, kCpu24};
constexpr LevelParams kLevels25[] = {
    with_flags(kMc24, kCommon | kBalanceNewidle | kBalanceFork | kWakeAffine | kSharePkgResources),
    with_flags(kCpu24, kCommon | kBalanceNewidle | kBalanceFork | kWakeAffine)};

// --- the versions, each as what it changed in its predecessor
// -----------------------------------------

constexpr CfsVersion v24() {
    CfsVersion v;
    v.name = "cfs-2.6.24";
    v.key = "V24";
    v.kernel = "2.6.24 (2008-01-24)";
    v.summary = "vruntime; cold sync wakees are pulled; idle search inside a shared cache";
    v.features = kFeatures24;
    v.always_on = {F::kSyncWakeups, F::kAffineWakeups, F::kLbBias};
    v.queued_wakeup_preempts = false;
    v.levels = kLevels24;
    v.ipc = {.data_ready_sync = false, .unix_write_space_sync = true, .pipe_end_sync = true};
    return v;
}

constexpr CfsVersion v25() {
    CfsVersion v = v24();
    v.name = "cfs-2.6.25";
    v.key = "V25";
    v.kernel = "2.6.25 (2008-04-16), scheduler identical in 2.6.25.4";
    v.summary = "socket wake-ups are sync, and small overlaps pull the wakee whatever the loads";
    v.features = kFeatures25;
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
    v.levels = kLevels25;
    v.ipc.data_ready_sync = true;
    return v;
}

constexpr CfsVersion v26a() {
    CfsVersion v = v25();
    v.name = "cfs-2.6.26-rc3";
    v.key = "V26A";
    v.kernel = "2.6.26-rc3, -rc4 (2008-05-18 ... 28)";
    v.summary = "as 2.6.25, virtual time scaled by the queue's weight, remote clocks exact";
    v.features = kFeatures26;
    // AFFINE_WAKEUPS is in the list but read nowhere yet (cfs.md 3.2).
    v.always_on = {F::kAffineWakeups, F::kLbBias};
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
    v.balance.order = BalanceOrder::kListLosesLast;
    return v;
}

constexpr CfsVersion v26() {
    CfsVersion v = v26a();
    v.name = "cfs-2.6.26";
    v.key = "V26";
    v.kernel = "2.6.26 (2008-07-13), = -rc5 for the fair class";
    v.summary = "queue scaling reverted; a wakee is pulled only if that does not unbalance";
    v.always_on = {F::kLbBias};
    v.vruntime_rate = VruntimeRate::kOwnWeight;
    v.slice = SliceRule::kDivide;
    v.vslice = VsliceRule::kQueueShareIfNew;
    v.credit = CreditRule::kPlain;
    v.granularity = GranularityRule::kCurrHeavy;
    v.affine = AffineRule::kBalanced;
    return v;
}

constexpr std::array kVersions = {v24(), v25(), v26a(), v26()};

}  // namespace

std::span<const CfsVersion> versions() {
    return kVersions;
}

const CfsVersion& version_by_key(std::string_view key) {
    const auto* it = std::ranges::find(kVersions, key, &CfsVersion::key);
    WK_CHECK(it != kVersions.end());
    return *it;
}

}  // namespace wakelab::policy::cfs
