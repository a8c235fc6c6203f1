// Pipes of both ages: the steady states of o1.md 11.1.
#include "sim/pipe.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "sim/sys.hpp"
#include "support/fifo_sched.hpp"

namespace wakelab::sim {
namespace {

constexpr std::int64_t kCall = 64 * 1024;

struct Transfer {
    Pipe pipe;
    std::vector<std::int64_t> reads;
    int calls = 0;
};

Workload writer(Sys& sys, Transfer& t) {
    for (int i = 0; i < t.calls; ++i) co_await sys.write(t.pipe, kCall);
}

Workload reader(Sys& sys, Transfer& t) {
    std::int64_t total = 0;
    while (total < t.calls * kCall) {
        const std::int64_t n = co_await sys.read(t.pipe, kCall);
        t.reads.push_back(n);
        total += n;
    }
}

// Counts sync and plain wake-ups; wakes by timers do not come from a task.
struct WakeCounter final : trace::TraceSink {
    int sync = 0;
    int plain = 0;
    void consume(std::span<const trace::TraceRecord> records) override {
        for (const auto& r : records)
            if (r.type == trace::EventType::kWakeup && r.task != trace::kNobody &&
                (r.flags & trace::kWakeInInterrupt) == 0)
                ++((r.flags & trace::kWakeSync) != 0 ? sync : plain);
    }
};

WakeCounter transfer(Transfer& t, std::uint32_t slots) {
    policy::SchedulerInfo info = test::fifo_info();
    info.ipc.pipe_slots = slots;
    topo::Machine machine = test::free_machine(2);
    machine.costs.pipe_before = 100;
    machine.costs.copy_per_kib = 10;
    WakeCounter wakes;
    Engine engine(machine, {.scheduler = &info, .config = {}, .seed = 1, .sink = &wakes});
    const auto everywhere = topo::CpuMask::first_n(2);
    Task& r = engine.add_task({.name = "reader", .cpu = CpuId{0}, .allowed = everywhere});
    Task& w = engine.add_task(
        {.name = "writer", .cpu = CpuId{0}, .allowed = everywhere, .start = Time{1'000'000}});
    engine.set_program(r, reader(*r.sys, t));
    engine.set_program(w, writer(*w.sys, t));
    engine.run_until(Time{1'000'000'000});
    EXPECT_EQ(engine.exit_kind(), ExitKind::kAllExited);
    engine.flush_trace();
    EXPECT_EQ(t.pipe.queued_bytes(), 0);
    return wakes;
}

// 16 buffers: each 64 KiB write fits, one plain wake-up each way and no sync one. The first write finds
// the reader waiting; later writes find 16 full buffers and sleep without owing a wake-up.
TEST(Pipe, SixteenBuffersNeedNoSyncWakeups) {
    Transfer t;
    t.calls = 10;
    const WakeCounter wakes = transfer(t, 16);
    EXPECT_EQ(wakes.sync, 0);
    EXPECT_EQ(t.reads, std::vector<std::int64_t>(10, kCall));
}

// One page: the writer blocks 15 times in a 64 KiB call, the reader too because a writer waits: 15 sync
// wake-ups each way per call, then a plain one at the end of each call.
TEST(Pipe, SinglePageRingHandsOverPageByPage) {
    Transfer t;
    t.calls = 1;
    const WakeCounter wakes = transfer(t, 1);
    EXPECT_EQ(t.reads, std::vector<std::int64_t>{kCall});
    EXPECT_EQ(wakes.sync, 30);
}

Workload ping(Sys& sys, Pipe& out, Pipe& in) {
    for (int i = 0; i < 20; ++i) {
        co_await sys.write(out, 1);
        co_await sys.read(in, 1);
    }
}

Workload pong(Sys& sys, Pipe& in, Pipe& out) {
    for (int i = 0; i < 20; ++i) {
        co_await sys.read(in, 1);
        co_await sys.write(out, 1);
    }
}

// lat_pipe: a byte back and forth. Nobody ever finds a full pipe: only plain wake-ups, whatever the ring.
TEST(Pipe, PingPongOfOneByteNeedsNoSyncWakeups) {
    for (const std::uint32_t slots : {1u, 16u}) {
        policy::SchedulerInfo info = test::fifo_info();
        info.ipc.pipe_slots = slots;
        WakeCounter wakes;
        Engine engine(test::free_machine(2), {.scheduler = &info, .config = {}, .seed = 1, .sink = &wakes});
        const auto everywhere = topo::CpuMask::first_n(2);
        Pipe there, back;
        Task& a = engine.add_task({.name = "a", .cpu = CpuId{0}, .allowed = everywhere});
        Task& b = engine.add_task({.name = "b", .cpu = CpuId{1}, .allowed = everywhere});
        engine.set_program(a, ping(*a.sys, there, back));
        engine.set_program(b, pong(*b.sys, there, back));
        engine.run_until(Time{1'000'000'000});
        EXPECT_EQ(engine.exit_kind(), ExitKind::kAllExited);
        engine.flush_trace();
        EXPECT_EQ(wakes.sync, 0) << slots;
        EXPECT_GE(wakes.plain, 20) << slots;
    }
}

Workload small_writer(Sys& sys, Transfer& t) {
    for (int i = 0; i < t.calls; ++i) co_await sys.write(t.pipe, 100);
}

Workload late_reader(Sys& sys, Transfer& t) {
    co_await sys.sleep(10_ms);
    t.reads.push_back(co_await sys.read(t.pipe, kCall));
}

// Small writes are merged into the last buffer: 40 x 100 bytes lie in one page and come out in one read.
TEST(Pipe, SmallWritesShareABuffer) {
    policy::SchedulerInfo info = test::fifo_info();
    Transfer t;
    t.calls = 40;
    Engine engine(test::free_machine(2), {.scheduler = &info, .config = {}, .seed = 1, .sink = nullptr});
    const auto everywhere = topo::CpuMask::first_n(2);
    Task& w = engine.add_task({.name = "w", .cpu = CpuId{0}, .allowed = everywhere});
    Task& r = engine.add_task({.name = "r", .cpu = CpuId{1}, .allowed = everywhere});
    engine.set_program(w, small_writer(*w.sys, t));
    engine.set_program(r, late_reader(*r.sys, t));
    engine.run_until(Time{1'000'000'000});
    EXPECT_EQ(t.reads, std::vector<std::int64_t>{4000});
}

}  // namespace
}  // namespace wakelab::sim
