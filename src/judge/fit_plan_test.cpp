#include "judge/fit_plan.hpp"

#include <gtest/gtest.h>

#include "topo/machine.hpp"
#include "work/pgbench.hpp"

namespace wakelab::judge {
namespace {

constexpr const char* kParameter =
    "[[parameter]]\nfile = \"machine q6600\"\nkey = \"costs.line_far\"\nstart = 120\nlo = 80\n"
    "hi = 160\nbound_source = \"netperf\"\n";

std::string error_of(const std::string& toml) {
    const auto plan = parse_fit_plan(toml, "p.toml");
    return plan ? "no error" : plan.error().message;
}

TEST(FitPlan, ReadsParametersAndSearch) {
    const auto plan = parse_fit_plan(
        "[search]\nseeds = [7, 8]\nwarmup_ms = 5\nduration_ms = 6\npull = 0.5\nrounds_max = 3\n" +
            std::string(kParameter) +
            "[[parameter]]\nfile = \"workload pgbench\"\nkey = \"exec_ns\"\nstart = 1\nlo = 0\nhi "
            "= "
            "9\nbound_source = \"x\"\n",
        "p.toml");
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_EQ(plan->seeds, (std::vector<std::uint64_t>{7, 8}));
    EXPECT_EQ(plan->warmup, 5_ms);
    EXPECT_EQ(plan->duration, 6_ms);
    EXPECT_EQ(plan->pull, 0.5);
    EXPECT_EQ(plan->rounds_max, 3);
    ASSERT_EQ(plan->parameters.size(), 2u);
    EXPECT_EQ(plan->parameters[0].override_key(), "machine.costs.line_far");
    EXPECT_EQ(plan->parameters[0].describe(), "machine q6600 costs.line_far");
    EXPECT_EQ(plan->parameters[1].override_key(), "workload.exec_ns");
}

TEST(FitPlan, ErrorsNameLineAndField) {
    EXPECT_EQ(error_of(""), "p.toml:1: expected at least one [[parameter]]");
    EXPECT_EQ(error_of("[[parameter]]\nfile = \"box\"\n"),
              "p.toml:2: file: expected \"machine NAME\" or \"workload NAME\"");
    std::string p = kParameter;
    p.replace(p.find("start = 120"), 11, "start = 200");
    EXPECT_EQ(error_of(p), "p.toml:4: start: expected an integer 80 .. 160");
    p = kParameter;
    p.replace(p.find("hi = 160"), 8, "hi = 80 ");
    EXPECT_EQ(error_of(p), "p.toml:6: hi: expected an integer 81 .. 1000000000000");
    EXPECT_EQ(error_of(std::string(kParameter) + kParameter),
              "p.toml:8: machine q6600 costs.line_far is listed twice");
    EXPECT_EQ(error_of("[search]\nseeds = []\n"), "p.toml:2: seeds: expected a list of integers");
    EXPECT_EQ(error_of("[search]\nspeed = 1\n"),
              "p.toml:2: 'speed': expected seeds, warmup_ms, duration_ms, pull or rounds_max");
    EXPECT_TRUE(error_of("[search\n").starts_with("p.toml:1: "));
}

TEST(FitPlan, TheShippedPlanNamesValuesThatExist) {
    const auto plan = load_fit_plan("pgbench");
    ASSERT_TRUE(plan) << plan.error().message;
    for (const FitParameter& p : plan->parameters) {
        if (p.kind == FitParameter::Kind::kWorkload) {
            work::PgbenchCosts costs;
            EXPECT_TRUE(work::set_pgbench_value(costs, p.key, p.start)) << p.describe();
        } else {
            auto machine = topo::load_machine(
                p.name == FitParameter::kEveryMachine ? "q6600" : std::string_view(p.name));
            ASSERT_TRUE(machine) << machine.error().message;
            EXPECT_TRUE(topo::set_machine_value(*machine, p.key, p.start)) << p.describe();
        }
    }
}

TEST(FitPlan, AMissingFileIsNamed) {
    EXPECT_EQ(load_fit_plan("/nowhere/x.toml").error().message, "/nowhere/x.toml: cannot be read");
}

}  // namespace
}  // namespace wakelab::judge
