#include "judge/fit_objective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "judge/score.hpp"
#include "metrics/stats.hpp"

namespace wakelab::judge {

namespace {

bool depends(const lab::RunSpec& spec, const FitParameter& p) {
    if (p.kind == FitParameter::Kind::kWorkload) return p.name == spec.scenario;
    return p.name == spec.machine || p.name == FitParameter::kEveryMachine;
}

double square(double x) {
    return x * x;
}

}  // namespace

Result<std::vector<FitTarget>> fit_targets(std::span<const PublishedColumn> columns,
                                           const std::vector<PublishedRow>& rows) {
    std::vector<FitTarget> targets;
    for (const PublishedColumn& column : columns) {
        if (!column.runnable()) continue;
        const Result<std::vector<PublishedCell>> cells = cells_of(rows, column);
        if (!cells) return cells.error();
        for (const PublishedCell& cell : *cells)
            if (cell.role == Role::kFit) targets.push_back({column, cell});
    }
    if (targets.empty()) return Error{"fit: no published cell of role fit can be run"};
    return targets;
}

FitObjective::FitObjective(const FitPlan& plan, const std::vector<FitTarget>& targets,
                           const lab::RunFunction& run)
    : plan_(plan), targets_(targets), run_(run) {
    for (const FitTarget& target : targets) {
        const lab::RunSpec spec = run_spec(target.column, target.cell.clients);
        std::vector<std::size_t>& indices = parameters_of_.emplace_back();
        for (std::size_t p = 0; p < plan.parameters.size(); ++p)
            if (depends(spec, plan.parameters[p])) indices.push_back(p);
    }
}

Status FitObjective::check() const {
    std::set<std::size_t> used;
    for (const auto& indices : parameters_of_) used.insert(indices.begin(), indices.end());
    for (std::size_t p = 0; p < plan_.parameters.size(); ++p)
        if (!used.contains(p))
            return Error{fmt::format("fit: no cell of role fit depends on {}",
                                     plan_.parameters[p].describe())};
    return {};
}

FitObjective::Key FitObjective::key(std::size_t target, const FitPoint& point) const {
    FitPoint own;
    for (const std::size_t p : parameters_of_[target]) own.push_back(point[p]);
    return {target, std::move(own)};
}

std::vector<lab::RunSpec> FitObjective::specs(std::size_t target, const FitPoint& point) const {
    lab::RunSpec spec = run_spec(targets_[target].column, targets_[target].cell.clients);
    spec.warmup = plan_.warmup;
    spec.duration = plan_.duration;
    for (const std::size_t p : parameters_of_[target])
        spec.overrides.emplace_back(plan_.parameters[p].override_key(), point[p]);
    std::vector<lab::RunSpec> specs;
    for (const std::uint64_t seed : plan_.seeds) {
        spec.seed = seed;
        specs.push_back(spec);
    }
    return specs;
}

Status FitObjective::simulate(std::span<const FitPoint> points) {
    std::vector<Key> missing;
    std::set<Key> listed;
    std::vector<lab::RunSpec> all;
    for (const FitPoint& point : points) {
        for (std::size_t t = 0; t < targets_.size(); ++t) {
            Key k = key(t, point);
            if (levels_.contains(k) || !listed.insert(k).second) continue;
            missing.push_back(std::move(k));
            std::ranges::move(specs(t, point), std::back_inserter(all));
        }
    }
    const Result<std::vector<lab::RunResult>> results = lab::sweep(all, run_);
    if (!results) return results.error();
    runs_ += all.size();
    std::size_t next = 0;
    for (Key& k : missing) {
        std::vector<double> rates;
        for (std::size_t s = 0; s < plan_.seeds.size(); ++s)
            rates.push_back((*results)[next++].rate);
        levels_.emplace(std::move(k), metrics::median(rates));
    }
    return {};
}

double FitObjective::value(const FitPoint& point) const {
    double sum = 0;
    const std::vector<double> simulated = levels(point);
    for (std::size_t t = 0; t < targets_.size(); ++t)
        sum += square(log_ratio(simulated[t], targets_[t].cell.value));
    for (std::size_t p = 0; p < point.size(); ++p) {
        const FitParameter& parameter = plan_.parameters[p];
        sum += plan_.pull * square(static_cast<double>(point[p] - parameter.start) /
                                   static_cast<double>(parameter.hi - parameter.lo));
    }
    return sum;
}

Result<std::vector<double>> FitObjective::at(std::span<const FitPoint> points) {
    if (Status s = simulate(points); !s) return s.error();
    std::vector<double> values;
    for (const FitPoint& point : points) values.push_back(value(point));
    return values;
}

std::vector<double> FitObjective::levels(const FitPoint& point) const {
    std::vector<double> levels;
    for (std::size_t t = 0; t < targets_.size(); ++t) levels.push_back(levels_.at(key(t, point)));
    return levels;
}

}  // namespace wakelab::judge
