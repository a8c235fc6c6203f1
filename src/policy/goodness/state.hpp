// Everything the 2.4 scheduler of one run knows. The functions of kernel/sched.c are free functions
// on it. Plain data, so that tests can set any state.
#pragma once

#include <cstdint>
#include <vector>

#include "policy/goodness/entity.hpp"
#include "policy/goodness/goodness_version.hpp"
#include "policy/goodness/runqueue_lock.hpp"
#include "policy/sched_class.hpp"
#include "topo/machine.hpp"

namespace wakelab::policy::goodness {

struct CpuState {
    Entity* curr = nullptr;  // null: the idle task
    TaskId mm;               // address space loaded: that of the last task that has one (active_mm)
    Time last_schedule{};    // of the last real switch
    CpuId sibling;           // hyper-thread of the same core; none: not a pair
};

struct State {
    State(const GoodnessVersion& row, std::uint32_t ticks_per_second, int penalty,
          const topo::Machine& machine, SchedHost& world)
        : version(row),
          host(world),
          hz(ticks_per_second),
          up(machine.cpus == 1),
          proc_change_penalty(up ? 0 : penalty),
          lock(machine),
          cpus(machine.cpus) {
        for (const std::vector<CpuId>& core : machine.smt) {
            if (core.size() != 2) continue;  // the kernel knows pairs only
            cpus[core[0].v].sibling = core[1];
            cpus[core[1].v].sibling = core[0];
        }
    }

    const GoodnessVersion& version;
    SchedHost& host;
    std::uint32_t hz;
    bool up;  // one CPU: a kernel built without SMP
    int proc_change_penalty;
    RunqueueLock lock;
    std::vector<CpuState> cpus;  // by CPU number
    RunList queue;
    std::vector<Entity*> tasks;  // every task in the system, in no order
    std::uint64_t rcl_curr = 0;  // dyn-sched: recalculations since boot

    [[nodiscard]] bool is_idle(CpuId cpu) const { return cpus[cpu.v].curr == nullptr; }
    // can_schedule() (goodness.md 1.2, 4.3).
    [[nodiscard]] bool can_schedule(const Entity& e, CpuId cpu) const {
        if (!e.task->allowed.test(cpu)) return false;
        return !e.occupies.valid() || (e.occupies == cpu && !version.still_running);
    }
};

}  // namespace wakelab::policy::goodness
