// The scores of DESIGN 5.4 over every published pgbench cell that the schedulers of the first story can
// run. The bounds are what the story promises, not what it happens to reach: docs/model/validation.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "judge/pgbench_tables.hpp"
#include "judge/validate.hpp"

namespace wakelab::judge {
namespace {

TEST(PgbenchScores, PredictedCellsOfTheFirstStory) {
    constexpr std::array<std::string_view, 5> kStory = {"o1-2.6.22", "cfs-2.6.24", "cfs-2.6.25",
                                                        "cfs-2.6.26-rc3", "cfs-2.6.26"};
    std::vector<PublishedColumn> columns;
    for (const PublishedColumn& c : pgbench_columns())
        if (c.runnable() && std::ranges::find(kStory, c.scheduler) != kStory.end())
            columns.push_back(c);
    const auto rows = load_published();
    ASSERT_TRUE(rows) << rows.error().message;
    const auto report = validate(columns, *rows, ValidateOptions{},
                                 [](const lab::RunSpec& s) { return lab::run(s); });
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_GE(report->predict.cells, 130u);
    EXPECT_LE(report->predict.median_error, 0.11);
    EXPECT_LE(report->predict.p90_error, 0.35);
    EXPECT_GE(report->predict.within.share().value_or(0), 0.90);
}

}  // namespace
}  // namespace wakelab::judge
