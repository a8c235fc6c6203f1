// The shapes of lat_ctx and pipe-test in the commits of 2008 (X17, X18), as directions. No test
// here compares a level: the machine is assumed.
#include <gtest/gtest.h>

#include "judge/table_sets.hpp"
#include "judge/validate.hpp"

namespace wakelab::judge {
namespace {

ValidationReport report_of(std::string_view name) {
    ValidateOptions options;
    options.set = *find_table_set(name);
    options.seeds = {1, 2, 3};
    options.warmup = 100_ms;
    options.duration = 300_ms;
    const auto rows = load_published();
    EXPECT_TRUE(rows);
    const auto report = validate(options.set.columns(), *rows, options,
                                 [](const lab::RunSpec& s) { return lab::run(s); });
    EXPECT_TRUE(report) << report.error().message;
    return *report;
}

// 6.69 -> 1.11 us (X17), 5.70 -> 2.07 (X18), 14.7 -> 8.9 (pipe-test): pulled together, the ring is
// faster.
TEST(RingShapes, AffineWakeupsAcrossNodesBringTheRingOntoOneCpu) {
    for (const std::string_view name : {"lat_ctx", "pipe-test"}) {
        for (const TableReport& table : report_of(name).tables) {
            if (!table.columns[0].column.runnable()) continue;
            const auto simulated = [&](std::size_t column) {
                return table.columns[column].cells[0].simulated->median;
            };
            EXPECT_GT(simulated(0), 1.5 * simulated(1)) << name << " " << table.experiment;
        }
    }
}

}  // namespace
}  // namespace wakelab::judge
