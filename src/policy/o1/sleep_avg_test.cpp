// The worked examples of o1.md 3.7.
#include "policy/o1/sleep_avg.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "policy/core.hpp"
#include "policy/o1/test_world.hpp"

namespace wakelab::policy::o1::test {
namespace {

constexpr std::uint64_t kMs = 1'000'000;
constexpr std::uint64_t kStart = 100'000 * kMs;

struct Example {
    std::uint64_t before_ms, sleep_ms;
    bool uninterruptible;
    std::uint64_t after_2_6_9_ms;
    int prio_2_6_9, credit;
    std::uint64_t after_2_6_22_ms;
    int prio_2_6_22;
};

const std::vector<Example> kExamples = {
    {0, 20, false, 200, 123, 0, 20, 125},  // 2.6.9: 20 ms * 10
    {0, 50, false, 500, 120, 0, 50, 125},
    {0, 100, false, 1000, 115, 0, 100, 124},  // exactly the maximum: no credit
    {0, 150, false, 1000, 115, 1, 150, 124},
    {500, 20, false, 600, 119, 0, 520, 120},      // 500 + 20 * (10 - 5)
    {0, 799, false, 1000, 115, 1, 799, 118},      // not longer than INTERACTIVE_SLEEP
    {0, 800, false, 900, 116, 1, 799, 118},       // longer: 900 ms flat; later the ceiling
    {1000, 5000, false, 900, 116, 1, 1000, 115},  // a long sleep lowers in 2.6.9
    {0, 50, true, 500, 120, 0, 50, 125},
    {500, 100, true, 799, 118, 0, 600, 119},  // 500 + 100 * 5 = 1000, clamped to the ceiling
    {850, 50, true, 850, 117, 0, 850, 117},   // beyond the ceiling nothing is added
};

Entity& slept(TestWorld& w, const Example& x) {
    Entity& e = entity_of(w.add(0, x.before_ms * kMs));
    e.timestamp = kStart;
    if (x.uninterruptible) e.sleep_type = SleepType::kNoninteractive;
    return e;
}

TEST(SleepAvg, WorkedExamples2_6_9) {
    for (const Example& x : kExamples) {
        TestWorld w("o1-2.6.9", private_caches(1), 1000);
        Entity& e = slept(w, x);
        EXPECT_EQ(recalc_task_prio(w.state(), e, kStart + x.sleep_ms * kMs), x.prio_2_6_9);
        EXPECT_EQ(e.sleep_avg, x.after_2_6_9_ms * kMs) << x.before_ms << " + " << x.sleep_ms;
        EXPECT_EQ(e.interactive_credit, x.credit) << x.before_ms << " + " << x.sleep_ms;
    }
}

TEST(SleepAvg, WorkedExamples2_6_22) {
    for (const Example& x : kExamples) {
        TestWorld w("o1-2.6.22", private_caches(1), 1000);
        Entity& e = slept(w, x);
        EXPECT_EQ(recalc_task_prio(w.state(), e, kStart + x.sleep_ms * kMs), x.prio_2_6_22);
        EXPECT_EQ(e.sleep_avg, x.after_2_6_22_ms * kMs) << x.before_ms << " + " << x.sleep_ms;
    }
}

TEST(SleepAvg, BatchTasksEarnNothing) {
    TestWorld w("o1-2.6.22", private_caches(1), 1000);
    SchedTask& p = w.add(0);
    p.policy = SchedPolicy::kBatch;
    Entity& e = entity_of(p);
    e.timestamp = kStart;
    EXPECT_EQ(recalc_task_prio(w.state(), e, kStart + 500 * kMs), 125);
    EXPECT_EQ(e.sleep_avg, 0u);
}

// Woken in process context, waits 10 ms: delta = 10 000 000 * 38 / 128 = 2 968 750 ns.
std::uint64_t after_waiting(std::string_view version, std::uint64_t before) {
    TestWorld w(version, private_caches(1), 1000);
    SchedTask& p = w.add(0, before);
    w.host.time = Time{static_cast<std::int64_t>(kStart)};
    entity_of(p).timestamp = kStart;  // slept 0 ns
    try_to_wake_up(w.sched, p, {.this_cpu = CpuId{0}});
    EXPECT_EQ(entity_of(p).sleep_type, SleepType::kInteractive);
    w.host.time = Time{static_cast<std::int64_t>(kStart + 10 * kMs)};
    EXPECT_EQ(schedule(w.sched, CpuId{0}, nullptr), &p);
    EXPECT_EQ(entity_of(p).sleep_type, SleepType::kNormal);
    return entity_of(p).sleep_avg;
}

TEST(SleepAvg, WaitingOnTheRunqueueEarnsAThirdOfItsTime) {
    EXPECT_EQ(after_waiting("o1-2.6.9", 200 * kMs), 223'750'000u);  // 200 ms + 8 * delta
    EXPECT_EQ(after_waiting("o1-2.6.22", 20 * kMs), 22'968'750u);   // 20 ms + delta
}

TEST(SleepAvg, RunningCostsItsTimeDividedByTheBonus) {
    struct Row {
        std::string_view version;
        std::uint64_t sleep_avg, cost;
    };
    // Ran 14 ms. 2.6.22: bonus 7 pays a seventh. 2.6.9: the full price without interactive credit.
    const std::vector<Row> rows = {{"o1-2.6.22", 700 * kMs, 2 * kMs},
                                   {"o1-2.6.22", 20 * kMs, 14 * kMs},
                                   {"o1-2.6.9", 700 * kMs, 14 * kMs},
                                   {"o1-2.6.9", 20 * kMs, 14 * kMs}};
    for (const Row& row : rows) {
        TestWorld w(row.version, private_caches(1), 1000);
        Entity& e = entity_of(w.add(0, row.sleep_avg));
        e.timestamp = kStart;
        charge_run_time(w.state(), e, run_time_of(w.state(), e, kStart + 14 * kMs));
        EXPECT_EQ(e.sleep_avg, row.sleep_avg - row.cost) << row.version;
    }
}

}  // namespace
}  // namespace wakelab::policy::o1::test
