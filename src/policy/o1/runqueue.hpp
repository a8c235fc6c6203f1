// The runqueue of one CPU (o1.md 1.3).
#pragma once

#include <array>
#include <cstdint>

#include "base/ids.hpp"
#include "policy/o1/entity.hpp"
#include "policy/o1/prio_array.hpp"

namespace wakelab::policy::o1 {

struct RunQueue {
    RunQueue() = default;
    RunQueue(const RunQueue&) = delete;  // active and expired point into the object
    RunQueue& operator=(const RunQueue&) = delete;

    std::array<PrioArray, 2> arrays;  // first: active and expired are initialised with it
    Entity* curr = nullptr;           // null: the idle task. The running task stays in its list.
    PrioArray* active = &arrays[0];
    PrioArray* expired = &arrays[1];
    std::uint32_t nr_running = 0;  // both arrays, the running task included
    std::int32_t best_expired_prio = kMaxPrio;
    std::uint64_t raw_weighted_load = 0;  // sum of load_weight
    std::array<std::uint64_t, 3> cpu_load{};
    std::uint64_t expired_timestamp = 0;  // jiffies, 0: none
    std::uint64_t switch_timestamp = 0;   // jiffies of the last array switch (2.6.9-EL)
    std::uint64_t clock = 0;              // ns: timestamp_last_tick or most_recent_timestamp

    // From schedule_begin() to pick_next().
    std::uint64_t schedule_now = 0;
    std::uint64_t run_time = 0;  // charge of prev

    std::uint64_t next_balance = 0;  // jiffies
    CpuId push_cpu;                  // destination of the active balance that is under way
    bool active_balance = false;
    bool in_nohz_recently = false;

    // idle_cpu(): also true while the idle task has been told to reschedule but has not yet.
    [[nodiscard]] bool idle() const { return curr == nullptr; }
    [[nodiscard]] int curr_prio() const { return curr != nullptr ? curr->prio : kMaxPrio; }
    // TASK_PREEMPTS_CURR.
    [[nodiscard]] bool preempted_by(const Entity& e) const { return e.prio < curr_prio(); }

    void inc_nr_running(const Entity& e) {
        ++nr_running;
        raw_weighted_load += e.load_weight;
    }
    void dec_nr_running(const Entity& e) {
        --nr_running;
        raw_weighted_load -= e.load_weight;
    }
};

}  // namespace wakelab::policy::o1
