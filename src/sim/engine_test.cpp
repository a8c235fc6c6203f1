// Instants computed by hand on a machine with few costs, under a FIFO scheduler.
#include "sim/engine.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "sim/sys.hpp"
#include "support/fifo_sched.hpp"

namespace wakelab::sim {
namespace {

struct Log {
    std::vector<std::int64_t> ns;
};

class EngineTest : public ::testing::Test {
 protected:
    Engine& engine() {
        if (!engine_) {
            policy::SchedulerConfig config;
            config.kernel.preempt = preempt;
            engine_ = std::make_unique<Engine>(
                machine, EngineOptions{.scheduler = &info, .config = config, .seed = 1, .sink = nullptr});
        }
        return *engine_;
    }
    test::FifoSched& sched() { return static_cast<test::FifoSched&>(engine().scheduler()); }
    Task& task(const char* name, std::uint32_t cpu, Time start = Time{}) {
        return engine().add_task({.name = name,
                                  .cpu = CpuId{cpu},
                                  .allowed = topo::CpuMask::first_n(machine.cpus),
                                  .start = start});
    }

    topo::Machine machine = test::free_machine(4);
    policy::SchedulerInfo info = test::fifo_info();
    policy::PreemptModel preempt = policy::PreemptModel::kNone;
    std::unique_ptr<Engine> engine_;
};

Workload spin(Sys& sys, Log& log, Duration work) {
    sys.run(work);
    log.ns.push_back(co_await sys.now());
}

// Timer at 0 on an idle CPU: interrupt, then schedule() after idle_wake 3 us; switch 1.5 us (nothing ran
// there before, so no refill); 10 us of work: done at 14.5 us.
TEST_F(EngineTest, IdleCpuPaysWakeLatencyAndSwitch) {
    machine.costs.idle_wake = 3000;
    machine.costs.switch_direct = 1500;
    Log log;
    Task& t = task("t", 0);
    engine().set_program(t, spin(*t.sys, log, 10_us));
    EXPECT_FALSE(engine().run_until(Time{1'000'000}));
    EXPECT_EQ(engine().exit_kind(), ExitKind::kAllExited);
    EXPECT_EQ(log.ns, std::vector<std::int64_t>{14'500});
    EXPECT_EQ(t.stats.cpu_ns, 11'500);
    EXPECT_EQ(engine().cpus()[0].busy_ns, 11'500);
}

Workload send_then_spin(Sys& sys, Log& log, SocketEnd& end, Duration work) {
    co_await sys.send(end, 1);
    sys.run(work);
    log.ns.push_back(co_await sys.now());
}

Workload receive(Sys& sys, Log& log, SocketEnd& end) {
    co_await sys.recv(end);
    log.ns.push_back(co_await sys.now());
}

// A waker and its wakee on one CPU; the wakee preempts. Send costs 2 us before and 5 us after its effect;
// the sender starts at 1 ms, so the effect is at 1002 and the return to user mode at 1007, after which the
// sender has 10 us of work.
class WakeOnOneCpu : public EngineTest {
 protected:
    void run() {
        machine.costs.send_before = 2000;
        machine.costs.send_after = 5000;
        Task& a = task("a", 0, Time{1'000'000});
        Task& b = task("b", 0);
        engine().set_program(a, send_then_spin(*a.sys, sent, pair.a, 10_us));
        engine().set_program(b, receive(*b.sys, received, pair.b));
        sched().preemptor = b.id;
        engine().run_until(Time{2'000'000});
    }
    SocketPair pair;
    Log sent, received;
};

// The receiver runs when the waker returns to user mode (its re-check costs nothing): 1007.
TEST_F(WakeOnOneCpu, WakerFinishesItsSystemCall) {
    run();
    EXPECT_EQ(received.ns, std::vector<std::int64_t>{1'007'000});
    EXPECT_EQ(sent.ns, std::vector<std::int64_t>{1'017'000});
    EXPECT_EQ(engine().counters().preempt_wakeup, 1u);
}

// A preemptible kernel switches inside the system call: the receiver runs at 1002.
TEST_F(WakeOnOneCpu, PreemptibleKernelSwitchesInsideTheCall) {
    preempt = policy::PreemptModel::kFull;
    run();
    EXPECT_EQ(received.ns, std::vector<std::int64_t>{1'002'000});
    EXPECT_EQ(sent.ns, std::vector<std::int64_t>{1'017'000});
}

// Remote: the sender on CPU 0 pays wake 1 + remote 2 + 10 far lines x 100 ns = 4 us after its effect at
// 1000 (its timer at 996 woke it for 1 us + idle exit 3 us); idle CPU 2 switches the receiver in 3 us
// later, which fetches the 10 lines back: 1004.
TEST_F(EngineTest, RemoteWakeupCostsTheWakerAndReachesTheIdleCpuByIpi) {
    machine.costs.wake = 1000;
    machine.costs.wake_remote = 2000;
    machine.costs.wake_far_lines = 10;
    machine.costs.line_far = 100;
    machine.costs.idle_wake = 3000;
    SocketPair pair;
    Log sent, received;
    Task& b = task("b", 2);
    engine().set_program(b, receive(*b.sys, received, pair.b));
    Task& a = task("a", 0, Time{996'000});
    engine().set_program(a, send_then_spin(*a.sys, sent, pair.a, 10_us));
    engine().run_until(Time{2'000'000});
    EXPECT_EQ(received.ns, std::vector<std::int64_t>{1'004'000});
    EXPECT_EQ(sent.ns, std::vector<std::int64_t>{1'014'000});
}

Workload sleep_twice(Sys& sys, Log& log) {
    co_await sys.sleep(100_us);
    log.ns.push_back(co_await sys.now());
    co_await sys.sleep_until(Time{500'000});
    log.ns.push_back(co_await sys.now());
    co_await sys.sleep_until(Time{1});         // in the past: returns at once
    log.ns.push_back(co_await sys.now());
}

TEST_F(EngineTest, SleepsEndOnTime) {
    Log log;
    Task& t = task("t", 1);
    engine().set_program(t, sleep_twice(*t.sys, log));
    engine().run_until(Time{1'000'000});
    EXPECT_EQ(log.ns, (std::vector<std::int64_t>{100'000, 500'000, 500'000}));
}

Workload child_program(Sys& sys, void* arg) {
    sys.run(7_us);
    static_cast<Log*>(arg)->ns.push_back(co_await sys.now());
}

Workload forker(Sys& sys, Log& log, Log& child) {
    co_await sys.fork("child", &child_program, &child);
    co_await sys.wait_child();
    log.ns.push_back(co_await sys.now());
}

// fork 5 us; the child on the same CPU runs when the parent waits, 7 us, exits; the parent wakes.
TEST_F(EngineTest, ParentWaitsForItsChild) {
    machine.costs.fork_call = 5000;
    Log parent, child;
    Task& t = task("t", 0);
    engine().set_program(t, forker(*t.sys, parent, child));
    engine().run_until(Time{1'000'000});
    EXPECT_EQ(child.ns, std::vector<std::int64_t>{12'000});
    EXPECT_EQ(parent.ns, std::vector<std::int64_t>{12'000});
    EXPECT_EQ(engine().exit_kind(), ExitKind::kAllExited);
}

Workload shell(Sys& sys, Log& log) {
    sys.run(5_us);
    co_await sys.exec();
    log.ns.push_back(co_await sys.now());
    log.ns.push_back(sys.task().cpu.v);
}

// 5 us of work; the migration thread switches in after 1 us, works 3 + 3 us, and wakes the task on
// CPU 3 in between, which loads its image for 20 us. Staying costs the 20 us only.
TEST_F(EngineTest, ExecMovesTheTaskThroughTheMigrationThread) {
    machine.costs.exec_call = 20'000;
    machine.costs.migration_thread = 3000;
    for (const bool moves : {true, false}) {
        engine_.reset();
        Log log;
        Task& t = task("t", 0);
        engine().set_program(t, shell(*t.sys, log));
        if (moves) sched().exec_cpu = CpuId{3};
        engine().run_until(Time{1'000'000});
        EXPECT_EQ(log.ns, (moves ? std::vector<std::int64_t>{28'000, 3}
                                 : std::vector<std::int64_t>{25'000, 0}));
        EXPECT_EQ(t.stats.migrations, moves ? 1u : 0u);
        EXPECT_EQ(engine().counters().migrations, moves ? 1u : 0u);
    }
}

Workload thread_starter(Sys& sys, Log& log) {
    co_await sys.clone_thread("thread", &child_program, &log);
    co_await sys.wait_child();
}

TEST_F(EngineTest, ThreadsSayThatTheyShareTheMemoryOfTheirParent) {
    Log log;
    Task& t = task("t", 0);
    engine().set_program(t, thread_starter(*t.sys, log));
    engine().run_until(Time{1'000'000});
    EXPECT_FALSE(t.is_thread());
    EXPECT_TRUE(engine().tasks().back().is_thread());
    EXPECT_EQ(engine().exit_kind(), ExitKind::kAllExited);
}

Workload endless_zero(Sys& sys) {
    while (true) co_await sys.now();
}

TEST_F(EngineTest, ALoopWithoutCostEndsTheRunWithItsName) {
    Task& t = task("t", 0);
    engine().set_program(t, endless_zero(*t.sys));
    EXPECT_FALSE(engine().run_until(Time{1'000'000}));
    EXPECT_EQ(engine().exit_kind(), ExitKind::kNoProgress);
    EXPECT_NE(engine().exit_message().find("time does not advance"), std::string::npos);
}

TEST_F(EngineTest, ARunThatWaitsForeverIsStuck) {
    SocketPair pair;
    Log log;
    Task& t = task("t", 0);
    engine().set_program(t, receive(*t.sys, log, pair.b));
    EXPECT_FALSE(engine().run_until(Time{10'000'000}));
    EXPECT_EQ(engine().exit_kind(), ExitKind::kStuck);
}

TEST_F(EngineTest, APlacementOnAForbiddenCpuEndsTheRun) {
    Log log;
    topo::CpuMask only;
    only.set(CpuId{0});
    Task& t = engine().add_task({.name = "pinned", .cpu = CpuId{0}, .allowed = only});
    engine().set_program(t, spin(*t.sys, log, 1_us));
    sched().force_cpu = CpuId{3};
    EXPECT_FALSE(engine().run_until(Time{1'000'000}));
    EXPECT_EQ(engine().exit_kind(), ExitKind::kForbiddenCpu);
    EXPECT_NE(engine().exit_message().find("pinned on CPU 3"), std::string::npos);
}

Workload mover(Sys& sys, Log& log, topo::CpuMask mask) {
    sys.run(5_us);
    co_await sys.set_affinity(mask);
    log.ns.push_back(co_await sys.now());
    log.ns.push_back(sys.task().cpu.v);
}

TEST_F(EngineTest, SetAffinityLeavesAForbiddenCpu) {
    Log log;
    topo::CpuMask mask;
    mask.set(CpuId{3});
    Task& t = task("t", 0);
    engine().set_program(t, mover(*t.sys, log, mask));
    engine().run_until(Time{1'000'000});
    EXPECT_EQ(log.ns, (std::vector<std::int64_t>{5'000, 3}));
}

// Two sockets in one select(): both are ready when the scan (1 us + 2 x 0.5 us) ends at 12 us after the
// user work of 10 us. The wake-ups before the scan find nobody on the wait queue.
Workload selector(Sys& sys, Log& log, SelectSet& set) {
    sys.run(10_us);
    log.ns.push_back(co_await sys.select(set));
    log.ns.push_back(co_await sys.now());
}

TEST_F(EngineTest, SelectReportsWhatIsReadyAtTheEndOfTheScan) {
    machine.costs.select_before = 1000;
    machine.costs.select_per_fd = 500;
    SocketPair p, q;
    Log log, sent;
    Task& s = task("s", 0);
    SelectSet set(s, 2);
    set.add(p.a);
    set.add(q.a);
    engine().set_program(s, selector(*s.sys, log, set));
    Task& a = task("a", 1, Time{2'000});
    Task& b = task("b", 2, Time{3'000});
    engine().set_program(a, send_then_spin(*a.sys, sent, p.b, 1_us));
    engine().set_program(b, send_then_spin(*b.sys, sent, q.b, 1_us));
    engine().run_until(Time{1'000'000});
    EXPECT_EQ(log.ns, (std::vector<std::int64_t>{2, 12'000}));
    EXPECT_TRUE(set.was_ready(0) && set.was_ready(1));
    EXPECT_EQ(engine().counters().early_wakeups, 0u);
}

// The receiver frees the buffer, which wakes the sender's side although it waits for data: a spurious
// wake-up of `a`, which blocks in recv() on its own end (cfs.md 7.2).
Workload send_and_wait(Sys& sys, SocketEnd& end) {
    co_await sys.send(end, 1);
    co_await sys.recv(end);
}

TEST_F(EngineTest, FreedBufferWakesTheSendersSideInVain) {
    SocketPair pair;
    Log received;
    Task& a = task("a", 0);
    Task& b = task("b", 2, Time{50'000});
    engine().set_program(a, send_and_wait(*a.sys, pair.a));
    engine().set_program(b, receive(*b.sys, received, pair.b));
    engine().run_until(Time{1'000'000});
    EXPECT_EQ(engine().counters().spurious_wakeups, 1u);
}

// cpu + idle = CPUs x elapsed: busy time of a CPU is the run time of the tasks on it.
TEST_F(EngineTest, TimeIsConserved) {
    machine.costs.switch_direct = 1000;
    machine.costs.tick = 2000;
    Log log;
    for (std::uint32_t i = 0; i < 6; ++i) {
        Task& t = task("t", i % 3);
        engine().set_program(t, spin(*t.sys, log, 30_ms));
    }
    engine().run_until(Time{50'000'000});
    engine().settle_times();
    std::int64_t tasks = 0, cpus = 0;
    for (const Task& t : engine().tasks()) tasks += t.stats.cpu_ns;
    for (const Cpu& c : engine().cpus()) {
        cpus += c.busy_ns;
        EXPECT_LE(c.busy_ns, 50'000'000);
    }
    EXPECT_EQ(tasks, cpus);
    EXPECT_EQ(engine().cpus()[3].busy_ns, 0);
}

}  // namespace
}  // namespace wakelab::sim
