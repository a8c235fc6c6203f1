#include "judge/score.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace wakelab::judge {
namespace {

struct Print {
    double published;
    double simulated;
};

JudgedCell cell(std::string experiment, std::size_t column, std::int32_t clients, Print p,
                Role role = Role::kPredict) {
    return {.experiment = std::move(experiment),
            .machine = "box",
            .column = column,
            .clients = clients,
            .published = p.published,
            .simulated = p.simulated,
            .role = role,
            .bistable = false,
            .in_range = false};
}

// Errors ln 2, ln 1.1, 0: median 0.0953, 90th percentile at rank 1.8: 0.0953 + 0.8 * (0.6931 -
// 0.0953).
TEST(Score, ErrorIsSymmetricInTheRatio) {
    const std::vector<JudgedCell> cells = {cell("E", 0, 1, {100, 50}), cell("E", 0, 2, {100, 110}),
                                           cell("E", 0, 3, {100, 100})};
    const Score s = score(cells, Role::kPredict);
    EXPECT_EQ(s.cells, 3u);
    EXPECT_NEAR(s.median_error, std::log(1.1), 1e-12);
    EXPECT_NEAR(s.p90_error, 0.095310 + 0.8 * (0.693147 - 0.095310), 1e-5);
    EXPECT_NEAR(s.max_error, std::log(2), 1e-12);
}

TEST(Score, NothingFinishedIsAFactorOfAThousand) {
    EXPECT_DOUBLE_EQ(log_ratio(0, 100), -kErrorMax);
    EXPECT_NEAR(log_ratio(0.0001, 1e6), -std::log(1000), 1e-12);
    EXPECT_NEAR(log_ratio(200, 100), std::log(2), 1e-12);
}

// At 1 client print has 100 < 120 < 121. Pairs over 10 %: (100,120) simulated the same way,
// (100,121) not. (120,121) differs by less. Nothing is compared between client counts.
TEST(Score, DirectionCountsPairsThatDifferInPrint) {
    const std::vector<JudgedCell> cells = {cell("E", 0, 1, {100, 100}), cell("E", 1, 1, {120, 130}),
                                           cell("E", 2, 1, {121, 90}), cell("E", 0, 2, {500, 1})};
    const Score s = score(cells, Role::kPredict);
    EXPECT_EQ(s.within.total, 2u);
    EXPECT_EQ(s.within.same, 1u);
    EXPECT_DOUBLE_EQ(*s.within.share(), 0.5);
}

TEST(Score, ASimulatedTieIsNotTheSameWay) {
    const std::vector<JudgedCell> cells = {cell("E", 0, 1, {100, 90}), cell("E", 1, 1, {200, 90})};
    EXPECT_EQ(score(cells, Role::kPredict).within.same, 0u);
}

TEST(Score, PairsAcrossExperimentsNeedTheSameMachine) {
    std::vector<JudgedCell> cells = {cell("E1", 0, 1, {100, 90}), cell("E2", 1, 1, {200, 95}),
                                     cell("E3", 2, 1, {300, 99})};
    cells[2].machine = "other";
    const Score s = score(cells, Role::kPredict);
    EXPECT_EQ(s.within.total, 0u);
    EXPECT_FALSE(s.within.share());
    EXPECT_EQ(s.all.total, 1u);
    EXPECT_EQ(s.all.same, 1u);
}

// Fit with fit is fitted, fit with predict is predicted, reference and copy are nothing.
TEST(Score, RolesArePlacedApart) {
    const std::vector<JudgedCell> cells = {
        cell("E", 0, 1, {100, 100}, Role::kFit), cell("E", 1, 1, {200, 200}, Role::kFit),
        cell("E", 2, 1, {400, 300}), cell("E", 3, 1, {800, 1}, Role::kReference),
        cell("E", 4, 1, {900, 1}, Role::kCopy)};
    const Score fit = score(cells, Role::kFit);
    EXPECT_EQ(fit.cells, 2u);
    EXPECT_EQ(fit.within.total, 1u);
    EXPECT_DOUBLE_EQ(fit.max_error, 0);
    const Score predict = score(cells, Role::kPredict);
    EXPECT_EQ(predict.cells, 1u);
    EXPECT_EQ(predict.within.total, 2u);
    EXPECT_EQ(predict.within.same, 2u);
}

// Column 0: published 1 2 3, simulated 10 30 20: (2 - 1) / 3. Column 1: reversed, -1. Column 2 has
// two cells only. Mean (1/3 - 1) / 2 = -1/3.
TEST(Score, TauIsTheMeanOverColumnsOfThreeCells) {
    std::vector<JudgedCell> cells;
    const std::vector<std::vector<double>> simulated = {{10, 30, 20}, {3, 2, 1}, {1, 2}};
    for (std::size_t column = 0; column < simulated.size(); ++column)
        for (std::size_t i = 0; i < simulated[column].size(); ++i)
            cells.push_back(cell("E", column, static_cast<std::int32_t>(i),
                                 {static_cast<double>(i + 1), simulated[column][i]}));
    const Score s = score(cells, Role::kPredict);
    EXPECT_EQ(s.tau_columns, 2u);
    EXPECT_NEAR(*s.tau, -1.0 / 3, 1e-12);
}

TEST(Score, BistableCellsAreCounted) {
    std::vector<JudgedCell> cells = {cell("E", 0, 1, {1, 1}), cell("E", 0, 2, {1, 1}),
                                     cell("E", 0, 3, {1, 1})};
    cells[0].bistable = cells[1].bistable = true;
    cells[1].in_range = cells[2].in_range = true;
    const Score s = score(cells, Role::kPredict);
    EXPECT_EQ(s.bistable, 2u);
    EXPECT_EQ(s.bistable_in_range, 1u);
}

TEST(Score, NoCellsScoreNothing) {
    const Score s = score({}, Role::kFit);
    EXPECT_EQ(s.cells, 0u);
    EXPECT_FALSE(s.tau);
}

}  // namespace
}  // namespace wakelab::judge
