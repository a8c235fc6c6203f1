// For tests only: a host that records what the scheduler asks of it, and CPUs and tasks in any
// state.
#pragma once

#include <deque>
#include <string_view>
#include <vector>

#include "policy/core.hpp"
#include "policy/goodness/goodness_class.hpp"
#include "policy/goodness/reschedule_idle.hpp"

namespace wakelab::policy::goodness::test {

class FakeHost final : public SchedHost {
 public:
    explicit FakeHost(std::uint32_t cpus) : marked(cpus, false) {}

    [[nodiscard]] Time now() const override { return time; }
    [[nodiscard]] std::uint64_t jiffies() const override { return 0; }
    void resched(CpuId cpu) override {
        if (cpu != this_cpu && !marked[cpu.v]) ipis.push_back(cpu.v);
        marked[cpu.v] = true;
    }
    [[nodiscard]] bool need_resched(CpuId cpu) const override { return marked[cpu.v]; }
    void arm_hrtick(CpuId, Duration) override {}
    void cancel_hrtick(CpuId) override {}
    [[nodiscard]] bool hrtick_active(CpuId) const override { return false; }
    void kick_active_balance(CpuId) override {}
    void note_migration(const SchedTask&, CpuId, CpuId) override {}
    void note_taken(const SchedTask& p, CpuId, CpuId) override { taken.push_back(p.id); }
    void send_ipi(CpuId cpu) override { ipis.push_back(cpu.v); }
    void charge(Duration cost) override { charged += cost; }

    CpuId this_cpu{0};
    Time time;
    std::vector<bool> marked;         // need_resched by CPU
    std::vector<std::uint32_t> ipis;  // in order
    std::vector<TaskId> taken;
    Duration charged;
};

// `cpus` CPUs with 1 MiB each, 8 ways: the box of goodness.md 9.3.
inline topo::Machine osdl_box(std::uint32_t cpus) {
    topo::Machine m;
    m.name = "test";
    m.vendor = "intel";
    m.cpus = cpus;
    for (std::uint32_t c = 0; c < cpus; ++c) {
        m.caches.push_back({.size_bytes = 1 << 20, .ways = 8, .cpus = {CpuId{c}}});
        m.cache_of.push_back(c);
    }
    m.costs.runqueue_scan = 500;
    m.costs.runqueue_wake = 300;
    m.costs.runqueue_examine = 300;
    m.costs.ipi_send = 1000;
    m.costs.recalc_task = 600;
    m.costs.line_l1 = 50;
    m.costs.line_memory = 450;
    return m;
}

inline constexpr std::uint32_t kKernelThread = ~0u;  // for `mm`

struct TestWorld {
    explicit TestWorld(std::uint32_t cpus = 4, std::string_view version = "goodness-2.4.17",
                       std::uint32_t hz = 100)
        : host(cpus), sched(goodness_version(version), config_of(hz), osdl_box(cpus), host) {}

    static SchedulerConfig config_of(std::uint32_t hz) {
        SchedulerConfig config;
        config.kernel.hz = hz;
        TunableInfo& penalty = config.tunables.emplace_back();
        penalty.name = "proc_change_penalty";
        penalty.value = 15;
        return config;
    }
    [[nodiscard]] State& state() { return sched.state(); }
    [[nodiscard]] CpuState& cpu(std::uint32_t c) { return state().cpus[c]; }

    // A sleeping task in the notation of goodness.md 10: (counter, processor, mm).
    SchedTask& add(int counter, std::uint32_t processor, std::uint32_t mm, int nice = 0) {
        SchedTask& p = tasks.emplace_back();
        p.id = TaskId{static_cast<std::uint32_t>(tasks.size() - 1)};
        p.cpu = CpuId{processor};
        p.nice = static_cast<std::int8_t>(nice);
        p.is_user = mm != kKernelThread;
        p.mm = TaskId{mm};
        p.allowed = topo::CpuMask::first_n(static_cast<std::uint32_t>(state().cpus.size()));
        sched.attach(p);
        entity_of(p).counter = counter;
        entity_of(p).dyn_prio = 0;
        return p;
    }
    // The same, at the end of the list.
    SchedTask& add_queued(int counter, std::uint32_t processor, std::uint32_t mm, int nice = 0) {
        SchedTask& p = add(counter, processor, mm, nice);
        p.state = TaskState::kRunning;
        p.on_rq = true;
        state().queue.push_back(entity_of(p));
        return p;
    }
    // The same, running on its CPU.
    SchedTask& add_running(int counter, std::uint32_t processor, std::uint32_t mm, int nice = 0) {
        SchedTask& p = add_queued(counter, processor, mm, nice);
        Entity& e = entity_of(p);
        e.occupies = p.cpu;
        cpu(processor).curr = &e;
        if (p.is_user) cpu(processor).mm = p.mm;
        return p;
    }

    Placement reschedule_idle(SchedTask& p, std::uint32_t this_cpu = 0) {
        host.this_cpu = CpuId{this_cpu};
        return goodness::reschedule_idle(state(), entity_of(p), CpuId{this_cpu});
    }
    void wake(SchedTask& p, std::uint32_t this_cpu = 0, bool sync = false) {
        host.this_cpu = CpuId{this_cpu};
        Entity* const waker = cpu(this_cpu).curr;
        try_to_wake_up(sched, p,
                       {.this_cpu = CpuId{this_cpu},
                        .waker = waker != nullptr ? waker->task : nullptr,
                        .sync = sync});
    }
    // schedule() as the engine calls it.
    SchedTask* schedule(std::uint32_t c) {
        host.this_cpu = CpuId{c};
        SchedTask* const next = policy::schedule(sched, CpuId{c}, sched.curr(CpuId{c}));
        host.marked[c] = false;
        return next;
    }
    // The task that runs on `c` goes to sleep.
    SchedTask* block(std::uint32_t c) {
        sched.curr(CpuId{c})->state = TaskState::kInterruptible;
        return schedule(c);
    }
    // One tick on `c`, and schedule() when it asks for that.
    void tick(std::uint32_t c) {
        host.this_cpu = CpuId{c};
        sched.tick(CpuId{c});
        if (host.marked[c]) schedule(c);
    }

    FakeHost host;
    GoodnessClass sched;
    std::deque<SchedTask> tasks;
};

inline int counter(const SchedTask& p) {
    return entity_of(p).counter;
}

}  // namespace wakelab::policy::goodness::test
