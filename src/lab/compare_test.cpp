#include "lab/compare.hpp"

#include <gtest/gtest.h>

#include <map>

namespace wakelab::lab {
namespace {

// Rates by scheduler, load and seed; hand-made.
using Rates = std::map<std::string, std::map<std::int32_t, std::vector<double>>>;

RunFunction fake(const Rates& rates) {
    return [&rates](const RunSpec& spec) -> Result<RunResult> {
        RunResult r;
        r.unit = "transactions";
        r.rate = rates.at(spec.scheduler).at(spec.clients).at(spec.seed - 1);
        return r;
    };
}

ComparePlan plan_of(const std::vector<std::string>& schedulers, std::vector<std::int32_t> loads,
                    std::uint64_t seeds) {
    ComparePlan plan;
    for (const std::string& s : schedulers) {
        plan.variants.push_back({s, {}});
        plan.variants.back().spec.scheduler = s;
    }
    plan.loads = std::move(loads);
    for (std::uint64_t s = 1; s <= seeds; ++s) plan.seeds.push_back(s);
    return plan;
}

// "new": medians 20 and 5 against 10 and 10, ratios 2 and 0.5: geometric mean 1.
TEST(Compare, RatiosOfMediansAndTheirGeometricMean) {
    const Rates rates = {{"old", {{1, {10, 9, 11}}, {4, {10, 10.5, 9.5}}}},
                         {"new", {{1, {20, 19, 21}}, {4, {5, 4.9, 5.1}}}}};
    const auto c = compare(plan_of({"old", "new"}, {1, 4}, 3), fake(rates));
    ASSERT_TRUE(c);
    EXPECT_EQ(c->unit, "transactions/s");
    EXPECT_EQ(c->title, "pgbench on q6600");
    EXPECT_FALSE(c->cells[0][0].ratio);
    EXPECT_DOUBLE_EQ(*c->cells[0][1].ratio, 2);
    EXPECT_DOUBLE_EQ(*c->cells[1][1].ratio, 0.5);
    EXPECT_NEAR(*c->mean_ratio[1], 1, 1e-12);
    EXPECT_TRUE(c->cells[0][1].significant);
    EXPECT_FALSE(c->few_seeds());
}

// Values 10 20 30: median 20, harmonic mean 3 / (1/10 + 1/20 + 1/30) = 16.364, stddev 10,
// variation 0.5.
TEST(Compare, CellsHoldLevelAndSpread) {
    const Rates rates = {{"a", {{1, {30, 10, 20}}}}};
    const auto c = compare(plan_of({"a"}, {1}, 3), fake(rates));
    ASSERT_TRUE(c);
    const CompareCell& cell = c->cells[0][0];
    EXPECT_DOUBLE_EQ(cell.median, 20);
    EXPECT_NEAR(cell.mean, 16.3636, 1e-4);
    EXPECT_DOUBLE_EQ(cell.stddev, 10);
    EXPECT_DOUBLE_EQ(cell.variation, 0.5);
    EXPECT_DOUBLE_EQ(cell.min, 10);
    EXPECT_DOUBLE_EQ(cell.max, 30);
    EXPECT_EQ(cell.values, (std::vector<double>{30, 10, 20}));
}

TEST(Compare, OverlappingSeedsAreNotSignificant) {
    const Rates rates = {{"a", {{1, {10, 12, 14}}}}, {"b", {{1, {11, 13, 15}}}}};
    const auto c = compare(plan_of({"a", "b"}, {1}, 3), fake(rates));
    ASSERT_TRUE(c);
    EXPECT_FALSE(c->cells[0][1].significant);
}

TEST(Compare, TwoHumpsAreMarked) {
    const Rates rates = {{"a", {{1, {10, 30, 10.2, 30.5, 29.9}}}}};
    const auto c = compare(plan_of({"a"}, {1}, 5), fake(rates));
    ASSERT_TRUE(c);
    EXPECT_TRUE(c->cells[0][0].two_humps);
}

// Half the time is twice as good.
TEST(Compare, LessIsBetterForTimes) {
    const Rates rates = {{"a", {{1, {4, 4, 4}}}}, {"b", {{1, {2, 2, 2}}}}};
    ComparePlan plan = plan_of({"a", "b"}, {1}, 3);
    plan.metric.kind = MetricKind::kTime;
    plan.metric.unit = "us";
    const auto c = compare(plan, fake(rates));
    ASSERT_TRUE(c);
    EXPECT_DOUBLE_EQ(*c->cells[0][1].ratio, 2);
    EXPECT_DOUBLE_EQ(c->cells[0][1].mean, 2);
    EXPECT_EQ(c->unit, "us");
}

TEST(Compare, AZeroLevelHasNoRatio) {
    const Rates rates = {{"a", {{1, {4, 4, 4}}}}, {"b", {{1, {0, 0, 0}}}}};
    const auto c = compare(plan_of({"a", "b"}, {1}, 3), fake(rates));
    ASSERT_TRUE(c);
    EXPECT_FALSE(c->cells[0][1].ratio);
    EXPECT_FALSE(c->mean_ratio[1]);
}

TEST(Compare, TwoSeedsAreFew) {
    const Rates rates = {{"a", {{1, {4, 5}}}}};
    const auto c = compare(plan_of({"a"}, {1}, 2), fake(rates));
    ASSERT_TRUE(c);
    EXPECT_TRUE(c->few_seeds());
}

TEST(Compare, EmptyAndAmbiguousPlansAreErrors) {
    const Rates rates = {{"a", {{1, {4}}}}};
    EXPECT_EQ(compare(plan_of({"a"}, {1}, 0), fake(rates)).error().message,
              "compare: no seed to run");
    EXPECT_EQ(compare(plan_of({"a", "a"}, {1}, 1), fake(rates)).error().message,
              "compare: two variants are called 'a'");
}

}  // namespace
}  // namespace wakelab::lab
