// After its warm-up a run does not allocate: no scheduler, no system call and no event may call
// operator new (spec style.md 5: the hot path).
#include <gtest/gtest.h>

#include <algorithm>

#include "bench/allocation_counter.hpp"
#include "bench/pgbench_world.hpp"
#include "policy/registry.hpp"

namespace wakelab::property {
namespace {

class NoAllocation : public ::testing::TestWithParam<std::string> {};

TEST(AllocationCounter, CountsOperatorNew) {
    const std::uint64_t before = bench::allocations();
    ::operator delete(::operator new(1));  // a new-expression could be optimised away
    EXPECT_EQ(bench::allocations(), before + 1);
}

// 20 clients on 4 CPUs: queues of every length, wake-ups, preemption, migration and balancing.
TEST_P(NoAllocation, AfterWarmUpOfPgbench) {
    auto world =
        bench::PgbenchWorld::create({.scheduler = GetParam(), .features = {}, .clients = 20});
    ASSERT_TRUE(world) << world.error().message;
    sim::Engine& engine = (*world)->engine();
    ASSERT_TRUE(engine.run_until(Time{} + 300_ms)) << engine.exit_message();

    engine.reset_counters();
    const std::uint64_t before = bench::allocations();
    ASSERT_TRUE(engine.run_until(Time{} + 500_ms)) << engine.exit_message();

    EXPECT_EQ(bench::allocations(), before);
    EXPECT_GT(engine.counters().work_units, 500u);  // the run did something
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
    std::string name = info.param;
    std::ranges::replace_if(
        name, [](char c) { return c == '-' || c == '.' || c == '+'; }, '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(Schedulers, NoAllocation, ::testing::ValuesIn(policy::all_scheduler_names()),
                         test_name);

}  // namespace
}  // namespace wakelab::property
