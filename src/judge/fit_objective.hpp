// The objective of a fit: runs the fit cells for given parameter values and remembers what it ran.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "judge/fit_plan.hpp"
#include "judge/pgbench_tables.hpp"
#include "lab/sweep.hpp"

namespace wakelab::judge {

// One value per parameter of the plan, in its order.
using FitPoint = std::vector<std::int64_t>;

struct FitTarget {
    PublishedColumn column;
    PublishedCell cell;
};

// The runnable cells of role fit. Error: unreadable rows, or none.
[[nodiscard]] Result<std::vector<FitTarget>> fit_targets(std::span<const PublishedColumn> columns,
                                                         const std::vector<PublishedRow>& rows);

class FitObjective {
 public:
    // All references must outlive the objective.
    FitObjective(const FitPlan& plan, const std::vector<FitTarget>& targets,
                 const lab::RunFunction& run);

    // Error: a parameter that changes no target.
    [[nodiscard]] Status check() const;
    // Objective at each point; all missing runs go through one sweep.
    [[nodiscard]] Result<std::vector<double>> at(std::span<const FitPoint> points);
    // Simulated level of every target at a point that `at` has seen.
    [[nodiscard]] std::vector<double> levels(const FitPoint& point) const;
    [[nodiscard]] std::size_t runs() const { return runs_; }

 private:
    // A target's level depends only on the parameters of its own machine and workload; so a step on
    // one machine costs no run on the other.
    using Key = std::pair<std::size_t, FitPoint>;
    [[nodiscard]] Key key(std::size_t target, const FitPoint& point) const;
    [[nodiscard]] std::vector<lab::RunSpec> specs(std::size_t target, const FitPoint& point) const;
    [[nodiscard]] Status simulate(std::span<const FitPoint> points);
    [[nodiscard]] double value(const FitPoint& point) const;

    const FitPlan& plan_;
    const std::vector<FitTarget>& targets_;
    const lab::RunFunction& run_;
    std::vector<std::vector<std::size_t>> parameters_of_;  // target -> indices of parameters
    std::map<Key, double> levels_;
    std::size_t runs_ = 0;
};

}  // namespace wakelab::judge
