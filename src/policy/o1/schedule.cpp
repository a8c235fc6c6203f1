#include "policy/o1/schedule.hpp"

#include <algorithm>

#include "policy/o1/sleep_avg.hpp"

namespace wakelab::policy::o1 {

namespace {

// Everything active has used its slice: the expired tasks start over.
void switch_arrays(State& s, RunQueue& rq) {
    std::swap(rq.active, rq.expired);
    rq.expired_timestamp = 0;
    rq.switch_timestamp = s.host.jiffies();
    rq.best_expired_prio = kMaxPrio;
}

// A task that was woken earns sleep_avg for its wait on the runqueue, too (o1.md 3.5).
void credit_waiting(const State& s, const RunQueue& rq, Entity& next) {
    constexpr std::uint64_t kOnRunqueueWeight = 30;  // percent, for tasks woken in process context
    const auto waited = static_cast<std::int64_t>(rq.schedule_now - next.timestamp);
    auto delta = static_cast<std::uint64_t>(std::max<std::int64_t>(waited, 0));
    if (next.sleep_type == SleepType::kInteractive)
        delta = delta * (kOnRunqueueWeight * 128 / 100) / 128;
    PrioArray& array = *next.array;
    const int prio = recalc_task_prio(s, next, next.timestamp + delta);
    if (prio == next.prio && !s.version.pick_always_requeues) return;
    array.dequeue(next);
    next.prio = prio;
    array.enqueue(next);
}

Entity* choose_next(State& s, RunQueue& rq) {
    if (rq.nr_running == 0) {
        rq.expired_timestamp = 0;
        rq.switch_timestamp = s.host.jiffies();
        return nullptr;
    }
    if (rq.active->nr_active() == 0) switch_arrays(s, rq);
    Entity* next = rq.active->head(rq.active->next_prio(0));
    const bool waited =
        next->sleep_type == SleepType::kInteractive || next->sleep_type == SleepType::kInterrupted;
    if (waited && !next->rt()) credit_waiting(s, rq, *next);
    next->sleep_type = SleepType::kNormal;
    return next;
}

}  // namespace

void schedule_begin(State& s, CpuId cpu, Entity* prev) {
    RunQueue& rq = s.rq(cpu);
    rq.schedule_now = s.now();
    rq.run_time = prev != nullptr ? run_time_of(s, *prev, rq.schedule_now) : 0;
}

Entity* pick_next(State& s, CpuId cpu, Entity* prev) {
    RunQueue& rq = s.rq(cpu);
    Entity* next = choose_next(s, rq);
    if (s.version.clock_follows_switches) rq.clock = rq.schedule_now;
    if (prev != nullptr) {
        charge_run_time(s, *prev, rq.run_time);
        prev->timestamp = prev->last_ran = rq.schedule_now;
    }
    if (next != nullptr && next != prev) {
        next->timestamp = rq.schedule_now;
        if (s.version.clock_follows_switches) next->last_ran = rq.schedule_now;
    }
    rq.curr = next;
    return next;
}

void yield_task(State& s, CpuId cpu) {
    RunQueue& rq = s.rq(cpu);
    Entity& e = *rq.curr;
    PrioArray& target = *(e.rt() ? rq.active : rq.expired);
    e.array->dequeue(e);
    target.enqueue(e);
}

}  // namespace wakelab::policy::o1
