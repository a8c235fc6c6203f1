// For tests only: a host that records what the scheduler asks of it, and a scheduler whose
// runqueues, tasks and domains can be set to any state.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "policy/o1/o1_class.hpp"
#include "policy/o1/sleep_avg.hpp"

namespace wakelab::policy::o1::test {

class FakeHost final : public SchedHost {
 public:
    explicit FakeHost(std::uint32_t cpus) : resched_marks(cpus, false) {}

    [[nodiscard]] Time now() const override { return time; }
    [[nodiscard]] std::uint64_t jiffies() const override { return jiffy; }
    void resched(CpuId cpu) override { resched_marks[cpu.v] = true; }
    [[nodiscard]] bool need_resched(CpuId cpu) const override { return resched_marks[cpu.v]; }
    void arm_hrtick(CpuId, Duration) override {}
    void cancel_hrtick(CpuId) override {}
    [[nodiscard]] bool hrtick_active(CpuId) const override { return false; }
    void kick_active_balance(CpuId busiest) override { kicked.push_back(busiest); }
    void note_migration(const SchedTask&, CpuId, CpuId) override { ++migrations; }

    Time time;
    std::uint64_t jiffy = 0;
    std::vector<bool> resched_marks;
    std::vector<CpuId> kicked;
    int migrations = 0;
};

// `cpus` CPUs with private caches.
inline topo::Machine private_caches(std::uint32_t cpus) {
    topo::Machine m;
    m.name = "test";
    m.vendor = "amd";
    m.cpus = cpus;
    for (std::uint32_t c = 0; c < cpus; ++c) {
        m.caches.push_back({.size_bytes = 512 * 1024, .cpus = {CpuId{c}}});
        m.cache_of.push_back(c);
    }
    return m;
}

// Pairs of CPUs that share a cache, as the Q6600.
inline topo::Machine shared_pairs(std::uint32_t cpus) {
    topo::Machine m;
    m.name = "test";
    m.vendor = "intel";
    m.cpus = cpus;
    for (std::uint32_t c = 0; c < cpus; c += 2)
        m.caches.push_back({.size_bytes = 4096 * 1024, .cpus = {CpuId{c}, CpuId{c + 1}}});
    for (std::uint32_t c = 0; c < cpus; ++c) m.cache_of.push_back(c / 2);
    return m;
}

// Cores of two threads, each with a cache of its own.
inline topo::Machine thread_pairs(std::uint32_t cpus) {
    topo::Machine m = shared_pairs(cpus);
    for (std::uint32_t c = 0; c < cpus; c += 2) m.smt.push_back({CpuId{c}, CpuId{c + 1}});
    return m;
}

inline SchedulerConfig config_of(const O1Version& version, const topo::Machine& machine,
                                 std::uint32_t hz) {
    const Result<const SchedulerInfo*> info = find_scheduler(version.name);
    SchedulerConfig config = *configure(**info, machine, {}, {});
    config.kernel.hz = hz;
    return config;
}

struct TestWorld {
    TestWorld(std::string_view version, const topo::Machine& machine, std::uint32_t hz)
        : host(machine.cpus),
          sched(o1_version(version), config_of(o1_version(version), machine, hz), machine, host) {}

    [[nodiscard]] State& state() { return sched.state(); }
    [[nodiscard]] RunQueue& rq(std::uint32_t cpu) { return state().rqs[cpu]; }
    [[nodiscard]] Entity& entity(std::size_t task) { return entity_of(tasks[task]); }

    // A sleeping ordinary task with the given estimator; its slice is full.
    SchedTask& add(std::uint32_t cpu, std::uint64_t sleep_avg = 0, int nice = 0) {
        SchedTask& p = tasks.emplace_back();
        p.id = TaskId{static_cast<std::uint32_t>(tasks.size() - 1)};
        p.cpu = CpuId{cpu};
        p.nice = static_cast<std::int8_t>(nice);
        p.allowed = topo::CpuMask::first_n(state().cpus);
        sched.attach(p);
        Entity& e = entity_of(p);
        e.sleep_avg = sleep_avg;
        e.time_slice = state().prio.timeslice(e.static_prio);
        e.prio = effective_prio(state(), e);
        return p;
    }
    // The same, queued; the first one of a CPU runs there.
    SchedTask& add_queued(std::uint32_t cpu, std::uint64_t sleep_avg = 0, int nice = 0) {
        SchedTask& p = add(cpu, sleep_avg, nice);
        Entity& e = entity_of(p);
        rq(cpu).active->enqueue(e);
        rq(cpu).inc_nr_running(e);
        p.on_rq = true;
        p.state = TaskState::kRunning;
        if (rq(cpu).curr == nullptr) rq(cpu).curr = &e;
        return p;
    }

    FakeHost host;
    O1Class sched;
    std::deque<SchedTask> tasks;
};

// Ids of a priority array in list order.
inline std::vector<std::uint32_t> ids_of(const PrioArray& array) {
    std::vector<std::uint32_t> ids;
    for (int prio = array.next_prio(0); prio < kMaxPrio; prio = array.next_prio(prio + 1))
        for (const Entity* e = array.head(prio); e != nullptr; e = e->next)
            ids.push_back(e->task->id.v);
    return ids;
}

}  // namespace wakelab::policy::o1::test
