#include "policy/cfs/load_stat.hpp"

#include <gtest/gtest.h>

#include "policy/cfs/cpu_load.hpp"
#include "policy/cfs/test_world.hpp"

namespace wakelab::policy::cfs {

namespace {

// One CPU of 2.6.23, ticks of 4 ms; tasks come and go between them.
struct World : TestWorld {
    World() : TestWorld("V23", "one") { boot(); }
    void at(std::int64_t us) {
        host.time = us * 1000;
        state().this_cpu = CpuId{0};
    }
    void wake(SchedTask& p, std::int64_t us) {
        at(us);
        SchedTask* waker = rq(0).curr;
        try_to_wake_up(*sched, p, {.this_cpu = CpuId{0}, .waker = waker});
        if (waker == nullptr) schedule(*sched, CpuId{0}, nullptr);
    }
    void sleep(SchedTask& p, std::int64_t us) {
        at(us);
        p.state = TaskState::kInterruptible;
        schedule(*sched, CpuId{0}, &p);
    }
    // Load as the tick sees it: cpu_load[0] has no memory.
    std::uint64_t tick(std::int64_t us) {
        at(us);
        sched->tick(CpuId{0});
        return rq(0).cpu_load[0];
    }
};

// Busy with one task for 4 ms: E = min(4000001, 4000000), F = 4000001, so 1024 * E / F = 1023.
// Two: F = 2000001, 2047.
TEST(PreciseCpuLoad, BusyCpuIsOneShortOfItsWeight) {
    World w;
    SchedTask& a = w.add_task(0);
    SchedTask& b = w.add_task(0);
    w.wake(a, 0);
    EXPECT_EQ(w.tick(4000), 1023u);
    w.wake(b, 4000);
    EXPECT_EQ(w.tick(8000), 2047u);
}

// 1 of 4 ms: E = F = 1000001, 1024 * 1000001 / 4000000 = 256.
TEST(PreciseCpuLoad, LoadCountsByTheTimeItLasts) {
    World w;
    SchedTask& a = w.add_task(0);
    w.wake(a, 0);
    w.sleep(a, 1000);
    EXPECT_EQ(w.tick(4000), 256u);
    EXPECT_EQ(w.rq(0).load, 0u);
}

// 1 ms of two tasks, 3 of one: exec 4, fair 0.5 + 3: 1024 * 4000000 / 3500001 = 1170.
TEST(PreciseCpuLoad, ChangingLoadIsAveragedOverFairTime) {
    World w;
    SchedTask& a = w.add_task(0);
    SchedTask& b = w.add_task(0);
    w.wake(a, 0);
    w.wake(b, 0);
    w.sleep(*w.rq(0).curr, 1000);
    EXPECT_EQ(w.tick(4000), 1170u);
}

// The quirk: the 3 idle ms are still pending and become busy time of the next load: E = min(7, 4)
// ms, F = 7000001: 1024 * 4000000 / 7000001 = 585 although the CPU was busy all the time.
TEST(PreciseCpuLoad, IdleTimeIsChargedToTheNextLoad) {
    World w;
    SchedTask& a = w.add_task(0);
    w.wake(a, 0);
    w.sleep(a, 1000);
    w.tick(4000);
    w.wake(a, 4000);
    EXPECT_EQ(w.tick(8000), 585u);
    EXPECT_EQ(w.tick(12000), 1023u) << "over";
}

// cpu_load[1]: (0 + 1023) / 2 = 511, then (511 + 1023) / 2 = 767: rounded down, also while rising.
TEST(PreciseCpuLoad, SlowerAveragesRoundDown) {
    World w;
    w.wake(w.add_task(0), 0);
    w.tick(4000);
    EXPECT_EQ(w.rq(0).cpu_load[1], 511u);
    w.tick(8000);
    EXPECT_EQ(w.rq(0).cpu_load[1], 767u);
    EXPECT_EQ(w.rq(0).cpu_load[2], 447u) << "255 * 3 + 1023 = 1788, a quarter";
}

// Without the feature (29 - 8) the load of the moment counts.
TEST(PreciseCpuLoad, OffSamplesAtTheTick) {
    TestWorld w("V23", "one");
    w.config.features = 21;
    w.boot();
    w.add_task(0);
    w.queue(0);
    w.run(0);
    w.host.time = 4 * kMs;
    w.sched->tick(CpuId{0});
    EXPECT_EQ(w.rq(0).cpu_load[0], 1024u);
    EXPECT_EQ(w.rq(0).cpu_load[1], 512u) << "no rounding up";
}

}  // namespace

}  // namespace wakelab::policy::cfs
