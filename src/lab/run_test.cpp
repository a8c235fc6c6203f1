#include "lab/run.hpp"

#include <gtest/gtest.h>

namespace wakelab::lab {
namespace {

RunSpec short_run(const std::string& scheduler) {
    RunSpec spec;
    spec.scheduler = scheduler;
    spec.clients = 2;
    spec.warmup = Duration{};
    spec.duration = 1_ms;
    return spec;
}

std::string refusal(const RunSpec& spec) {
    const auto result = run(spec);
    return result ? "" : result.error().message;
}

// SCHED_BATCH came with 2.6.16, SCHED_PREEMPT only as a patch: a run that silently took SCHED_NORMAL would
// answer another question.
TEST(Run, RefusesPoliciesThatTheSchedulerDoesNotHave) {
    RunSpec spec = short_run("o1-2.6.9");
    EXPECT_EQ(refusal(spec), "");
    spec.batch = {"postgres"};
    EXPECT_EQ(refusal(spec), "policy postgres=batch: o1-2.6.9 is older than SCHED_BATCH (2.6.16)");
    spec.batch.clear();
    spec.policies = {{"pgbench", "preempt"}};
    EXPECT_EQ(refusal(spec), "policy pgbench=preempt: expected a scheduler with +SCHED_PREEMPT");
    spec.scheduler = "cfs-2.6.25.4+SCHED_PREEMPT";
    EXPECT_EQ(refusal(spec), "");
}

TEST(Run, ChecksTheScenariosOwnPoliciesToo) {
    work::Scenario scenario;
    scenario.batch = {"pgbench"};
    const auto info = policy::find_scheduler("o1-2.6.9");
    ASSERT_TRUE(info);
    EXPECT_FALSE(check_policies({}, scenario, **info));
    scenario.batch.clear();
    scenario.policies = {{"pgbench", "batch"}};
    EXPECT_FALSE(check_policies({}, scenario, **info));
    scenario.policies = {{"pgbench", "nice=5"}};
    EXPECT_TRUE(check_policies({}, scenario, **info));
}

}  // namespace
}  // namespace wakelab::lab
