// How far simulated cells are from published ones (DESIGN 5.4).
//
// error       |ln(simulated / published)| of a cell: symmetric, 0.10 is about 10 %.
// direction   of all pairs of columns at one load level whose published values differ by more than
//             10 %, the share that the simulation orders the same way (a tie is not the same way).
//             Within: pairs of one experiment, measured in one go. All: any two columns measured on
//             the same machine file, as an additional figure; machine states differ between
//             experiments.
// tau         Kendall's tau-b between the published and the simulated curve of a column over the
// load
//             levels, averaged over the columns with at least three judged cells.
//
// Only cells of role predict and fit count, each role for itself. A pair of a predicted and a
// fitted cell counts as predicted: the order between them was not fitted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "judge/published.hpp"

namespace wakelab::judge {

// A simulated value of 0 (nothing ever finished) counts as a factor of 1000, not as infinity.
inline constexpr double kErrorMax = 6.907755278982137;  // ln 1000
inline constexpr double kDirectionRatio = 1.10;

struct JudgedCell {
    std::string experiment;
    std::string machine;
    std::size_t column = 0;  // unique over all experiments
    std::int32_t clients = 0;
    double published = 0;  // > 0
    double simulated = 0;  // >= 0; the median over seeds
    Role role = Role::kPredict;
    bool bistable = false;  // two humps over the seeds
    bool in_range = false;  // published value within min .. max of the seeds
};

// ln(simulated / published), within +-kErrorMax. Positive: the simulation is too fast.
[[nodiscard]] double log_ratio(double simulated, double published);

struct Pairs {
    std::size_t total = 0;
    std::size_t same = 0;
    [[nodiscard]] std::optional<double> share() const;  // nothing without pairs
};

struct Score {
    std::size_t cells = 0;
    double median_error = 0;  // 0 without cells
    double p90_error = 0;
    double max_error = 0;
    Pairs within;               // direction within an experiment
    Pairs all;                  // over all experiments of a machine file
    std::optional<double> tau;  // nothing when no column has three cells
    std::size_t tau_columns = 0;
    std::size_t bistable = 0;
    std::size_t bistable_in_range = 0;
};

// `role`: kPredict or kFit.
[[nodiscard]] Score score(std::span<const JudgedCell> cells, Role role);

}  // namespace wakelab::judge
