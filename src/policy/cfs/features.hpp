// sched_features: names and meanings once, and per version the order in which that version lists
// them, because the decimal mask numbers them by position (cfs.md 3).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "policy/registry.hpp"

namespace wakelab::policy::cfs {

enum class Feature : std::uint8_t {
    kNewFairSleepers,
    kFairSleepers,
    kGentleFairSleepers,
    kNormalizedSleeper,
    kAdaptiveGran,
    kWakeupPreempt,
    kStartDebit,
    kTreeAvg,
    kApproxAvg,
    kAffineWakeups,
    kCacheHotBuddy,
    kSyncWakeups,
    kHrtick,
    kDoubleTick,
    kDeadline,
    kAsymGran,
    kLbBias,
    kLbWakeupUpdate,
    kAsymEffLoad,
    kWakeupSync,
    kWakeupOverlap,
    kWakeupRunning,
    kSyncLess,
    kSyncMore,
    kNextBuddy,
    kLastBuddy,
    kOwnerSpin,
    kArchPower,
    kLbSharesUpdate,
    kSleeperAvg,
    kSleeperLoadAvg,
    kPreciseCpuLoad,
    kSkipInitial,
};

class FeatureSet {
 public:
    constexpr FeatureSet() = default;
    constexpr FeatureSet(std::initializer_list<Feature> features) {
        for (const Feature f : features) add(f);
    }
    [[nodiscard]] constexpr bool has(Feature f) const { return (bits_ & bit(f)) != 0; }
    constexpr void add(Feature f) { bits_ |= bit(f); }
    constexpr void add(FeatureSet other) { bits_ |= other.bits_; }

 private:
    static constexpr std::uint64_t bit(Feature f) {
        return std::uint64_t{1} << static_cast<unsigned>(f);
    }
    std::uint64_t bits_ = 0;
};

// One line of a version's sched_features.h; its mask bit is 1 << position.
struct FeatureSlot {
    Feature feature;
    bool on;
};

// Read by kernels with task groups, spinning mutexes or measured CPU power, which are not modelled.
inline constexpr FeatureSet kNotModelled = {Feature::kLbWakeupUpdate, Feature::kAsymEffLoad,
                                            Feature::kOwnerSpin, Feature::kArchPower,
                                            Feature::kLbSharesUpdate};

// The registry's view of a version's list; `unread`: what that version lists and never reads.
[[nodiscard]] std::vector<FeatureInfo> feature_infos(std::span<const FeatureSlot> slots,
                                                     FeatureSet unread);
// Meaning of a decimal mask in the version that lists `slots`; unknown bits are ignored.
[[nodiscard]] FeatureSet decode_features(std::span<const FeatureSlot> slots, std::uint64_t mask);

}  // namespace wakelab::policy::cfs
