#include "policy/o1/scheduler_tick.hpp"

#include <algorithm>

#include "policy/o1/load.hpp"
#include "policy/o1/rebalance.hpp"
#include "policy/o1/sleep_avg.hpp"

namespace wakelab::policy::o1 {

namespace {

// EXPIRED_STARVING: the expired tasks have waited too long for interactive ones to stay active.
bool starving(const State& s, const RunQueue& rq) {
    if (rq.curr->static_prio > rq.best_expired_prio) return true;
    const std::uint64_t jiffies = s.host.jiffies();
    if (s.version.starves_since_switch) return jiffies - rq.switch_timestamp > s.prio.max_sleep_avg;
    return rq.expired_timestamp != 0 &&
           jiffies - rq.expired_timestamp > s.prio.max_sleep_avg * rq.nr_running;
}

void real_time_tick(State& s, CpuId cpu, Entity& e) {
    if (e.task->policy != SchedPolicy::kRr || --e.time_slice != 0) return;
    e.time_slice = s.prio.timeslice(e.static_prio);
    e.first_time_slice = false;
    s.host.resched(cpu);
    e.array->requeue(e);
}

void slice_ended(State& s, CpuId cpu, Entity& e) {
    RunQueue& rq = s.rq(cpu);
    rq.active->dequeue(e);
    s.host.resched(cpu);
    e.prio = effective_prio(s, e);
    e.time_slice = s.prio.timeslice(e.static_prio);
    e.first_time_slice = false;
    if (rq.expired_timestamp == 0) rq.expired_timestamp = s.host.jiffies();
    if (s.prio.interactive(e.prio, e.static_prio) && !starving(s, rq)) {
        rq.active->enqueue(e);
        return;
    }
    rq.expired->enqueue(e);
    rq.best_expired_prio = std::min(rq.best_expired_prio, e.static_prio);
}

// Interactive tasks of one priority take turns within a slice.
void rotate(State& s, CpuId cpu, Entity& e) {
    if (!s.prio.interactive(e.prio, e.static_prio)) return;
    const std::uint32_t granularity = s.prio.granularity(s.prio.bonus(e.sleep_avg));
    // Unsigned as in the kernel: a slice can be longer than the present nice level gives.
    const std::uint32_t used = s.prio.timeslice(e.static_prio) - e.time_slice;
    if (used % granularity != 0 || e.time_slice < granularity) return;
    s.host.resched(cpu);
    if (!s.version.rotation_updates_prio) {
        e.array->requeue(e);
        return;
    }
    PrioArray& array = *e.array;
    array.dequeue(e);
    e.prio = effective_prio(s, e);
    array.enqueue(e);
}

}  // namespace

void task_running_tick(State& s, CpuId cpu) {
    RunQueue& rq = s.rq(cpu);
    Entity& e = *rq.curr;
    if (e.array != rq.active) {  // expired already, but still on the CPU
        s.host.resched(cpu);
        return;
    }
    if (e.rt())
        real_time_tick(s, cpu, e);
    else if (--e.time_slice == 0)
        slice_ended(s, cpu, e);
    else
        rotate(s, cpu, e);
}

void scheduler_tick(State& s, CpuId cpu) {
    RunQueue& rq = s.rq(cpu);
    const bool idle_at_tick = rq.idle();
    rq.clock = s.now();
    if (!idle_at_tick) {
        if (s.version.clock_follows_switches) rq.curr->last_ran = rq.clock;
        task_running_tick(s, cpu);
    }
    update_cpu_load(s, rq);
    trigger_load_balance(s, cpu, idle_at_tick ? IdleType::kIdle : IdleType::kNotIdle);
}

}  // namespace wakelab::policy::o1
