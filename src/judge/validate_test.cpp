#include "judge/validate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace wakelab::judge {
namespace {

PublishedColumn column(std::string experiment, std::string kernel, std::string scheduler) {
    PublishedColumn c;
    c.experiment = std::move(experiment);
    c.kernel = std::move(kernel);
    c.variant = "stock";
    c.label = c.kernel;
    c.machine = "q6600";
    c.scheduler = std::move(scheduler);
    return c;
}

PublishedRow row(std::string experiment, std::string kernel, int clients, double tps,
                 Role role = Role::kPredict) {
    PublishedRow r;
    r.experiment = std::move(experiment);
    r.kernel = std::move(kernel);
    r.variant = "stock";
    r.clients = std::to_string(clients);
    r.unit = "tps";
    r.number = tps;
    r.role = role;
    return r;
}

// Rate: 1000 x clients for "old", 500 x clients for "new"; seed s adds s - 2.
Result<lab::RunResult> fake_run(const lab::RunSpec& spec) {
    lab::RunResult r;
    const double base = spec.scheduler == "old" ? 1000 : 500;
    r.rate = base * spec.clients + static_cast<double>(spec.seed) - 2;
    r.counters.work_units = 100;
    r.counters.batches = 40;
    r.counters.switches = 120;
    r.counters.migrations = 5;
    r.counters.spurious_wakeups = 90;
    r.busy_ns = {1'000, 500};
    r.duration_ns = 1'000;
    return r;
}

struct World {
    std::vector<PublishedColumn> columns = {column("A", "k1", "old"), column("A", "k2", "new"),
                                            column("B", "k3", "new")};
    std::vector<PublishedRow> rows = {
        row("A", "k1", 1, 1000, Role::kFit),
        row("A", "k1", 2, 2200),
        row("A", "k2", 1, 250),
        row("A", "k2", 2, 1000),
        row("B", "k3", 1, 400),
    };
    ValidateOptions options;
    World() { options.seeds = {1, 2, 3}; }
};

// Errors of the predicted cells: ln 1.1, ln 2, 0, ln 1.25 -> median (ln 1.1 + ln 1.25) / 2.
TEST(Validate, ScoresTablesAndTotalByRole) {
    World w;
    const auto report = validate(w.columns, w.rows, w.options, fake_run);
    ASSERT_TRUE(report) << report.error().message;
    ASSERT_EQ(report->tables.size(), 2u);
    EXPECT_EQ(report->predict.cells, 4u);
    EXPECT_NEAR(report->predict.median_error, (std::log(1.1) + std::log(1.25)) / 2, 1e-12);
    EXPECT_EQ(report->fit.cells, 1u);
    EXPECT_DOUBLE_EQ(report->fit.median_error, 0);
    EXPECT_EQ(report->tables[0].predict.cells, 3u);
    EXPECT_EQ(report->tables[1].predict.cells, 1u);
    // Within A: k1 against k2 at 1 and 2 clients; over all also B's k3 against both at 1 client.
    EXPECT_EQ(report->predict.within.total, 2u);
    EXPECT_EQ(report->predict.all.total, 4u);
}

// Medians over seeds 1..3 are the values of seed 2. Batch 100 / 40, busy 1500 / 2000.
TEST(Validate, ACellHoldsWhatExplainsItsRate) {
    World w;
    const auto report = validate(w.columns, w.rows, w.options, fake_run);
    ASSERT_TRUE(report);
    const SimulatedCell& c = *report->tables[0].columns[0].cells[1].simulated;
    EXPECT_DOUBLE_EQ(c.median, 2000);
    EXPECT_DOUBLE_EQ(c.min, 1999);
    EXPECT_DOUBLE_EQ(c.max, 2001);
    EXPECT_NEAR(c.log_ratio, std::log(2000.0 / 2200), 1e-12);
    EXPECT_FALSE(c.bistable);
    EXPECT_DOUBLE_EQ(c.batch, 2.5);
    EXPECT_DOUBLE_EQ(c.switches, 1.2);
    EXPECT_DOUBLE_EQ(c.migrations, 0.05);
    EXPECT_DOUBLE_EQ(c.spurious, 0.9);
    EXPECT_DOUBLE_EQ(c.busy, 0.75);
}

TEST(Validate, TwoHumpsAreMarkedAndComparedByRange) {
    std::vector<lab::RunResult> runs(5);
    const std::vector<double> rates = {10'000, 30'000, 10'100, 30'500, 29'800};
    for (std::size_t i = 0; i < rates.size(); ++i) runs[i].rate = rates[i];
    const SimulatedCell c = summarise(runs, {.clients = 8, .value = 30'200});
    EXPECT_TRUE(c.bistable);
    EXPECT_TRUE(c.in_range);
    EXPECT_FALSE(summarise(runs, {.clients = 8, .value = 30'600}).in_range);
}

TEST(Validate, ColumnsThatNeedSomethingAreListedButNotRun) {
    World w;
    w.columns[1].needs = "patch P5";
    const auto report = validate(w.columns, w.rows, w.options, [](const lab::RunSpec& spec) {
        EXPECT_FALSE(spec.scheduler == "new" && spec.clients == 2);
        return fake_run(spec);
    });
    ASSERT_TRUE(report);
    const ColumnReport& c = report->tables[0].columns[1];
    EXPECT_EQ(c.cells.size(), 2u);
    EXPECT_FALSE(c.cells[0].simulated);
    EXPECT_EQ(report->predict.cells, 2u);
}

TEST(Validate, OnlyTheWantedExperiments) {
    World w;
    w.options.experiments = {"B"};
    const auto report = validate(w.columns, w.rows, w.options, fake_run);
    ASSERT_TRUE(report);
    ASSERT_EQ(report->tables.size(), 1u);
    EXPECT_EQ(report->tables[0].experiment, "B");
    w.options.experiments = {"C"};
    EXPECT_EQ(validate(w.columns, w.rows, w.options, fake_run).error().message,
              "no table 'C'; did you mean A or B?");
}

TEST(Validate, TheTimesReachEveryRun) {
    World w;
    w.options.warmup = 3_ms;
    w.options.duration = 7_ms;
    const auto report = validate(w.columns, w.rows, w.options, [](const lab::RunSpec& spec) {
        EXPECT_EQ(spec.warmup, 3_ms);
        EXPECT_EQ(spec.duration, 7_ms);
        return fake_run(spec);
    });
    EXPECT_TRUE(report);
}

TEST(Validate, AFailedRunFailsTheWhole) {
    World w;
    const auto report = validate(
        w.columns, w.rows, w.options,
        [](const lab::RunSpec&) -> Result<lab::RunResult> { return Error{"unknown machine"}; });
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().message, "unknown machine");
}

}  // namespace
}  // namespace wakelab::judge
