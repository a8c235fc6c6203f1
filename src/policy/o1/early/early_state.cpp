#include "policy/o1/early/early_state.hpp"

#include <algorithm>
#include <utility>

namespace wakelab::policy::o1::early {

namespace {

// EXPIRED_STARVING (o1.md 4.4).
bool starving(const State& s, const RunQueue& rq) {
    return rq.expired_timestamp != 0 &&
           s.host.jiffies() - rq.expired_timestamp > s.tables.max_sleep_avg * rq.nr_running;
}

void real_time_tick(State& s, CpuId cpu, Entity& e) {
    if (e.task->policy != SchedPolicy::kRr || --e.time_slice != 0) return;
    e.time_slice = s.tables.timeslice(e.static_prio);
    e.first_time_slice = false;
    s.host.resched(cpu);
    e.array->requeue(e);
}

void normal_tick(State& s, CpuId cpu, Entity& e) {
    RunQueue& rq = s.rq(cpu);
    if (e.sleep_avg > 0) --e.sleep_avg;
    if (--e.time_slice != 0) return;
    rq.active->dequeue(e);
    s.host.resched(cpu);
    e.prio = s.tables.normal_prio(e.static_prio, e.sleep_avg);
    e.time_slice = s.tables.timeslice(e.static_prio);
    e.first_time_slice = false;
    if (Tables::interactive(e) && !starving(s, rq)) {
        rq.active->enqueue(e);
        return;
    }
    if (rq.expired_timestamp == 0) rq.expired_timestamp = s.host.jiffies();
    rq.expired->enqueue(e);
}

}  // namespace

int Tables::normal_prio(int static_prio, std::uint64_t sleep_avg) const {
    const int bonus = static_cast<int>(1000 * sleep_avg / max_sleep_avg / 100) - kMaxBonus / 2;
    return std::clamp(static_prio - bonus, kMaxRtPrio, kMaxPrio - 1);
}

bool Tables::interactive(const Entity& e) {
    constexpr int kInteractiveDelta = 2;
    const int nice = e.static_prio - nice_to_prio(0);
    return e.prio <= e.static_prio - (nice * kMaxBonus / 40 + kInteractiveDelta);
}

State::State(std::uint32_t hertz, std::uint32_t cpus, SchedHost& world)
    : tables(hertz), host(world), hz(hertz) {
    for (std::uint32_t c = 0; c < cpus; ++c) rqs.emplace_back(cpus);
}

void enqueue_active(State& s, Entity& e) {
    RunQueue& rq = s.rq(e.task->cpu);
    rq.active->enqueue(e);
    ++rq.nr_running;
    e.task->on_rq = true;
}

void activate_task(State& s, Entity& e) {
    const std::uint64_t slept = s.host.jiffies() - e.timestamp;
    if (!e.rt() && slept > 0) {
        e.sleep_avg = std::min(e.sleep_avg + slept, s.tables.max_sleep_avg);
        e.prio = s.tables.normal_prio(e.static_prio, e.sleep_avg);
    }
    enqueue_active(s, e);
}

void deactivate_task(State& s, Entity& e) {
    e.array->dequeue(e);
    --s.rq(e.task->cpu).nr_running;
    e.task->on_rq = false;
}

void resched_if_preempted_by(State& s, const Entity& e) {
    if (e.prio < s.rq(e.task->cpu).curr_prio()) s.host.resched(e.task->cpu);
}

Entity* pick_next(State& s, CpuId cpu) {
    RunQueue& rq = s.rq(cpu);
    if (rq.nr_running == 0) {
        rq.expired_timestamp = 0;
        return rq.curr = nullptr;
    }
    if (rq.active->nr_active() == 0) {
        std::swap(rq.active, rq.expired);
        rq.expired_timestamp = 0;
    }
    return rq.curr = rq.active->head(rq.active->next_prio(0));
}

void scheduler_tick(State& s, CpuId cpu) {
    const RunQueue& rq = s.rq(cpu);
    if (rq.curr == nullptr) {
        const std::uint64_t every = std::max(s.hz / 1000, 1u);
        if (s.host.jiffies() % every == 0) load_balance(s, cpu, true);
        return;
    }
    Entity& e = *rq.curr;
    if (e.array != rq.active) {  // expired already, but still on the CPU
        s.host.resched(cpu);
        return;
    }
    if (e.rt())
        real_time_tick(s, cpu, e);
    else
        normal_tick(s, cpu, e);
    if (s.host.jiffies() % (s.hz / 4) == 0) load_balance(s, cpu, false);
}

// A yielding task sinks by one priority until its slice ends; the worst and the real-time ones go
// to the tail of their list (o1.md 4.7).
void yield_task(State& s, CpuId cpu) {
    Entity& e = *s.rq(cpu).curr;
    PrioArray& array = *e.array;
    array.dequeue(e);
    if (!e.rt() && e.prio < kMaxPrio - 1) ++e.prio;
    array.enqueue(e);
}

}  // namespace wakelab::policy::o1::early
