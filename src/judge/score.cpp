#include "judge/score.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/check.hpp"
#include "metrics/stats.hpp"

namespace wakelab::judge {

namespace {

constexpr std::size_t kTauCellsMin = 3;

bool judged(const JudgedCell& c) {
    return c.role == Role::kPredict || c.role == Role::kFit;
}

// The role of an order between two cells; see the head of score.hpp.
Role role_of_pair(const JudgedCell& a, const JudgedCell& b) {
    return a.role == Role::kFit && b.role == Role::kFit ? Role::kFit : Role::kPredict;
}

bool differ_in_print(const JudgedCell& a, const JudgedCell& b) {
    return std::max(a.published, b.published) >
           kDirectionRatio * std::min(a.published, b.published);
}

void add_errors(std::span<const JudgedCell> cells, Role role, Score& s) {
    std::vector<double> errors;
    for (const JudgedCell& c : cells) {
        if (c.role != role) continue;
        errors.push_back(std::abs(log_ratio(c.simulated, c.published)));
        s.bistable += c.bistable;
        s.bistable_in_range += c.bistable && c.in_range;
    }
    s.cells = errors.size();
    if (errors.empty()) return;
    s.median_error = metrics::median(errors);
    s.p90_error = metrics::percentile(errors, 90);
    s.max_error = std::ranges::max(errors);
}

void add_direction(std::span<const JudgedCell> cells, Role role, Score& s) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
        for (std::size_t j = i + 1; j < cells.size(); ++j) {
            const JudgedCell& a = cells[i];
            const JudgedCell& b = cells[j];
            if (a.clients != b.clients || a.column == b.column || a.machine != b.machine) continue;
            if (!judged(a) || !judged(b) || role_of_pair(a, b) != role) continue;
            if (!differ_in_print(a, b)) continue;
            const bool same =
                a.published > b.published ? a.simulated > b.simulated : a.simulated < b.simulated;
            ++s.all.total;
            s.all.same += same;
            if (a.experiment != b.experiment) continue;
            ++s.within.total;
            s.within.same += same;
        }
    }
}

void add_tau(std::span<const JudgedCell> cells, Role role, Score& s) {
    struct Curves {
        std::vector<double> published;
        std::vector<double> simulated;
    };
    std::map<std::size_t, Curves> columns;
    for (const JudgedCell& c : cells) {
        if (c.role != role) continue;
        columns[c.column].published.push_back(c.published);
        columns[c.column].simulated.push_back(c.simulated);
    }
    std::vector<double> taus;
    for (const auto& [column, curves] : columns) {
        if (curves.published.size() < kTauCellsMin) continue;
        // A curve that is flat to the last digit has no order; it then agrees with nothing.
        taus.push_back(metrics::kendall_tau_b(curves.published, curves.simulated).value_or(0));
    }
    s.tau_columns = taus.size();
    if (!taus.empty()) s.tau = metrics::arithmetic_mean(taus);
}

}  // namespace

double log_ratio(double simulated, double published) {
    WK_CHECK(published > 0 && simulated >= 0);
    if (simulated == 0) return -kErrorMax;
    return std::clamp(std::log(simulated / published), -kErrorMax, kErrorMax);
}

std::optional<double> Pairs::share() const {
    if (total == 0) return {};
    return static_cast<double>(same) / static_cast<double>(total);
}

Score score(std::span<const JudgedCell> cells, Role role) {
    WK_CHECK(role == Role::kPredict || role == Role::kFit);
    Score s;
    add_errors(cells, role, s);
    add_direction(cells, role, s);
    add_tau(cells, role, s);
    return s;
}

}  // namespace wakelab::judge
