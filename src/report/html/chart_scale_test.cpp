#include "report/html/chart_scale.hpp"

#include <gtest/gtest.h>

namespace wakelab::report::html {
namespace {

TEST(ChartScale, LinearTicksAreRound) {
    const ChartScale s = {0, 35000, false, 0, 700};
    EXPECT_EQ(s.ticks(5), (std::vector<double>{0, 10000, 20000, 30000}));
    EXPECT_DOUBLE_EQ(s.at(17500), 350);
    EXPECT_DOUBLE_EQ(s.at(1e9), 700) << "clamped";
}

// log10 100 .. 10000 is two decades: 1, 2 and 5 of each.
TEST(ChartScale, LogTicks) {
    const ChartScale s = {100, 10000, true, 0, 200};
    EXPECT_EQ(s.ticks(8), (std::vector<double>{100, 200, 500, 1000, 2000, 5000, 10000}));
    EXPECT_NEAR(s.at(1000), 100, 1e-9);
    EXPECT_DOUBLE_EQ(s.at(0), 0);
}

TEST(ChartScale, OverManyDecadesPowersOfTen) {
    const ChartScale s = {1, 1e6, true, 0, 200};
    EXPECT_EQ(s.ticks(8).size(), 7u);
}

TEST(ChartScale, RoundsUp) {
    EXPECT_DOUBLE_EQ(round_up(31974), 40000);
    EXPECT_DOUBLE_EQ(round_up(0), 1);
    EXPECT_DOUBLE_EQ(round_up(1), 1);
}

}  // namespace
}  // namespace wakelab::report::html
