// What a trace says about the CPUs a task may use: without it, an analysis takes a pinned task for one that
// could have run anywhere.
#include <gtest/gtest.h>

#include "sim/engine.hpp"
#include "sim/sys.hpp"
#include "support/fifo_sched.hpp"
#include "support/trace_capture.hpp"

namespace wakelab::sim {
namespace {

topo::CpuMask only(std::uint32_t cpu) {
    topo::CpuMask mask;
    mask.set(CpuId{cpu});
    return mask;
}

Workload moved_child(Sys& sys, void*) {
    sys.run(1_us);
    co_await sys.set_affinity(only(2));
    sys.run(1_us);
    co_await sys.now();
}

Workload idle_child(Sys& sys, void*) { co_await sys.now(); }

Workload parent(Sys& sys) {
    co_await sys.fork("stays", &idle_child, nullptr);
    co_await sys.fork("moves", &moved_child, nullptr);
}

// The mask of a task of the scenario is part of begin(); a child inherits its parent's, and may change it.
TEST(ToldAffinity, ForksAndChangesReachTheSink) {
    const topo::Machine machine = test::free_machine(4);
    const policy::SchedulerInfo info = test::fifo_info();
    test::TraceCapture capture;
    Engine engine(machine, {.scheduler = &info, .config = {}, .seed = 1, .sink = &capture});
    Task& pinned = engine.add_task({.name = "pinned", .cpu = CpuId{1}, .allowed = only(1)});
    engine.set_program(pinned, parent(*pinned.sys));
    engine.run_until(Time{1'000'000});
    engine.flush_trace();
    ASSERT_EQ(capture.masks.size(), 2u);
    for (const auto& [task, mask] : capture.masks)
        EXPECT_EQ(mask, only(capture.names[task] == "moves" ? 2 : 1)) << capture.names[task];
}

// A child that may use every CPU is what is assumed of any: nothing is said.
TEST(ToldAffinity, FreeChildrenNeedNoWord) {
    const topo::Machine machine = test::free_machine(4);
    const policy::SchedulerInfo info = test::fifo_info();
    test::TraceCapture capture;
    Engine engine(machine, {.scheduler = &info, .config = {}, .seed = 1, .sink = &capture});
    Task& free = engine.add_task({.name = "free", .cpu = CpuId{0}, .allowed = topo::CpuMask::first_n(4)});
    const auto forker = [](Sys& sys) -> Workload { co_await sys.fork("child", &idle_child, nullptr); };
    engine.set_program(free, forker(*free.sys));
    engine.run_until(Time{1'000'000});
    EXPECT_TRUE(capture.masks.empty());
}

}  // namespace
}  // namespace wakelab::sim
