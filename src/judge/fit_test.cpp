#include "judge/fit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>

#include "judge/fit_objective.hpp"

namespace wakelab::judge {
namespace {

PublishedColumn column(std::string experiment, std::string machine) {
    PublishedColumn c;
    c.experiment = std::move(experiment);
    c.kernel = "k";
    c.label = "k";
    c.machine = std::move(machine);
    c.scheduler = "s";
    return c;
}

PublishedRow row(std::string experiment, int clients, double tps, Role role = Role::kFit) {
    PublishedRow r;
    r.experiment = std::move(experiment);
    r.kernel = "k";
    r.clients = std::to_string(clients);
    r.unit = "tps";
    r.number = tps;
    r.role = role;
    return r;
}

FitParameter parameter(FitParameter::Kind kind, std::string name, std::string key,
                       std::int64_t start) {
    FitParameter p;
    p.kind = kind;
    p.name = std::move(name);
    p.key = std::move(key);
    p.start = start;
    p.lo = 0;
    p.hi = 1000;
    p.bound_source = "test";
    return p;
}

// A world whose answer is known: a transaction takes (fixed + per_client * clients) us.
struct World {
    std::vector<PublishedColumn> columns = {column("A", "quad"), column("B", "x2")};
    // fixed 300, per_client 40 on the quad: 340, 380, 700 us.
    std::vector<PublishedRow> rows = {row("A", 1, 1e6 / 340), row("A", 2, 1e6 / 380),
                                      row("A", 10, 1e6 / 700), row("A", 20, 1, Role::kPredict),
                                      row("B", 1, 1e6 / 500)};
    FitPlan plan;
    std::atomic<int> calls = 0;
    lab::RunFunction run = [this](const lab::RunSpec& spec) -> Result<lab::RunResult> {
        ++calls;
        std::map<std::string, std::int64_t> values(spec.overrides.begin(), spec.overrides.end());
        const double us = static_cast<double>(values["machine.fixed"]) +
                          static_cast<double>(values["workload.per_client"]) * spec.clients;
        lab::RunResult r;
        r.rate = 1e6 / std::max(us, 1.0);
        return r;
    };
    World() {
        using enum FitParameter::Kind;
        plan.parameters = {parameter(kMachine, "quad", "fixed", 200),
                           parameter(kMachine, "x2", "fixed", 200),
                           parameter(kWorkload, "pgbench", "per_client", 100)};
        plan.seeds = {1};
        plan.pull = 0;
        plan.rounds_max = 200;
    }
};

// x2 wants 500 us, the quad 340 with one client: one fixed cost for both ends between them, and
// every run of both machines sees it.
TEST(Fit, AParameterOfEveryMachineMovesThemAll) {
    World w;
    w.rows = {row("A", 1, 1e6 / 340), row("B", 1, 1e6 / 500)};
    w.plan.parameters = {parameter(FitParameter::Kind::kMachine, "*", "fixed", 200)};
    const auto record = fit(w.plan, w.columns, w.rows, w.run);
    ASSERT_TRUE(record) << record.error().message;
    // Least squares of the logarithms: the geometric mean, sqrt(340 * 500) = 412.
    EXPECT_NEAR(static_cast<double>(record->parameters[0].value), 412, 14);
    ASSERT_EQ(record->cells.size(), 2u);
    EXPECT_EQ(record->cells[0].after, record->cells[1].after);
}

TEST(Fit, FindsTheParametersOfAKnownWorld) {
    World w;
    const auto record = fit(w.plan, w.columns, w.rows, w.run);
    ASSERT_TRUE(record) << record.error().message;
    EXPECT_TRUE(record->converged);
    EXPECT_LT(record->objective_after, 0.002);
    EXPECT_GT(record->objective_before, 0.1);
    // The last steps are 1000 / 128 = 7, so within two of them.
    EXPECT_NEAR(static_cast<double>(record->parameters[0].value), 300, 14);
    EXPECT_NEAR(static_cast<double>(record->parameters[2].value), 40, 14);
    ASSERT_EQ(record->cells.size(), 4u) << "the predicted cell must not be fitted";
    EXPECT_NEAR(record->cells[0].before, 1e6 / 300, 1e-6);
    EXPECT_NEAR(record->cells[0].after, 1e6 / 340, 1e6 / 340 * 0.05);
}

TEST(Fit, ThePullKeepsWhatTheCellsDoNotDecide) {
    World w;
    w.plan.pull = 1000;
    const auto record = fit(w.plan, w.columns, w.rows, w.run);
    ASSERT_TRUE(record);
    for (const FittedParameter& p : record->parameters)
        EXPECT_NEAR(static_cast<double>(p.value), static_cast<double>(p.parameter.start), 20);
}

TEST(Fit, IsTheSameTwice) {
    World w;
    const auto a = fit(w.plan, w.columns, w.rows, w.run);
    const auto b = fit(w.plan, w.columns, w.rows, w.run);
    ASSERT_TRUE(a && b);
    for (std::size_t i = 0; i < a->parameters.size(); ++i)
        EXPECT_EQ(a->parameters[i].value, b->parameters[i].value);
    EXPECT_EQ(a->objective_after, b->objective_after);
}

// One parameter of the x2 alone: start, then steps on its one cell only; the three cells of the
// quad run once.
TEST(Fit, NothingIsRunTwice) {
    World w;
    w.plan.parameters.erase(w.plan.parameters.begin() + 2);
    w.plan.parameters.erase(w.plan.parameters.begin());
    std::size_t total = 0;
    const auto record = fit(w.plan, w.columns, w.rows, w.run,
                            [&](std::int64_t, double, std::size_t runs) { total = runs; });
    ASSERT_TRUE(record);
    EXPECT_EQ(record->runs, static_cast<std::size_t>(w.calls));
    EXPECT_EQ(record->runs, total);
    EXPECT_LT(record->runs, 3u + 40u);
}

TEST(Fit, AValueAtABoundIsMarked) {
    World w;
    w.plan.parameters[0].hi = 210;
    const auto record = fit(w.plan, w.columns, w.rows, w.run);
    ASSERT_TRUE(record);
    EXPECT_EQ(record->parameters[0].value, 210);
    EXPECT_TRUE(record->parameters[0].at_bound());
    EXPECT_FALSE(record->parameters[2].at_bound());
}

TEST(Fit, ErrorsAreOneLine) {
    World w;
    w.plan.parameters[1].name = "box";
    EXPECT_EQ(fit(w.plan, w.columns, w.rows, w.run).error().message,
              "fit: no cell of role fit depends on machine box fixed");
}

TEST(Fit, WithoutFitCellsThereIsNothingToDo) {
    World w;
    for (PublishedRow& r : w.rows) r.role = Role::kPredict;
    EXPECT_EQ(fit(w.plan, w.columns, w.rows, w.run).error().message,
              "fit: no published cell of role fit can be run");
}

TEST(Fit, StopsAfterTheGivenRounds) {
    World w;
    w.plan.rounds_max = 2;
    const auto record = fit(w.plan, w.columns, w.rows, w.run);
    ASSERT_TRUE(record);
    EXPECT_EQ(record->rounds, 2);
    EXPECT_FALSE(record->converged);
}

}  // namespace
}  // namespace wakelab::judge
