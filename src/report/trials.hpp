// Experiments that were tried: the rate with each change beside the rate without.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "diag/finding.hpp"

namespace wakelab::report {

// Rates over the seeds, in work units per second.
struct RateRange {
    double median = 0;
    double min = 0;
    double max = 0;
};

struct Trial {
    diag::Experiment experiment;
    RateRange after;
};

struct Trials {
    std::string unit;  // of the rate, without "/s"
    std::size_t seeds = 0;
    RateRange before;
    std::vector<Trial> trials;
};

// after / before - 1, of the medians; 0 when nothing was done before.
[[nodiscard]] double change_of(const Trials& trials, const Trial& trial);

// One line per trial: before, after, change. Empty without trials.
[[nodiscard]] std::string trials_text(const Trials& trials);

// The object `json` with a member "tried": {"unit", "seeds", "before", "trials": [{"arguments",
// "why", "after", "change"}]}; "before" and "after" have "median", "min" and "max".
[[nodiscard]] std::string with_trials(const std::string& json, const Trials& trials);

}  // namespace wakelab::report
