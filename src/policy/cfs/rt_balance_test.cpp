#include "policy/cfs/rt_balance.hpp"

#include <gtest/gtest.h>

#include "policy/cfs/balance.hpp"
#include "policy/cfs/test_world.hpp"

namespace wakelab::policy::cfs {

namespace {

// Q6600, pairs {0,1} {2,3}. Tasks are numbered in the order they are added.
struct RtWorld {
    explicit RtWorld(std::string_view key) : w(key, "q6600") { w.boot(); }
    SchedTask& rt(std::uint32_t cpu, std::uint8_t priority) {
        SchedTask& p = w.add_task(cpu, SchedPolicy::kFifo);
        p.rt_priority = priority;
        return p;
    }
    // A queued and running task.
    SchedTask& running(std::uint32_t cpu, std::uint8_t priority) {
        SchedTask& p = priority == 0 ? w.add_task(cpu) : rt(cpu, priority);
        w.queue(w.tasks.size() - 1);
        w.run(w.tasks.size() - 1);
        return p;
    }
    CpuId woken(SchedTask& p, std::uint32_t this_cpu) {
        return try_to_wake_up(*w.sched, p, {.this_cpu = CpuId{this_cpu}, .waker = nullptr}).cpu;
    }

    TestWorld w;
};

TEST(RtPlacement, WakeeThatWouldPreemptAFairTaskStays) {
    for (const std::string_view key : {"V25", "V27", "V32"}) {
        RtWorld r(key);
        r.running(1, 0);
        EXPECT_EQ(r.woken(r.rt(1, 50), 0), CpuId{1}) << key;
    }
}

// CPU 1 runs FIFO 60, CPU 0 FIFO 70, 2 and 3 nothing real-time. 2.6.25 takes the first CPU without
// real-time tasks; the priority vectors know both and ask for p's domains: pair {0,1} has none of
// them, the machine has the waker's CPU 3.
TEST(RtPlacement, BehindARealTimeTaskTheWakeeGoesToALowerCpu) {
    for (const std::string_view key : {"V24", "V25", "V26", "V27", "V32"}) {
        RtWorld r(key);
        r.running(1, 60);
        r.running(0, 70);
        const std::uint32_t expected = key == "V24" ? 1 : key == "V25" || key == "V26" ? 2 : 3;
        EXPECT_EQ(r.woken(r.rt(1, 50), 3), CpuId{expected}) << key;
    }
}

TEST(RtPlacement, AffinityIsKept) {
    RtWorld r("V27");
    r.running(1, 60);
    SchedTask& pinned = r.rt(1, 50);
    pinned.allowed = topo::CpuMask::of_word(0b0010);
    EXPECT_EQ(r.woken(pinned, 3), CpuId{1});
    SchedTask& two = r.rt(1, 50);
    two.allowed = topo::CpuMask::of_word(0b0110);
    EXPECT_EQ(r.woken(two, 3), CpuId{2});
}

TEST(RtPush, TheTaskThatIsPreemptedMovesOn) {
    for (const std::string_view key : {"V24", "V25", "V27"}) {
        RtWorld r(key);
        SchedTask& low = r.running(1, 40);
        SchedTask& high = r.rt(1, 50);
        high.allowed = topo::CpuMask::of_word(0b0010);
        r.woken(high, 0);
        EXPECT_EQ(schedule(*r.w.sched, CpuId{1}, &low), &high) << key;
        EXPECT_EQ(low.cpu == CpuId{1}, key == "V24") << key;
        if (key != "V24") {
            EXPECT_TRUE(r.w.host.marked[low.cpu.v]) << key;
        }
    }
}

TEST(RtPull, ACpuThatWouldRunLessFetchesAWaitingTask) {
    for (const std::string_view key : {"V24", "V25", "V27"}) {
        RtWorld r(key);
        SchedTask& leaves = r.running(2, 80);
        r.running(1, 60);
        SchedTask& waits = r.rt(1, 50);
        r.w.queue(r.w.tasks.size() - 1);
        leaves.state = TaskState::kInterruptible;
        SchedTask* next = schedule(*r.w.sched, CpuId{2}, &leaves);
        EXPECT_EQ(next == &waits, key != "V24") << key;
        EXPECT_EQ(waits.cpu, CpuId{key == "V24" ? 1u : 2u}) << key;
    }
}

TEST(RtPull, WhatIsAboutToRunThereIsLeft) {
    RtWorld r("V27");
    SchedTask& leaves = r.running(2, 80);
    r.running(1, 40);
    SchedTask& waits = r.rt(1, 50);  // preempts there
    r.w.queue(r.w.tasks.size() - 1);
    leaves.state = TaskState::kInterruptible;
    EXPECT_EQ(schedule(*r.w.sched, CpuId{2}, &leaves), nullptr);
    EXPECT_EQ(waits.cpu, CpuId{1});
}

// 2.6.24: the load balancer moves them, the last of the best priority first. Loads 532566 : 0, so half
// of it, 266283, may move: one task of 177522 leaves 88761, for which half a task is not too much.
TEST(RtPull, TheBalancerOf2624TakesTheLastOfTheBestPriority) {
    RtWorld r("V24");
    r.running(0, 60);
    SchedTask& first = r.rt(0, 50);
    r.w.queue(r.w.tasks.size() - 1);
    SchedTask& last = r.rt(0, 50);
    r.w.queue(r.w.tasks.size() - 1);
    r.w.rq(0).cpu_load.fill(r.w.rq(0).load);
    bool my_job = true;
    EXPECT_TRUE(load_balance(r.w.state(), CpuId{1}, r.w.rq(1).domains[0], IdleType::kIdle, my_job));
    EXPECT_EQ(r.w.host.migrated, (std::vector<TaskId>{last.id, first.id}));
}

}  // namespace

}  // namespace wakelab::policy::cfs
