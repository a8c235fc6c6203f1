// What can be changed about the scheduler that was run, so that findings propose only what exists
// there. Filled by the caller: rules know schedulers by the names of their knobs only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wakelab::diag {

struct FeatureKnob {
    std::string name;       // SYNC_WAKEUPS
    std::uint64_t bit = 0;  // its value in the decimal mask
    bool on = false;        // in the run
    bool wired = true;      // this version reads it; else changing it is no experiment
};

struct TunableKnob {
    std::string name;        // sched_migration_cost
    std::int64_t value = 0;  // in the run
    std::int64_t min = 0;
    std::int64_t max = 0;
};

// A recorded system: experiments are commands there, in the words of its kernel.
struct LiveSystem {
    int major = 0;  // of the kernel; 0: not known
    int minor = 0;

    // "6.1.0-18-amd64" -> 6.1
    static LiveSystem of_release(std::string_view release);
    [[nodiscard]] bool at_least(int a, int b) const {
        return major == 0 || major > a || (major == a && minor >= b);
    }
};

struct Knobs {
    std::vector<FeatureKnob> features;
    std::vector<TunableKnob> tunables;
    std::optional<LiveSystem> live;  // nothing: simulated, see the options of `wakelab run`
    bool has_batch = true;  // SCHED_BATCH exists and the tasks do not run under it already

    // The feature is on, and switching it off could change something.
    [[nodiscard]] bool can_clear(std::string_view name) const {
        const auto at = std::ranges::find(features, name, &FeatureKnob::name);
        return at != features.end() && at->on && at->wired;
    }
    // Null: no such tunable.
    [[nodiscard]] const TunableKnob* tunable(std::string_view name) const {
        const auto at = std::ranges::find(tunables, name, &TunableKnob::name);
        return at == tunables.end() ? nullptr : &*at;
    }
    // The decimal mask with this feature switched off, as written to
    // /proc/sys/kernel/sched_features.
    [[nodiscard]] std::uint64_t mask_without(std::string_view name) const {
        std::uint64_t mask = 0;
        for (const FeatureKnob& f : features)
            if (f.on && f.name != name) mask |= f.bit;
        return mask;
    }
};

}  // namespace wakelab::diag
