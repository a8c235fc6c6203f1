// Backends that are forked while the driver connects, and those that are there from the start.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "work/pgbench.hpp"

namespace wakelab::work {
namespace {

class PgbenchStart : public ::testing::Test {
 protected:
    // Four clients on the Q6600 under 2.6.26, up to `end`.
    void run(std::int64_t connections, Time end = Time{50'000'000}) {
        auto costs = load_pgbench_costs();
        const auto machine = topo::load_machine("q6600");
        const auto scheduler = policy::find_scheduler("cfs-2.6.26");
        ASSERT_TRUE(costs && machine && scheduler);
        auto config = policy::configure(**scheduler, *machine, {}, {});
        ASSERT_TRUE(config);
        config->groups = groups;
        costs->connections = connections;
        costs->server_processes = 0;
        bench = std::make_unique<Pgbench>(*costs, 4);
        engine = std::make_unique<sim::Engine>(
            *machine,
            sim::EngineOptions{.scheduler = *scheduler, .config = *config, .seed = 1, .sink = nullptr});
        bench->build(*engine, choices);
        engine->run_until(end);
    }
    const sim::Task* task(const std::string& name) const {
        const auto found = std::ranges::find(engine->tasks(), name, &sim::Task::name);
        return found == engine->tasks().end() ? nullptr : &*found;
    }

    TaskChoices choices;
    std::vector<policy::GroupInfo> groups;
    std::unique_ptr<Pgbench> bench;
    std::unique_ptr<sim::Engine> engine;
};

// One connection takes 0.05 ms in the driver, 0.1 ms and fork() in the postmaster and 2 ms in the backend:
// all four are open after some 9 ms, and the load runs.
TEST_F(PgbenchStart, ThePostmasterForksABackendForEachConnection) {
    run(1);
    ASSERT_NE(task("postgres"), nullptr);
    for (const char* name : {"postgres-0", "postgres-1", "postgres-2", "postgres-3"}) {
        ASSERT_NE(task(name), nullptr) << name;
        EXPECT_EQ(task(name)->parent, task("postgres")) << name;
    }
    EXPECT_GT(engine->counters().work_units, 100u);
}

TEST_F(PgbenchStart, NoTransactionBeforeTheLastConnection) {
    run(1, Time{8'000'000});
    EXPECT_EQ(task("postgres-3"), nullptr);
    EXPECT_EQ(engine->counters().work_units, 0u);
}

TEST_F(PgbenchStart, PlacedBackendsNeedNoPostmaster) {
    run(0);
    EXPECT_EQ(task("postgres"), nullptr);
    ASSERT_NE(task("postgres-0"), nullptr);
    EXPECT_EQ(task("postgres-0")->parent, nullptr);
}

// A choice for one backend differs from what it has from its parent: it is made when the backend starts.
TEST_F(PgbenchStart, ABackendCanBePinnedAndRenicedAlone) {
    ASSERT_TRUE(choices.pin("postgres-2", "3", 4));
    ASSERT_TRUE(choices.policy("postgres-2", "nice=5"));
    run(1);
    EXPECT_EQ(task("postgres-2")->allowed, topo::CpuMask::of_word(0b1000));
    EXPECT_EQ(task("postgres-2")->nice, 5);
    EXPECT_EQ(task("postgres-2")->cpu, CpuId{3});
    EXPECT_EQ(task("postgres-1")->allowed, topo::CpuMask::first_n(4));
    EXPECT_EQ(task("postgres-1")->nice, 0);
    EXPECT_TRUE(choices.unused().empty());
}

TEST_F(PgbenchStart, BackendsWithAGroupOfTheirOwnArePlaced) {
    groups = {{.name = "db", .parent = 0}};
    choices.group("postgres-2", 1);
    run(1);
    EXPECT_EQ(task("postgres"), nullptr);
    EXPECT_EQ(task("postgres-2")->group, 1u);
    EXPECT_GT(engine->counters().work_units, 100u);
}

}  // namespace
}  // namespace wakelab::work
