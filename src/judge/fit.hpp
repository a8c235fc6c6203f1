// `wakelab fit`: a small deterministic search for machine and workload costs. Only cells of role
// fit are looked at; what comes out is a record to read, and to copy into the files by hand.
//
// objective = sum over the fit cells of ln(simulated / published)^2
//           + pull * sum over the parameters of ((value - start) / (hi - lo))^2
//
// Search after Hooke and Jeeves (1961), in integers: parameter by parameter one step up and down,
// the better kept; after a round that helped, one more move in its direction; after one that did
// not, all steps are halved. Steps begin at 1/8 of a parameter's bounds and end at 1/128 (or 1):
// finer ones only follow the noise of the seeds. The seeds are the same throughout, so the same
// plan always gives the same record, whatever the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "judge/fit_plan.hpp"
#include "judge/pgbench_tables.hpp"
#include "judge/published.hpp"
#include "lab/sweep.hpp"

namespace wakelab::judge {

struct FittedParameter {
    FitParameter parameter;
    std::int64_t value = 0;

    // A value at a bound says that the model wants something the bound's source forbids.
    [[nodiscard]] bool at_bound() const { return value == parameter.lo || value == parameter.hi; }
};

struct FittedCell {
    std::string experiment;
    std::string label;  // of the column
    std::int32_t clients = 0;
    double published = 0;
    double before = 0;  // simulated median at the start values
    double after = 0;   // and at the end
};

struct FitRecord {
    std::vector<FittedParameter> parameters;
    std::vector<FittedCell> cells;
    double objective_before = 0;
    double objective_after = 0;
    std::int64_t rounds = 0;
    bool converged = false;  // false: stopped by rounds_max
    std::size_t runs = 0;    // simulated runs in all
};

// After every round: its number from 1, the objective so far, the runs so far. May be empty.
using FitProgress = std::function<void(std::int64_t round, double objective, std::size_t runs)>;

// Error: no fit cell can be run, a parameter that no fit cell depends on, or a run that failed.
[[nodiscard]] Result<FitRecord> fit(const FitPlan& plan, std::span<const PublishedColumn> columns,
                                    const std::vector<PublishedRow>& rows,
                                    const lab::RunFunction& run, const FitProgress& progress = {});

}  // namespace wakelab::judge
