// The shapes of the 2008 pgbench story, each as a direction on the median of five seeds. The published
// numbers beside them are in data/published; no test here compares a level.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "lab/run.hpp"
#include "lab/sweep.hpp"

namespace wakelab::lab {
namespace {

struct Median {
    double rate = 0;
    double busy_cpus = 0;      // CPUs kept busy on average
};

Median median_of_seeds(RunSpec spec) {
    std::vector<RunSpec> specs;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        spec.seed = seed;
        spec.duration = 1_s;
        specs.push_back(spec);
    }
    const auto results =
        sweep(specs, [](const RunSpec& s) { return run(s); }, SweepOptions{.threads = 0, .progress = {}});
    EXPECT_TRUE(results) << (results ? "" : results.error().message);
    if (!results) return {};
    std::vector<double> rates, busy;
    for (const RunResult& r : *results) {
        rates.push_back(r.rate);
        const std::int64_t sum = std::accumulate(r.busy_ns.begin(), r.busy_ns.end(), std::int64_t{0});
        busy.push_back(static_cast<double>(sum) / static_cast<double>(r.duration_ns));
    }
    std::ranges::sort(rates);
    std::ranges::sort(busy);
    return {rates[2], busy[2]};
}

RunSpec spec(const char* scheduler, std::int32_t clients) {
    RunSpec s;
    s.scheduler = scheduler;
    s.clients = clients;
    return s;
}

// E02 against E03: 9.8 k against 16.0 k at 2 clients (1.6 x), 10.6 against 24.7 at 3, 7.6 against 21.9
// at 50. Everything on one CPU although three idle.
TEST(PgbenchShapes, SyncWakeupsOf2626rc3CollapseOntoOneCpu) {
    for (const std::int32_t clients : {2, 3, 5, 8, 20, 50}) {
        SCOPED_TRACE(clients);
        const Median free = median_of_seeds(spec("cfs-2.6.26-rc3", clients));
        RunSpec pinned_spec = spec("cfs-2.6.26-rc3", clients);
        pinned_spec.scenario = "pgbench-pinned";
        const Median pinned = median_of_seeds(pinned_spec);
        EXPECT_LT(free.busy_cpus, 1.25);
        EXPECT_GT(pinned.rate, (clients == 2 ? 1.3 : 2.0) * free.rate);
    }
}

// E04 against E02 at 8 clients: 29.9 k against 9.6 k.
TEST(PgbenchShapes, ClearingSyncWakeupsCuresIt) {
    RunSpec cured = spec("cfs-2.6.26-rc3", 8);
    cured.features = {"863"};
    EXPECT_GT(median_of_seeds(cured).rate, 2 * median_of_seeds(spec("cfs-2.6.26-rc3", 8)).rate);
}

// E07 at 8 clients: 32.0 k against 21.0 k.
TEST(PgbenchShapes, BatchBeatsNormalUnder2622) {
    RunSpec batch = spec("o1-2.6.22", 8);
    batch.batch = {"all"};
    EXPECT_GT(median_of_seeds(batch).rate, 1.25 * median_of_seeds(spec("o1-2.6.22", 8)).rate);
}

// E01: 10.4 k against 16.4 k at 2 clients, 6.8 k against 11.3 k at 50.
TEST(PgbenchShapes, On2Cores2625FallsBehind2622) {
    for (const std::int32_t clients : {2, 3, 4, 6, 8, 10, 15, 30, 50}) {
        SCOPED_TRACE(clients);
        RunSpec old_kernel = spec("o1-2.6.22", clients);
        RunSpec new_kernel = spec("cfs-2.6.25", clients);
        old_kernel.machine = new_kernel.machine = "athlon-x2-4600";
        EXPECT_LT(median_of_seeds(new_kernel).rate, median_of_seeds(old_kernel).rate);
    }
}

}  // namespace
}  // namespace wakelab::lab
