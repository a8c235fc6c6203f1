#include "work/workload.hpp"

#include <gtest/gtest.h>

#include "work/pgbench.hpp"
#include "work/scenario.hpp"

namespace wakelab::work {
namespace {

TEST(CpuList, ReadsSinglesAndRanges) {
    const auto mask = parse_cpu_list("0,2-3", 4);
    ASSERT_TRUE(mask) << mask.error().message;
    EXPECT_EQ(*mask, topo::CpuMask::of_word(0b1101));
}

TEST(CpuList, RefusesWhatIsNoList) {
    for (const char* text : {"", "a", "3-1", "1-", "0,,1", "1-2-3", "-1"})
        EXPECT_FALSE(parse_cpu_list(text, 4)) << text;
    const auto beyond = parse_cpu_list("1-4", 4);
    ASSERT_FALSE(beyond);
    EXPECT_NE(beyond.error().message.find("the machine has CPUs 0-3"), std::string::npos);
}

sim::Engine::TaskSpec spec(const char* name) {
    return {.name = name, .cpu = CpuId{0}, .allowed = topo::CpuMask::first_n(4)};
}

TEST(TaskChoices, ANameSelectsItselfAndItsInstances) {
    TaskChoices choices;
    ASSERT_TRUE(choices.pin("postgres", "1-3", 4));
    ASSERT_TRUE(choices.policy("postgres-1", "batch"));
    auto first = spec("postgres-0");
    auto second = spec("postgres-1");
    auto other = spec("postgresql");
    choices.apply(first);
    choices.apply(second);
    choices.apply(other);
    EXPECT_EQ(first.allowed, topo::CpuMask::of_word(0b1110));
    EXPECT_EQ(first.cpu, CpuId{1});                     // the first CPU of the mask
    EXPECT_EQ(first.policy, policy::SchedPolicy::kNormal);
    EXPECT_EQ(second.policy, policy::SchedPolicy::kBatch);
    EXPECT_EQ(other.allowed, topo::CpuMask::first_n(4));
    EXPECT_TRUE(choices.unused().empty());
}

TEST(TaskChoices, PoliciesAndNiceLevelsAreWords) {
    TaskChoices choices;
    ASSERT_TRUE(choices.policy("all", "nice=-5"));
    ASSERT_TRUE(choices.policy("postgres", "fifo=50"));
    auto postgres = spec("postgres-0");
    auto pgbench = spec("pgbench");
    choices.apply(postgres);
    choices.apply(pgbench);
    EXPECT_EQ(postgres.policy, policy::SchedPolicy::kFifo);
    EXPECT_EQ(postgres.rt_priority, 50);
    EXPECT_EQ(pgbench.policy, policy::SchedPolicy::kNormal);
    EXPECT_EQ(pgbench.nice, -5);
    EXPECT_EQ(choices.policy("x", "rr=100").error().message, "policy x=rr=100: expected rr=1 .. 99");
    EXPECT_EQ(choices.policy("x", "fast").error().message,
              "policy x=fast: expected normal, batch, idle, preempt, fifo=PRIO, rr=PRIO or nice=N");
}

TEST(TaskChoices, NamesThatSelectNothingAreReported) {
    TaskChoices choices;
    ASSERT_TRUE(choices.policy("mysqld", "batch"));
    auto task = spec("postgres-0");
    choices.apply(task);
    EXPECT_EQ(choices.unused(), std::vector<std::string>{"mysqld"});
}

TEST(Scenario, EveryFileOfTheFolderLoads) {
    EXPECT_GE(scenario_names().size(), 2u);
    for (const std::string& name : scenario_names()) {
        const auto s = load_scenario(name);
        EXPECT_TRUE(s) << s.error().message;
    }
}

std::string error_of(const char* toml) {
    const auto s = parse_scenario(toml, "s.toml");
    return s ? "accepted" : s.error().message;
}

TEST(Scenario, BadInputNamesLineAndField) {
    EXPECT_EQ(error_of("workload = \"pgbench\"\nclients = 0"),
              "s.toml:2: clients: expected an integer 1 .. 10000");
    EXPECT_EQ(error_of("workload = \"pgbench\"\nclient = 3").find("s.toml:2: unknown field 'client'; did "
                                                                  "you mean clients"),
              0u);
    EXPECT_NE(error_of("workload = \"nginx\"").find("expected one of pgbench, lat_ctx, pipe-test, rt-app"),
              std::string::npos);
    EXPECT_NE(error_of("workload = \"rt-app\"").find("file: goes with"), std::string::npos);
}

TEST(PgbenchCosts, AValueByNameOrAHint) {
    PgbenchCosts costs;
    ASSERT_TRUE(set_pgbench_value(costs, "backend_execute", 50'000));
    EXPECT_EQ(costs.backend_execute, 50'000);
    const Status wrong = set_pgbench_value(costs, "backend_exec", 1);
    ASSERT_FALSE(wrong);
    EXPECT_NE(wrong.error().message.find("backend_execute"), std::string::npos);
}

}  // namespace
}  // namespace wakelab::work
