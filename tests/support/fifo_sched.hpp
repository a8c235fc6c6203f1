// The simplest scheduler: a FIFO queue per CPU, wakees stay where they ran. For tests of the engine, where
// every instant must be computable by hand.
#pragma once

#include <algorithm>
#include <deque>
#include <vector>

#include "policy/registry.hpp"

namespace wakelab::test {

class FifoSched final : public policy::SchedClass {
 public:
    FifoSched(const topo::Machine& machine, policy::SchedHost& host)
        : host_(host), queue_(machine.cpus), curr_(machine.cpus, nullptr) {}

    // A task whose wake-up preempts whatever runs on its CPU.
    TaskId preemptor;
    // Where the next wake-ups go, regardless of affinity; kNoCpu: prev.
    CpuId force_cpu = kNoCpu;
    // Where a task that execs goes; kNoCpu: stays.
    CpuId exec_cpu = kNoCpu;

    void attach(policy::SchedTask&) override {}
    void detach(policy::SchedTask&) override {}
    CpuId fork(policy::SchedTask*, policy::SchedTask&, CpuId cpu) override { return cpu; }
    void wake_up_new(policy::SchedTask& p, policy::SchedTask*, CpuId) override { push(p); }
    [[nodiscard]] CpuId exec(const policy::SchedTask& p) override {
        return exec_cpu.valid() ? exec_cpu : p.cpu;
    }
    void exit(policy::SchedTask&, policy::SchedTask*) override {}
    void set_policy(policy::SchedTask& p, policy::SchedPolicy policy, std::int8_t nice,
                    std::uint8_t rt_priority) override {
        p.policy = policy;
        p.nice = nice;
        p.rt_priority = rt_priority;
    }
    bool set_allowed(policy::SchedTask& p, const topo::CpuMask& mask) override {
        p.allowed = mask;
        return p.on_rq && !mask.test(p.cpu);
    }
    CpuId select_task_rq(policy::SchedTask& p, const policy::WakeContext&,
                         policy::PlaceRule& rule) override {
        rule = policy::PlaceRule::kStayedOnPrev;
        return force_cpu.valid() ? force_cpu : p.cpu;
    }
    void set_task_cpu(policy::SchedTask& p, CpuId cpu) override { p.cpu = cpu; }
    void activate(policy::SchedTask& p, const policy::WakeContext&) override { push(p); }
    void check_preempt(policy::SchedTask& p, const policy::WakeContext&) override {
        if (curr_[p.cpu.v] == nullptr || p.id == preemptor) host_.resched(p.cpu);
    }
    void wake_queued(policy::SchedTask&, const policy::WakeContext&) override {}
    void wake_done(policy::SchedTask&, const policy::WakeContext&, bool) override {}
    void schedule_begin(CpuId, policy::SchedTask*) override {}
    void deactivate(policy::SchedTask& p) override {
        p.on_rq = false;
        std::erase(queue_[p.cpu.v], &p);
    }
    [[nodiscard]] std::uint32_t nr_running(CpuId cpu) const override {
        return static_cast<std::uint32_t>(queue_[cpu.v].size());
    }
    void idle_balance(CpuId) override {}
    policy::SchedTask* pick_next(CpuId cpu, policy::SchedTask* prev) override {
        auto& q = queue_[cpu.v];
        const bool preempted = prev != nullptr && !q.empty() && q.front() == prev;
        if (preempted) {                           // round robin; the preemptor goes first
            q.pop_front();
            q.push_back(prev);
            const auto first = std::ranges::find(q, preemptor, &policy::SchedTask::id);
            if (first != q.end()) std::rotate(q.begin(), first, first + 1);
        }
        curr_[cpu.v] = q.empty() ? nullptr : q.front();
        return curr_[cpu.v];
    }
    void tick(CpuId) override {}
    void hrtick(CpuId) override {}
    void yield(CpuId) override {}
    void active_balance(CpuId) override {}
    bool nohz_idle_enter(CpuId) override { return false; }
    void nohz_idle_exit(CpuId) override {}
    [[nodiscard]] policy::SchedTask* curr(CpuId cpu) const override { return curr_[cpu.v]; }

 private:
    void push(policy::SchedTask& p) {
        p.on_rq = true;
        queue_[p.cpu.v].push_back(&p);
    }
    policy::SchedHost& host_;
    std::vector<std::deque<policy::SchedTask*>> queue_;
    std::vector<policy::SchedTask*> curr_;
};

inline policy::SchedulerInfo fifo_info() {
    policy::SchedulerInfo info;
    info.name = "fifo-test";
    info.make = [](const policy::SchedulerConfig&, const topo::Machine& machine,
                   policy::SchedHost& host) -> std::unique_ptr<policy::SchedClass> {
        return std::make_unique<FifoSched>(machine, host);
    };
    return info;
}

// `cpus` CPUs in pairs that share a cache, all costs 0 unless set afterwards.
inline topo::Machine free_machine(std::uint32_t cpus) {
    topo::Machine m;
    m.name = "free";
    m.vendor = "intel";
    m.cpus = cpus;
    m.l1_kib = 32;
    for (std::uint32_t c = 0; c < cpus; ++c) {
        if (c % 2 == 0) m.caches.push_back({.size_bytes = 1 << 20, .cpus = {}});
        m.caches.back().cpus.push_back(CpuId{c});
        m.cache_of.push_back(c / 2);
    }
    return m;
}

}  // namespace wakelab::test
