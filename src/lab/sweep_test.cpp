#include "lab/sweep.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace wakelab::lab {
namespace {

std::vector<RunSpec> specs_with_seeds(std::uint64_t n) {
    std::vector<RunSpec> specs(n);
    for (std::uint64_t i = 0; i < n; ++i) specs[i].seed = i;
    return specs;
}

// Later runs finish first, so order of completion is not order of index.
Result<RunResult> slow_first(const RunSpec& spec) {
    if (spec.seed % 4 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(3));
    RunResult r;
    r.rate = static_cast<double>(spec.seed) * 10;
    return r;
}

TEST(Sweep, ResultsComeInOrderOfIndexForAnyNumberOfThreads) {
    const auto specs = specs_with_seeds(23);
    for (const std::size_t threads : {1u, 2u, 7u, 64u}) {
        const auto results = sweep(specs, slow_first, {.threads = threads, .progress = {}});
        ASSERT_TRUE(results);
        ASSERT_EQ(results->size(), 23u);
        for (std::size_t i = 0; i < 23; ++i)
            EXPECT_EQ((*results)[i].rate, static_cast<double>(i) * 10) << threads << " threads";
    }
}

TEST(Sweep, ProgressCountsEveryRunOnceInOrder) {
    const auto specs = specs_with_seeds(9);
    std::vector<std::size_t> seen;
    SweepOptions options{.threads = 4, .progress = {}};
    options.progress = [&](std::size_t done, std::size_t total) {
        EXPECT_EQ(total, 9u);
        seen.push_back(done);
    };
    ASSERT_TRUE(sweep(specs, slow_first, options));
    EXPECT_EQ(seen, (std::vector<std::size_t>{1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

// Index 5 fails at once, index 3 only after a while: 3 must win.
TEST(Sweep, TheErrorOfTheLowestIndexWins) {
    const auto specs = specs_with_seeds(40);
    std::atomic<int> calls = 0;
    const RunFunction run = [&](const RunSpec& spec) -> Result<RunResult> {
        ++calls;
        if (spec.seed == 3) std::this_thread::sleep_for(std::chrono::milliseconds(20));
        if (spec.seed == 3 || spec.seed == 5) return Error{"seed " + std::to_string(spec.seed)};
        return RunResult{};
    };
    for (const std::size_t threads : {1u, 4u, 8u}) {
        const auto results = sweep(specs, run, {.threads = threads, .progress = {}});
        ASSERT_FALSE(results);
        EXPECT_EQ(results.error().message, "seed 3");
    }
    EXPECT_LT(calls.load(), 3 * 40) << "runs behind the error should be dropped";
}

TEST(Sweep, ARunThatStoppedEarlyFailsAndIsNamed) {
    std::vector<RunSpec> specs(1);
    specs[0].clients = 8;
    specs[0].seed = 2;
    const RunFunction run = [](const RunSpec&) -> Result<RunResult> {
        RunResult r;
        r.exit = "event cap";
        return r;
    };
    const auto results = sweep(specs, run);
    ASSERT_FALSE(results);
    EXPECT_EQ(results.error().message,
              "pgbench, 8 clients, cfs-2.6.26 on q6600, seed 2: stopped early: event cap");
}

TEST(Sweep, NothingToDoIsFine) {
    const auto results = sweep({}, slow_first);
    ASSERT_TRUE(results);
    EXPECT_TRUE(results->empty());
}

}  // namespace
}  // namespace wakelab::lab
