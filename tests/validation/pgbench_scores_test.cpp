// Scores of the published tables that the schedulers can run. The bounds are what is promised, not what
// happens to be reached: docs/model/validation.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "judge/pgbench_tables.hpp"
#include "judge/validate.hpp"

namespace wakelab::judge {
namespace {

Score score_of(const std::vector<PublishedColumn>& columns, std::uint64_t seeds) {
    const auto rows = load_published();
    EXPECT_TRUE(rows) << rows.error().message;
    ValidateOptions options;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) options.seeds.push_back(seed);
    const auto report =
        validate(columns, *rows, options, [](const lab::RunSpec& s) { return lab::run(s); });
    EXPECT_TRUE(report) << report.error().message;
    return report->predict;
}

TEST(PgbenchScores, PredictedCellsOfTheFirstStory) {
    constexpr std::array<std::string_view, 5> kStory = {"o1-2.6.22", "cfs-2.6.24", "cfs-2.6.25",
                                                        "cfs-2.6.26-rc3", "cfs-2.6.26"};
    std::vector<PublishedColumn> columns;
    for (const PublishedColumn& c : pgbench_columns())
        if (c.runnable() && std::ranges::find(kStory, c.scheduler) != kStory.end())
            columns.push_back(c);
    const Score score = score_of(columns, 9);
    EXPECT_GE(score.cells, 130u);
    EXPECT_LE(score.median_error, 0.11);
    EXPECT_LE(score.p90_error, 0.35);
    EXPECT_GE(score.within.share().value_or(0), 0.90);
}

// All kernels and patches, as `wakelab validate pgbench` runs them.
TEST(PgbenchScores, PredictedCellsOfAllTables) {
    std::vector<PublishedColumn> columns;
    for (const PublishedColumn& c : pgbench_columns())
        if (c.runnable()) columns.push_back(c);
    const Score score = score_of(columns, 25);
    EXPECT_GE(score.cells, 228u);
    EXPECT_LE(score.median_error, 0.11);
    EXPECT_LE(score.p90_error, 0.35);
    EXPECT_GE(score.within.share().value_or(0), 0.90);
}

}  // namespace
}  // namespace wakelab::judge
