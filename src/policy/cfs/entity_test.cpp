#include "policy/cfs/entity.hpp"

#include <gtest/gtest.h>

#include "policy/cfs/cpu_load.hpp"
#include "policy/cfs/test_world.hpp"

namespace wakelab::policy::cfs {

namespace {

std::uint64_t averaged(std::uint64_t from, std::uint64_t sample) {
    update_avg(from, sample);
    return from;
}

// cfs.md UT-10: 0 + 100000 / 8 = 12500, + 87500 / 8 = 10937, ...
TEST(UpdateAvg, EighthWeightWithArithmeticShift) {
    std::uint64_t avg = 0;
    for (const std::uint64_t expected : {12500u, 23437u, 33007u, 41381u, 48708u}) {
        update_avg(avg, 100000);
        EXPECT_EQ(avg, expected);
    }
    EXPECT_EQ(averaged(1000, 0), 875u);
    EXPECT_EQ(averaged(3, 0), 2u) << "-3 >> 3 is -1";
    EXPECT_EQ(averaged(0, 7), 0u) << "7 >> 3 is 0";
    EXPECT_EQ(averaged(0, 8), 1u);
}

// cfs.md UT-10: preemptions after 5 ms count 1 ms each; the sixth passes migration_cost.
TEST(UpdateAvg, PreemptionsGrowTheOverlapFrom2630On) {
    TestWorld w("V30", "one");
    w.boot();
    SchedTask& p = w.add_task(0);
    p.state = TaskState::kRunning;
    for (const std::uint64_t expected : {125000u, 234375u, 330078u, 413818u, 487090u, 551203u}) {
        w.se(0).prev_sum = w.se(0).sum_exec;
        w.se(0).sum_exec += 5'000'000;
        sample_at_switch(w.state(), p);
        EXPECT_EQ(w.se(0).avg_overlap, expected);
    }
}

// cfs.md UT-11. Rising from 1536 at index 1: (1536 + 3072 + 1) >> 1 = 2304.
TEST(CpuLoad, RisesFastAndFallsByHalvesQuartersEighths) {
    Rq rq;
    using Loads = std::array<std::uint64_t, 5>;
    rq.load = 3072;
    average_cpu_load(rq, rq.load, true);
    EXPECT_EQ(rq.cpu_load, (Loads{3072, 1536, 768, 384, 192}));
    average_cpu_load(rq, rq.load, true);
    EXPECT_EQ(rq.cpu_load, (Loads{3072, 2304, 1344, 720, 372}));
    rq.load = 0;
    average_cpu_load(rq, rq.load, true);
    EXPECT_EQ(rq.cpu_load, (Loads{0, 1152, 1008, 630, 348}));
}

TEST(Weights, ByPolicyAndNice) {
    TestWorld w("V26", "one");
    w.boot();
    EXPECT_EQ(entity_of(w.add_task(0, SchedPolicy::kBatch, -5)).load.weight, 3121u);
    EXPECT_EQ(entity_of(w.add_task(0, SchedPolicy::kIdle, -5)).load.weight, 2u);
    EXPECT_EQ(entity_of(w.add_task(0, SchedPolicy::kFifo)).load.weight, 177522u);
    TestWorld later("V29", "one");
    later.boot();
    EXPECT_EQ(entity_of(later.add_task(0, SchedPolicy::kIdle)).load.weight, 3u);
}

}  // namespace

}  // namespace wakelab::policy::cfs
