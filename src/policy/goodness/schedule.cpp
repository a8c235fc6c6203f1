#include "policy/goodness/schedule.hpp"

#include "policy/goodness/goodness.hpp"
#include "policy/goodness/reschedule_idle.hpp"
#include "policy/goodness/slice.hpp"

namespace wakelab::policy::goodness {

namespace {

constexpr int kNobody = -1000;  // goodness of the idle task

struct Best {
    Entity* next = nullptr;
    int value = kNobody;
};

// Step 4. The first of equals wins; `mm` is the one loaded, also when prev is the idle task.
Best find_best(const State& s, CpuId cpu, Entity* prev) {
    const TaskId mm = s.cpus[cpu.v].mm;
    Best best;
    if (s.version.still_running && prev != nullptr && prev->task->state == TaskState::kRunning &&
        prev->task->allowed.test(cpu))
        best = {prev, goodness(s, *prev, cpu, mm)};
    for (Entity* e = s.queue.head(); e != nullptr; e = e->next) {
        if (!s.can_schedule(*e, cpu)) continue;
        const int value = goodness(s, *e, cpu, mm);
        if (value > best.value) best = {e, value};
    }
    return best;
}

// The fixed part of the first pass is within the machine's switch_direct, which the host charges.
void charge_first_pass(State& s, CpuId cpu) {
    const Duration scan = s.lock.scan(s.queue.size());
    const Duration hold = Duration{s.lock.costs().runqueue_scan} + scan;
    s.host.charge(s.lock.take(s.host.now(), cpu, hold) + scan);
}

// A recalculation and the pass after it. The counters of all tasks are refilled without the lock,
// dyn-sched keeps it for those of the list.
void charge_recalculation(State& s, CpuId cpu) {
    const topo::Costs& costs = s.lock.costs();
    const Duration pass = Duration{costs.runqueue_scan} + s.lock.scan(s.queue.size());
    const bool dyn = s.version.credit == Credit::kDynPrio;
    const std::size_t tasks = dyn ? s.queue.size() : s.tasks.size();
    const Duration refill{costs.recalc_task * static_cast<std::int64_t>(tasks)};
    const Duration hold = dyn ? pass + refill : pass;
    s.host.charge(s.lock.take(s.host.now() + (dyn ? Duration{} : refill), cpu, hold) + pass +
                  refill);
}

Best find_next(State& s, CpuId cpu, Entity* prev) {
    charge_first_pass(s, cpu);
    Best best = find_best(s, cpu, prev);
    while (best.value == 0) {
        recalculate(s);
        charge_recalculation(s, cpu);
        best = find_best(s, cpu, prev);
    }
    return best;
}

void take(State& s, CpuId cpu, Entity& next) {
    SchedTask& p = *next.task;
    next.occupies = cpu;
    if (p.cpu == cpu) return;
    const CpuId from = p.cpu;
    p.cpu = cpu;
    s.host.note_taken(p, from, cpu);
}

}  // namespace

void refill_rr(State& s, Entity& prev) {
    if (prev.task->policy != SchedPolicy::kRr || prev.yielding || prev.counter != 0) return;
    prev.counter = full_slice(s, prev);
    s.queue.move_last(prev);
}

void deactivate(State& s, Entity& prev) {
    s.queue.erase(prev);
    prev.task->on_rq = false;
}

Entity* pick_next(State& s, CpuId cpu, Entity* prev) {
    Entity* next = find_next(s, cpu, prev).next;
    CpuState& c = s.cpus[cpu.v];
    c.curr = next;
    if (next != nullptr) take(s, cpu, *next);
    if (next == prev) {
        if (prev != nullptr) prev->yielding = false;
        return next;
    }
    c.last_schedule = s.host.now();
    if (next != nullptr && next->task->is_user) c.mm = next->task->mm;
    if (prev != nullptr) schedule_tail(s, cpu, *prev);
    return next;
}

void schedule_tail(State& s, CpuId cpu, Entity& prev) {
    const bool yielded = prev.yielding;
    prev.yielding = false;
    prev.occupies = kNoCpu;
    if (s.up || yielded || prev.task->state != TaskState::kRunning) return;
    charge_wake(s, cpu, reschedule_idle(s, prev, cpu), WakeBase::kCharged);
}

void yield_task(State& s, CpuId cpu) {
    std::uint32_t busy = 0;
    for (const CpuState& c : s.cpus) busy += c.curr != nullptr ? 1 : 0;
    if (s.queue.size() == busy) return;  // nobody waits
    Entity& e = *s.cpus[cpu.v].curr;
    if (s.version.yield_marks && !e.task->is_rt()) e.yielding = true;
    s.host.resched(cpu);
    if (!s.version.yield_to_tail) return;
    s.queue.move_last(e);
    s.host.charge(s.lock.take(s.host.now(), cpu, Duration{s.lock.costs().runqueue_wake}));
}

void scheduler_tick(State& s, CpuId cpu) {
    Entity* e = s.cpus[cpu.v].curr;
    if (e == nullptr) return;
    const bool dyn = s.version.credit == Credit::kDynPrio;
    const bool used_up = e->counter == 0;
    if (!used_up && --e->counter > 0) return;
    if (dyn && !used_up && e->dyn_prio > 0) --e->dyn_prio;
    s.host.resched(cpu);
}

}  // namespace wakelab::policy::goodness
