#include "policy/cfs/features.hpp"

#include <array>

namespace wakelab::policy::cfs {

namespace {

struct FeatureText {
    std::string_view name;
    std::string_view meaning;
};

// By value of Feature.
constexpr std::array<FeatureText, 33> kTexts = {{
    {"NEW_FAIR_SLEEPERS", "a woken task is placed up to one latency before the queue's minimum"},
    {"FAIR_SLEEPERS", "a woken task is credited with its sleep, up to one latency"},
    {"GENTLE_FAIR_SLEEPERS", "sleeper credit is halved"},
    {"NORMALIZED_SLEEPER", "sleeper credit is converted to virtual time of the wakee"},
    {"ADAPTIVE_GRAN", "tasks that wake others often preempt with a smaller granularity"},
    {"WAKEUP_PREEMPT", "a woken task may preempt the running one; off: only the tick preempts"},
    {"START_DEBIT", "a new task is placed one slice behind the queue's minimum"},
    {"TREE_AVG", "places tasks at the middle of the tree"},
    {"APPROX_AVG", "places tasks at an estimate of the middle of the tree"},
    {"AFFINE_WAKEUPS", "a wakee may be pulled to the waker's CPU"},
    {"CACHE_HOT_BUDDY", "a buddy counts as cache-hot for the load balancer"},
    {"SYNC_WAKEUPS", "the waker's hint that it is about to sleep is honoured"},
    {"HRTICK", "slices end by a high-resolution timer instead of at the next tick"},
    {"DOUBLE_TICK", "the periodic tick checks slices even while the slice timer is armed"},
    {"DEADLINE", "has a name and nothing else"},
    {"ASYM_GRAN", "wake-up granularity is scaled by one of the two weights only"},
    {"LB_BIAS", "off: balancing and placement use instantaneous loads"},
    {"LB_WAKEUP_UPDATE", "refreshes group shares at wake-ups (task groups only)"},
    {"ASYM_EFF_LOAD", "cheaper estimate of a group's load effect (task groups only)"},
    {"WAKEUP_SYNC", "a sync wakee preempts its waker at once"},
    {"WAKEUP_OVERLAP", "wakee and running task that overlap little preempt at once"},
    {"WAKEUP_RUNNING", "a wakee that runs shorter than the running task preempts at once"},
    {"SYNC_LESS", "a sync hint is dropped when waker or wakee overlaps long"},
    {"SYNC_MORE", "a hint is assumed when both overlap little"},
    {"NEXT_BUDDY", "the last woken task is preferred at the next pick"},
    {"LAST_BUDDY", "the last preempted task is preferred at the next pick"},
    {"OWNER_SPIN", "mutex waiters spin while the owner runs"},
    {"ARCH_POWER", "CPU power from hardware counters"},
    {"LB_SHARES_UPDATE", "refreshes group shares while balancing (task groups only)"},
    {"SLEEPER_AVG", "sleep counts only by the share of the CPU that others used meanwhile"},
    {"SLEEPER_LOAD_AVG", "that share is taken from the averaged load, not from the present one"},
    {"PRECISE_CPU_LOAD", "the tick averages the load over time instead of sampling it"},
    {"SKIP_INITIAL", "the first wait of a new task is not credited"},
}};

}  // namespace

std::vector<FeatureInfo> feature_infos(std::span<const FeatureSlot> slots, FeatureSet unread) {
    std::vector<FeatureInfo> infos;
    for (std::size_t i = 0; i < slots.size(); ++i) {
        const Feature feature = slots[i].feature;
        const FeatureText& text = kTexts[static_cast<std::size_t>(feature)];
        infos.push_back({.name = text.name,
                         .bit = std::uint64_t{1} << i,
                         .on = slots[i].on,
                         .meaning = text.meaning,
                         .use = unread.has(feature)         ? FeatureUse::kUnread
                                : kNotModelled.has(feature) ? FeatureUse::kNotModelled
                                                            : FeatureUse::kRead});
    }
    return infos;
}

FeatureSet decode_features(std::span<const FeatureSlot> slots, std::uint64_t mask) {
    FeatureSet set;
    for (std::size_t i = 0; i < slots.size(); ++i)
        if ((mask >> i) & 1) set.add(slots[i].feature);
    return set;
}

}  // namespace wakelab::policy::cfs
