#include "judge/pgbench_tables.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "policy/registry.hpp"

namespace wakelab::judge {
namespace {

const PublishedColumn& column(std::string_view experiment, std::string_view label) {
    for (const PublishedColumn& c : pgbench_columns())
        if (c.experiment == experiment && c.label == label) return c;
    ADD_FAILURE() << "no column " << experiment << " " << label;
    return pgbench_columns().front();
}

// A row that has a model must be run and judged (data/published/README.md), so none may be left
// out.
TEST(PgbenchTables, EveryPublishedPgbenchRowOf2008HasAColumn) {
    const auto rows = load_published();
    ASSERT_TRUE(rows) << rows.error().message;
    for (const PublishedRow& row : *rows) {
        if (row.workload != "pgbench -S (select-only, AF_UNIX)" || row.role == Role::kCopy)
            continue;
        if (row.unit != "tps" || row.run == "text") continue;
        EXPECT_TRUE(std::ranges::any_of(pgbench_columns(),
                                        [&](const PublishedColumn& c) {
                                            return c.experiment == row.experiment &&
                                                   c.kernel == row.kernel &&
                                                   c.variant == row.variant;
                                        }))
            << row.file << ":" << row.line;
    }
}

TEST(PgbenchTables, EveryColumnHasItsThirteenCells) {
    const auto rows = load_published();
    ASSERT_TRUE(rows) << rows.error().message;
    std::set<std::pair<std::string, std::string>> names;
    for (const PublishedColumn& c : pgbench_columns()) {
        const auto cells = cells_of(*rows, c);
        ASSERT_TRUE(cells) << cells.error().message;
        EXPECT_EQ(cells->size(), 13u) << c.experiment << " " << c.label;
        EXPECT_TRUE(names.emplace(c.experiment, c.label).second) << c.label << " twice";
    }
}

TEST(PgbenchTables, RunnableColumnsNameKnownSchedulersAndFeatures) {
    for (const PublishedColumn& c : pgbench_columns()) {
        if (!c.runnable()) continue;
        const auto info = policy::find_scheduler(c.scheduler);
        EXPECT_TRUE(info) << info.error().message;
    }
}

// First line of E13: 10213.768037 and 10237.990274, mean 10225.879.
TEST(PgbenchTables, TwoPrintedRunsBecomeTheirMedian) {
    const auto rows = load_published();
    ASSERT_TRUE(rows) << rows.error().message;
    const auto cells = cells_of(*rows, column("E13", "-rc5"));
    ASSERT_TRUE(cells);
    EXPECT_EQ(cells->front().clients, 1);
    EXPECT_EQ(cells->front().runs, 2u);
    EXPECT_NEAR(cells->front().value, 10225.879156, 1e-6);
    EXPECT_NEAR(cells->front().high, 10237.990274, 1e-6);
}

TEST(PgbenchTables, RolesAreThoseOfTheCells) {
    const auto rows = load_published();
    ASSERT_TRUE(rows) << rows.error().message;
    const auto cells = cells_of(*rows, column("E01", "2.6.22"));
    ASSERT_TRUE(cells);
    for (const PublishedCell& c : *cells) {
        const bool fit = c.clients == 1 || c.clients == 2 || c.clients == 50;
        EXPECT_EQ(c.role, fit ? Role::kFit : Role::kPredict) << c.clients;
    }
}

TEST(PgbenchTables, TheRunOfAPinnedColumn) {
    const lab::RunSpec spec = run_spec(column("E03", "pinned"), 8);
    EXPECT_EQ(spec.scenario, "pgbench");
    EXPECT_EQ(spec.clients, 8);
    EXPECT_EQ(spec.scheduler, "cfs-2.6.26-rc3");
    ASSERT_EQ(spec.pins.size(), 2u);
    EXPECT_EQ(spec.pins[1], (std::pair<std::string, std::string>{"postgres", "1-3"}));
}

TEST(PgbenchTables, AColumnWithoutRowsIsAnError) {
    PublishedColumn c = column("E02", "default");
    c.kernel = "2.6.27";
    EXPECT_EQ(cells_of({}, c).error().message,
              "published tables: no tps rows of E02, kernel '2.6.27', variant "
              "'default; +Nadia ipc/idr patches'");
}

}  // namespace
}  // namespace wakelab::judge
