// For tests: a kernel of any version on a small machine whose clock, queues and tasks a test sets
// as it likes, and a host that only remembers what it was asked.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "policy/cfs/cfs_class.hpp"
#include "policy/cfs/core_queue.hpp"
#include "policy/cfs/fair.hpp"
#include "policy/cfs/patches.hpp"
#include "policy/core.hpp"
#include "policy/registry.hpp"

namespace wakelab::policy::cfs {

inline constexpr std::uint64_t kMs = 1'000'000;  // ns

class FakeHost final : public SchedHost {
 public:
    explicit FakeHost(std::uint32_t cpus) : marked(cpus), timer(cpus, -1) {}

    [[nodiscard]] Time now() const override { return {time}; }
    [[nodiscard]] std::uint64_t jiffies() const override { return ticks; }
    void resched(CpuId cpu) override { marked[cpu.v] = true; }
    [[nodiscard]] bool need_resched(CpuId cpu) const override { return marked[cpu.v]; }
    void arm_hrtick(CpuId cpu, Duration delay) override { timer[cpu.v] = delay.ns; }
    void cancel_hrtick(CpuId cpu) override { timer[cpu.v] = -1; }
    [[nodiscard]] bool hrtick_active(CpuId cpu) const override { return timer[cpu.v] >= 0; }
    void kick_active_balance(CpuId busiest) override { kicked.push_back(busiest); }
    void note_migration(const SchedTask& p, CpuId from, CpuId to) override {
        (void)from, (void)to;
        migrated.push_back(p.id);
    }

    std::int64_t time = 0;
    std::uint64_t ticks = 0;
    std::vector<bool> marked;         // need_resched by CPU
    std::vector<std::int64_t> timer;  // slice timer: delay it was armed with; -1: not armed
    std::vector<CpuId> kicked;
    std::vector<TaskId> migrated;
};

// x2: two CPUs with a cache each; q6600, oct: pairs that share a cache; one: a single CPU; ht: two
// cores of two threads each.
inline topo::Machine test_machine(std::string_view name) {
    const std::uint32_t cpus = name == "one"                     ? 1
                               : name == "x2"                    ? 2
                               : name == "q6600" || name == "ht" ? 4
                                                                 : 8;
    const std::uint32_t per_cache = cpus > 2 ? 2 : 1;
    topo::Machine m;
    m.name = name;
    m.vendor = name == "x2" ? "amd" : "intel";
    m.cpus = cpus;
    for (std::uint32_t c = 0; c < cpus; ++c) {
        if (c % per_cache == 0) m.caches.push_back({.size_bytes = 4 << 20, .cpus = {}});
        m.caches.back().cpus.push_back(CpuId{c});
        m.cache_of.push_back(c / per_cache);
    }
    if (name == "ht") m.smt = {{CpuId{0}, CpuId{1}}, {CpuId{2}, CpuId{3}}};
    return m;
}

// "V25", or with patches: "V25+P5".
inline const CfsVersion& version_of(std::string_view key) {
    const std::size_t plus = key.find('+');
    const CfsVersion& base = version_by_key(key.substr(0, plus));
    if (plus == std::string_view::npos) return base;
    return **find_version(std::string(base.name) + std::string(key.substr(plus)));
}

struct TestWorld {
    // HRTICK and NO_HZ are compiled out, as in the conformance vectors.
    TestWorld(std::string_view key, std::string_view machine_name)
        : version(version_of(key)),
          machine(test_machine(machine_name)),
          host(machine.cpus),
          info(**find_scheduler(version.name)),
          config(*configure(info, machine, {}, {})) {
        config.kernel.high_res = false;
        config.kernel.no_hz = false;
    }

    void set(std::string_view tunable, std::int64_t value) {
        for (TunableInfo& t : config.tunables)
            if (t.name == tunable) t.value = value;
    }
    // After the configuration is complete.
    void boot() { sched = std::make_unique<CfsClass>(version, config, machine, host); }
    [[nodiscard]] Sched& state() { return sched->state(); }
    [[nodiscard]] Rq& rq(std::uint32_t cpu) { return state().rqs[cpu]; }
    [[nodiscard]] Entity& se(std::size_t i) { return entity_of(*tasks[i]); }

    // A sleeping task on `cpu`.
    SchedTask& add_task(std::uint32_t cpu, SchedPolicy policy = SchedPolicy::kNormal,
                        int nice = 0, std::uint32_t group = 0) {
        SchedTask& p = *tasks.emplace_back(std::make_unique<SchedTask>());
        p.id = TaskId{static_cast<std::uint32_t>(tasks.size() - 1)};
        p.cpu = CpuId{cpu};
        p.group = group;
        p.policy = policy;
        p.nice = static_cast<std::int8_t>(nice);
        p.rt_priority = p.is_rt() ? 50 : 0;
        p.allowed = topo::CpuMask::first_n(machine.cpus);
        sched->attach(p);
        return p;
    }
    // Puts task `i` on its queue with its present vruntime, without accounting or placing.
    void queue(std::size_t i) {
        SchedTask& p = *tasks[i];
        Rq& q = state().rq_of(p);
        Entity& e = se(i);
        if (p.is_rt()) {
            q.rt.enqueue(e.rt);
        } else {
            q.cfs.load.add(e.load.weight);
            q.cfs.nr_running++;
            q.cfs.tree.insert(e);
            q.cfs.tasks.push_front(e);
            e.on_rq = true;
        }
        q.nr_running++;
        q.load += e.load.weight;
        p.on_rq = true;
        p.state = TaskState::kRunning;
    }
    // Makes the queued task `i` the running one, without accounting.
    void run(std::size_t i) {
        SchedTask& p = *tasks[i];
        Rq& q = state().rq_of(p);
        q.curr = &p;
        if (p.is_rt()) return;
        if (version.model == FairModel::kVruntime) q.cfs.tree.erase(q.cfs.tree.iterator_to(se(i)));
        q.cfs.curr = &se(i);
    }
    // Moves the clock source; V24 and V25 see ticks often enough not to cap it.
    void set_clock(std::uint64_t ns) {
        host.time = static_cast<std::int64_t>(ns);
        for (Rq& q : state().rqs) {
            q.clock_raw = q.clock;
            q.tick_timestamp = ns - state().tick;
        }
    }

    const CfsVersion& version;
    topo::Machine machine;
    FakeHost host;
    const SchedulerInfo& info;
    SchedulerConfig config;
    std::unique_ptr<CfsClass> sched;
    std::vector<std::unique_ptr<SchedTask>> tasks;
};

}  // namespace wakelab::policy::cfs
