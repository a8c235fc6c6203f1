// sched_entity: what CFS keeps about a task (cfs.md 1.1). Lives in the class's arena from attach or
// fork to detach; SchedTask::entity points to it. Plain data: the functions beside it read and
// write it.
#pragma once

#include <boost/intrusive/list_hook.hpp>
#include <boost/intrusive/set_hook.hpp>
#include <cstdint>

#include "policy/cfs/weight.hpp"
#include "policy/rt/rt_queue.hpp"
#include "policy/task.hpp"

namespace wakelab::policy::cfs {

namespace bi = boost::intrusive;

// What V23 keeps about a task; its key in the tree is Entity::vruntime (cfs.md 2.11).
struct WaitRuntime {
    std::int64_t owed = 0;               // wait_runtime: CPU time it is owed; negative: it owes
    std::uint64_t wait_start_fair = 0;   // fair clock when it began to wait; 0: does not wait
    std::uint64_t sleep_start_fair = 0;  // and to sleep; 0: does not sleep
    // Not yet accounted: below sched_stat_granularity_ns.
    std::uint64_t delta_exec = 0;
    std::uint64_t delta_fair_run = 0;
    std::uint64_t delta_fair_sleep = 0;
};

struct CfsRq;

// A task, or a group of tasks on one CPU.
struct Entity {
    bi::set_member_hook<bi::link_mode<bi::normal_link>, bi::optimize_size<true>> tree_hook;
    std::uint64_t vruntime = 0;
    LoadWeight load = kNiceLoad[20];
    std::uint64_t exec_start = 0;   // runqueue clock of the last accounting
    std::uint64_t sum_exec = 0;     // CPU time accounted so far
    std::uint64_t prev_sum = 0;     // sum_exec when last picked
    std::uint64_t last_wakeup = 0;  // sum_exec at the last mark; 0: none since the last sleep
    std::uint64_t avg_overlap = 0;  // ns, from V25
    CfsRq* cfs = nullptr;      // queue it is, or would be, queued on
    Entity* parent = nullptr;  // group entity that owns `cfs`; null: `cfs` is the CPU's own queue
    CfsRq* my_q = nullptr;     // queue of a group entity; null: a task
    SchedTask* task = nullptr;  // null: a group
    bool on_rq = false;  // queued on a CfsRq; the running entity counts as queued

    std::uint64_t start_runtime = 0;  // sum_exec at the last wake-up, from V30
    std::uint64_t avg_wakeup = 0;     // ns between wake-ups it issues, from V30
    std::uint64_t avg_running = 0;    // ns per time on the CPU, from V32A
    bi::list_member_hook<bi::link_mode<bi::normal_link>> tasks_hook;
    RtNode rt;
    WaitRuntime wait;  // V23

    // Of the patches of 2008 (cfs.md 5); compared, never followed. Null: none.
    const Entity* waker = nullptr;           // P1: last one woken here while this task ran
    const Entity* woken_by = nullptr;        // P1i
    const Entity* woke = nullptr;            // P1i
    const Entity* last_preempter = nullptr;  // P4
};

inline bool is_task(const Entity& se) {
    return se.my_q == nullptr;
}

inline Entity& entity_of(const SchedTask& p) {
    return *static_cast<Entity*>(p.entity);
}

// update_avg(): eighth-weight smoothing. The shift is arithmetic, so the average sticks 7 below a
// constant larger sample (cfs.md 4.6).
constexpr void update_avg(std::uint64_t& avg, std::uint64_t sample) {
    avg += static_cast<std::uint64_t>(static_cast<std::int64_t>(sample - avg) >> 3);
}

// Kernel priority: 0 highest; real-time 0..98, fair 100..139, the idle task 140.
inline constexpr int kIdleTaskPrio = 140;
inline int prio_of(const SchedTask& p) {
    return p.is_rt() ? 99 - p.rt_priority : 120 + p.nice;
}

}  // namespace wakelab::policy::cfs
