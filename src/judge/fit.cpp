#include "judge/fit.hpp"

#include <algorithm>

#include "judge/fit_objective.hpp"

namespace wakelab::judge {

namespace {

constexpr std::int64_t kFirstStepShare = 8;
constexpr std::int64_t kLastStepShare = 128;

class PatternSearch {
 public:
    PatternSearch(const FitPlan& plan, FitObjective& objective)
        : plan_(plan), objective_(objective) {
        for (const FitParameter& p : plan.parameters) {
            best_.push_back(p.start);
            steps_.push_back(std::max<std::int64_t>(1, (p.hi - p.lo) / kFirstStepShare));
        }
    }

    // Evaluates the start.
    Status begin() {
        const Result<std::vector<double>> value = objective_.at(std::span(&best_, 1));
        if (!value) return value.error();
        value_ = value->front();
        return {};
    }

    // One round. After the last one `converged()` is true.
    Status round() {
        const FitPoint before = best_;
        for (std::size_t p = 0; p < best_.size(); ++p)
            if (Status s = try_points({stepped(p, -steps_[p]), stepped(p, steps_[p])}); !s)
                return s;
        if (best_ == before) {
            halve_steps();
            return {};
        }
        FitPoint further = best_;
        for (std::size_t p = 0; p < best_.size(); ++p)
            further[p] = clamped(p, best_[p] + (best_[p] - before[p]));
        return try_points({further});
    }

    [[nodiscard]] bool converged() const { return converged_; }
    [[nodiscard]] const FitPoint& best() const { return best_; }
    [[nodiscard]] double value() const { return value_; }

 private:
    [[nodiscard]] std::int64_t clamped(std::size_t p, std::int64_t value) const {
        return std::clamp(value, plan_.parameters[p].lo, plan_.parameters[p].hi);
    }

    [[nodiscard]] FitPoint stepped(std::size_t p, std::int64_t step) const {
        FitPoint point = best_;
        point[p] = clamped(p, point[p] + step);
        return point;
    }

    // Moves to the best of `points` if that is better than where we are; the first of equals.
    Status try_points(const std::vector<FitPoint>& points) {
        const Result<std::vector<double>> values = objective_.at(points);
        if (!values) return values.error();
        const auto lowest = std::ranges::min_element(*values);
        if (*lowest >= value_) return {};
        value_ = *lowest;
        best_ = points[static_cast<std::size_t>(lowest - values->begin())];
        return {};
    }

    void halve_steps() {
        converged_ = true;
        for (std::size_t p = 0; p < steps_.size(); ++p) {
            const FitParameter& parameter = plan_.parameters[p];
            const std::int64_t last =
                std::max<std::int64_t>(1, (parameter.hi - parameter.lo) / kLastStepShare);
            if (steps_[p] > last) converged_ = false;
            steps_[p] = std::max(last, steps_[p] / 2);
        }
    }

    const FitPlan& plan_;
    FitObjective& objective_;
    FitPoint best_;
    FitPoint steps_;
    double value_ = 0;
    bool converged_ = false;
};

}  // namespace

Result<FitRecord> fit(const FitPlan& plan, std::span<const PublishedColumn> columns,
                      const std::vector<PublishedRow>& rows, const lab::RunFunction& run,
                      const FitProgress& progress) {
    const Result<std::vector<FitTarget>> targets = fit_targets(columns, rows);
    if (!targets) return targets.error();
    FitObjective objective(plan, *targets, run);
    if (Status s = objective.check(); !s) return s.error();
    PatternSearch search(plan, objective);
    if (Status s = search.begin(); !s) return s.error();

    FitRecord record;
    record.objective_before = search.value();
    const std::vector<double> before = objective.levels(search.best());
    while (!search.converged() && record.rounds < plan.rounds_max) {
        if (Status s = search.round(); !s) return s.error();
        ++record.rounds;
        if (progress) progress(record.rounds, search.value(), objective.runs());
    }
    record.objective_after = search.value();
    record.converged = search.converged();
    record.runs = objective.runs();
    for (std::size_t p = 0; p < plan.parameters.size(); ++p)
        record.parameters.push_back({plan.parameters[p], search.best()[p]});
    const std::vector<double> after = objective.levels(search.best());
    for (std::size_t t = 0; t < targets->size(); ++t) {
        const FitTarget& target = (*targets)[t];
        record.cells.push_back({.experiment = target.column.experiment,
                                .label = target.column.label,
                                .clients = target.cell.clients,
                                .published = target.cell.value,
                                .before = before[t],
                                .after = after[t]});
    }
    return record;
}

}  // namespace wakelab::judge
