#include "judge/ring_tables.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "judge/table_sets.hpp"
#include "policy/registry.hpp"
#include "topo/machine.hpp"

namespace wakelab::judge {
namespace {

std::vector<PublishedColumn> all_columns() {
    std::vector<PublishedColumn> all;
    for (const auto columns : {lat_ctx_columns(), pipe_test_columns()})
        all.insert(all.end(), columns.begin(), columns.end());
    return all;
}

TEST(RingTables, EveryPublishedRowHasAColumn) {
    const auto rows = load_published();
    ASSERT_TRUE(rows) << rows.error().message;
    std::size_t seen = 0;
    for (const PublishedRow& row : *rows) {
        if (row.workload != "lmbench lat_ctx -s 0 2" && row.workload != "pipe-test") continue;
        ++seen;
        EXPECT_TRUE(std::ranges::any_of(all_columns(),
                                        [&](const PublishedColumn& c) {
                                            return c.experiment == row.experiment &&
                                                   c.kernel == row.kernel &&
                                                   c.variant == row.variant && c.unit == row.unit;
                                        }))
            << row.file << ":" << row.line;
    }
    EXPECT_EQ(seen, 16u);
}

TEST(RingTables, ColumnsHaveCellsAndCanBeConfigured) {
    const auto rows = load_published();
    ASSERT_TRUE(rows);
    for (const PublishedColumn& c : all_columns()) {
        const auto cells = cells_of(*rows, c);
        ASSERT_TRUE(cells) << cells.error().message;
        EXPECT_EQ(cells->size(), 1u);
        EXPECT_EQ(cells->front().clients, 2);
        EXPECT_EQ(cells->front().role, Role::kPredict);
        if (!c.runnable()) continue;
        const auto info = policy::find_scheduler(c.scheduler);
        const auto machine = topo::load_machine(c.machine);
        ASSERT_TRUE(info && machine);
        EXPECT_TRUE(policy::configure(**info, *machine, c.features, c.tunables)) << c.label;
    }
}

// Samples 1..3 are 18.26, 14.70, 14.38; 4..10 are 10.55, 8.63, 8.59, 9.03, 8.94, 8.96, 8.63.
TEST(RingTables, SamplesOfOneProcessBecomeTheirMedian) {
    const auto rows = load_published();
    ASSERT_TRUE(rows);
    EXPECT_DOUBLE_EQ(cells_of(*rows, pipe_test_columns()[0])->front().value, 14.70);
    EXPECT_DOUBLE_EQ(cells_of(*rows, pipe_test_columns()[1])->front().value, 8.94);
}

// What "before" sets is what the change took away, and "everywhere" is what cfs-2.6.28 has.
TEST(RingTables, FlagsBeforeTheChangeDifferFromTheRelease) {
    const auto machine = topo::load_machine("numa-4x4");
    ASSERT_TRUE(machine);
    const auto config = policy::configure(**policy::find_scheduler("cfs-2.6.28"), *machine, {}, {});
    ASSERT_TRUE(config);
    // LOAD_BALANCE EXEC FORK WAKE_AFFINE WAKE_BALANCE, and SERIALIZE between nodes.
    EXPECT_EQ(config->tunable("sched_domain.domain0.flags"), 1 + 4 + 8 + 32 + 64);
    EXPECT_EQ(config->tunable("sched_domain.domain1.flags"), 1 + 4 + 8 + 32 + 64 + 1024);
    const auto old =
        policy::configure(**policy::find_scheduler("cfs-2.6.26-rc3"), *machine, {}, {});
    EXPECT_EQ(old->tunables.size(), config->tunables.size());
    for (const auto& [name, value] : lat_ctx_columns()[0].tunables)
        EXPECT_EQ(old->tunable(name), value) << name;
}

TEST(TableSets, AreFoundByName) {
    ASSERT_TRUE(find_table_set("lat_ctx"));
    EXPECT_EQ(find_table_set("lat_ctx")->columns().data(), lat_ctx_columns().data());
    EXPECT_EQ(find_table_set("tbench").error().message,
              "tbench: no such tables; there is: pgbench, lat_ctx, pipe-test");
}

}  // namespace
}  // namespace wakelab::judge
