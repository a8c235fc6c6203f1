// The O(1) scheduler of 2.5.6 .. 2.5.23 (o1.md 2, 3.1, 7): two arrays as later, but a sleep_avg in
// jiffies, no domains, and one global load balancer. Plain data, so that tests can set any state.
//
// Of an Entity it uses sleep_avg (jiffies here) and timestamp (jiffies: sleep_timestamp).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "policy/o1/entity.hpp"
#include "policy/o1/prio_array.hpp"
#include "policy/sched_class.hpp"

namespace wakelab::policy::o1::early {

struct RunQueue {
    explicit RunQueue(std::uint32_t cpus) : prev_nr_running(cpus, 0) {}
    RunQueue(const RunQueue&) = delete;  // active and expired point into the object
    RunQueue& operator=(const RunQueue&) = delete;

    std::array<PrioArray, 2> arrays;
    Entity* curr = nullptr;  // null: the idle task. The running task stays in its list.
    PrioArray* active = &arrays[0];
    PrioArray* expired = &arrays[1];
    std::uint32_t nr_running = 0;                // the running task included
    std::uint64_t expired_timestamp = 0;         // jiffies, 0: none
    std::vector<std::uint32_t> prev_nr_running;  // of every CPU when this one last balanced

    [[nodiscard]] int curr_prio() const { return curr != nullptr ? curr->prio : kMaxPrio; }
};

// Priorities and slices in jiffies (o1.md 2).
class Tables {
 public:
    explicit Tables(std::uint32_t hz)
        : max_sleep_avg(2 * hz), min_slice_(10 * hz / 1000), max_slice_(300 * hz / 1000) {}

    std::uint64_t max_sleep_avg;  // also the starvation limit per runnable task

    [[nodiscard]] std::uint32_t timeslice(int static_prio) const {
        const auto better = static_cast<std::uint32_t>(kMaxPrio - 1 - static_prio);
        return min_slice_ + (max_slice_ - min_slice_) * better / 39;
    }
    [[nodiscard]] int normal_prio(int static_prio, std::uint64_t sleep_avg) const;
    [[nodiscard]] static bool interactive(const Entity& e);

 private:
    std::uint32_t min_slice_, max_slice_;
};

struct Options {
    bool sync_moves = false;         // 2.5.22: a sync wakee goes to the waker's CPU
    bool sync_preempt_check = true;  // false: and never preempts there (o1.md 5.1)
    std::uint64_t cache_decay_ticks = 0;
};

struct State {
    State(std::uint32_t hertz, std::uint32_t cpus, SchedHost& world);

    Tables tables;
    SchedHost& host;
    std::uint32_t hz;
    Options options;
    std::deque<RunQueue> rqs;  // by CPU number

    [[nodiscard]] RunQueue& rq(CpuId cpu) { return rqs[cpu.v]; }
    [[nodiscard]] const RunQueue& rq(CpuId cpu) const { return rqs[cpu.v]; }
};

// enqueue on the active array of its CPU.
void enqueue_active(State& s, Entity& e);
// activate_task(): with sleep credit.
void activate_task(State& s, Entity& e);
void deactivate_task(State& s, Entity& e);
void resched_if_preempted_by(State& s, const Entity& e);

// Array switch and choice of the next task; null: idle.
Entity* pick_next(State& s, CpuId cpu);
void scheduler_tick(State& s, CpuId cpu);
// sys_sched_yield() of the running task.
void yield_task(State& s, CpuId cpu);

// load_balance(): pulls at most two tasks from the longest queue.
void load_balance(State& s, CpuId this_cpu, bool idle);

}  // namespace wakelab::policy::o1::early
