// cfs_rq and rq: the queues of one CPU. Plain data, public on purpose: tests build any state.
#pragma once

#include <array>
#include <boost/intrusive/list.hpp>
#include <boost/intrusive/set.hpp>
#include <cstdint>
#include <span>

#include "base/ids.hpp"
#include "policy/cfs/entity.hpp"
#include "policy/domains.hpp"
#include "policy/rt/rt_queue.hpp"

namespace wakelab::policy::cfs {

struct VruntimeBefore {
    bool operator()(const Entity& a, const Entity& b) const {
        return before(a.vruntime, b.vruntime);
    }
};

// Waiting entities by virtual time; a new one goes right of its equals. begin() is cached.
using FairTree =
    bi::multiset<Entity, bi::member_hook<Entity, decltype(Entity::tree_hook), &Entity::tree_hook>,
                 bi::compare<VruntimeBefore>, bi::constant_time_size<false>>;
// Queued entities, the running one included, most recently queued first (V26A+).
using TaskList =
    bi::list<Entity, bi::member_hook<Entity, decltype(Entity::tasks_hook), &Entity::tasks_hook>,
             bi::constant_time_size<false>>;

struct Rq;

struct CfsRq {
    LoadWeight load;               // of all queued entities, the running one included
    std::uint32_t nr_running = 0;  // likewise
    // The kernel starts just below the wrap, so that overflow bugs show soon after boot.
    std::uint64_t min_vruntime = static_cast<std::uint64_t>(-(1ll << 20));
    Entity* curr = nullptr;  // running entity; not in the tree, but in V23
    Rq* rq = nullptr;        // of its CPU
    Entity* next = nullptr;  // buddies (cfs.md 2.6)
    Entity* last = nullptr;
    std::uint64_t pair_start = 0;  // V27
    FairTree tree;
    TaskList tasks;
    // V23: time each task of nice 0 should have had since boot. Starts at 1 because 0 means "not
    // set" in the entities.
    std::uint64_t fair_clock = 1;
    std::uint64_t sleeper_bonus = 0;  // credit given to sleepers and not yet taken back, V23
    // Groups, V26A, V27+ (groups.cpp): weight at the last update of the shares, and the part of
    // the CPU's load that this queue stands for.
    std::uint64_t rq_weight = 0;
    std::uint64_t h_load = 0;
    Entity* owner = nullptr;  // group entity whose tasks these are; null: the CPU's own queue

    [[nodiscard]] Entity* leftmost() { return tree.empty() ? nullptr : &*tree.begin(); }
    [[nodiscard]] Entity* rightmost() { return tree.empty() ? nullptr : &*tree.rbegin(); }
};

// struct load_stat of V23 (cfs.md 2.11.5): load times the time it lasted, since the last tick.
struct LoadStat {
    std::uint64_t update_start = 0;  // clock of the last change of the load
    std::uint64_t update_last = 0;   // and of the last tick
    std::uint64_t delta_exec = 0;    // busy time
    std::uint64_t delta_fair = 0;    // the same divided by the load
    std::uint64_t delta_stat = 0;    // not yet in these two: idle, or below the granularity
};

struct Rq {
    CpuId cpu;
    std::uint32_t nr_running = 0;             // all classes, the running task included
    std::uint64_t load = 0;                   // weighted_cpuload(): sum of the weights
    std::array<std::uint64_t, 5> cpu_load{};  // smoothed by ticks, slower with the index
    SchedTask* curr = nullptr;                // null: the idle task
    std::uint64_t clock = 0;                  // ns
    std::uint64_t last_task_average = 0;      // V27: average task load when last computed
    CfsRq cfs;
    RtQueue rt;

    std::uint64_t clock_raw = 0;       // sched_clock() of the last update (V23..V25)
    std::uint64_t tick_timestamp = 0;  // clock at the last tick (V23..V25)

    std::span<SchedDomain> domains;  // bottom up
    std::uint64_t next_balance = 0;  // jiffies
    bool idle_at_tick = false;
    bool in_nohz_recently = false;
    LoadStat load_stat;           // V23
    bool active_balance = false;  // the migration thread has been asked to push
    CpuId push_cpu;
    std::uint64_t power = kNice0Load;  // V32A+: less for a thread of a core

    [[nodiscard]] bool idle() const { return curr == nullptr; }
};

}  // namespace wakelab::policy::cfs
