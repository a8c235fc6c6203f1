// What a search can change about a scheduler: one feature bit flipped, or one tunable set to
// another value.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lab/run.hpp"
#include "policy/registry.hpp"

namespace wakelab::lab {

struct Change {
    std::string knob;       // "SYNC_WAKEUPS", "sched_migration_cost"
    std::string from;       // "on", "500000"
    std::string to;         // "off", "0"
    std::uint64_t bit = 0;  // a feature's value in the decimal mask; 0 for a tunable
    policy::FeatureUse use = policy::FeatureUse::kRead;
    std::vector<std::string> features;  // what the run spec gets
    std::vector<std::pair<std::string, std::int64_t>> tunables;

    // A run can differ; else there is no need to make one.
    [[nodiscard]] bool wired() const { return use == policy::FeatureUse::kRead; }
    // As options of the command line: "--features NO_SYNC_WAKEUPS".
    [[nodiscard]] std::string arguments() const;
    void apply(RunSpec& spec) const;
};

// Every bit of `info` flipped against `config`, in list order.
[[nodiscard]] std::vector<Change> feature_changes(const policy::SchedulerInfo& info,
                                                  const policy::SchedulerConfig& config);

// Every tunable of `config` at 0, 1/8, 1/4, 1/2, 2, 4 and 8 times its value, as far as its limits
// allow and each value once, ascending; a switch (0/1) at its other value; masks not at all.
[[nodiscard]] std::vector<Change> tunable_changes(const policy::SchedulerConfig& config);

}  // namespace wakelab::lab
