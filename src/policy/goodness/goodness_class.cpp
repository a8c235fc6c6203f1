#include "policy/goodness/goodness_class.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/prng.hpp"
#include "policy/goodness/reschedule_idle.hpp"
#include "policy/goodness/schedule.hpp"
#include "policy/goodness/slice.hpp"

namespace wakelab::policy::goodness {

namespace {

constexpr std::uint64_t kPrngRole = 0x676f6f64;  // "good"

}  // namespace

GoodnessClass::GoodnessClass(const GoodnessVersion& version, const SchedulerConfig& config,
                             const topo::Machine& machine, SchedHost& host)
    : state_(version, config.kernel.hz, static_cast<int>(config.tunable("proc_change_penalty")),
             machine, host),
      seed_(config.seed) {}

Entity& GoodnessClass::new_entity(SchedTask& p) {
    if (free_.empty()) free_.push_back(&entities_.emplace_back());
    Entity& e = *free_.back();
    free_.pop_back();
    e = Entity{};
    e.task = &p;
    e.rcl_last = state_.rcl_curr;
    p.entity = &e;
    p.on_rq = false;
    if (p.migration_thread) return e;  // these kernels have none
    e.index = static_cast<std::uint32_t>(state_.tasks.size());
    state_.tasks.push_back(&e);
    state_.lock.expect_tasks(static_cast<std::uint32_t>(state_.tasks.size()));
    return e;
}

// Leaves the list of all tasks.
void GoodnessClass::forget(Entity& e) {
    if (e.index >= state_.tasks.size() || state_.tasks[e.index] != &e) return;
    state_.tasks[e.index] = state_.tasks.back();
    state_.tasks[e.index]->index = e.index;
    state_.tasks.pop_back();
}

// A task that starts asleep has a past: what it has left of its ticks and of its bonus is random.
void GoodnessClass::attach(SchedTask& p) {
    Entity& e = new_entity(p);
    Prng random(seed_, kPrngRole, p.id.v);
    const bool dyn = state_.version.credit == Credit::kDynPrio;
    const int most = dyn ? full_slice(state_, e) : 2 * full_slice(state_, e) - 1;
    e.counter = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(most)));
    if (dyn) e.dyn_prio = static_cast<int>(random.below(kMaxDynPrio + 1));
}

void GoodnessClass::detach(SchedTask& p) {
    WK_CHECK(!p.on_rq);
    Entity& e = entity_of(p);
    forget(e);
    free_.push_back(&e);
    p.entity = nullptr;
}

// goodness.md 7: the child gets half of the parent's ticks.
CpuId GoodnessClass::fork(SchedTask* parent, SchedTask& child, CpuId this_cpu) {
    const CpuId cpu = child.allowed.test(this_cpu) ? this_cpu : child.allowed.first();
    if (parent == nullptr) {
        attach(child);
        return cpu;
    }
    Entity& p = entity_of(*parent);
    Entity& c = new_entity(child);
    c.counter = (p.counter + 1) >> 1;
    c.dyn_prio = p.dyn_prio;
    p.counter >>= 1;
    if (p.counter == 0) state_.host.resched(parent->cpu);
    return cpu;
}

void GoodnessClass::wake_up_new(SchedTask& child, SchedTask*, CpuId this_cpu) {
    Entity& e = entity_of(child);
    enqueue(e);
    charge_wake(state_, this_cpu, reschedule_idle(state_, e, this_cpu), WakeBase::kCharged);
}

// The kernel gives the ticks back to whoever reaps the child; here that is the parent, at once.
void GoodnessClass::exit(SchedTask& p, SchedTask* parent) {
    if (parent == nullptr) return;
    Entity& e = entity_of(*parent);
    e.counter = std::min(e.counter + entity_of(p).counter, max_counter(state_.hz));
}

// A new policy needs no kick: the caller, which is p here, calls schedule() when it returns. nice()
// only stores its value (goodness.md 6.2).
void GoodnessClass::set_policy(SchedTask& p, SchedPolicy policy, std::int8_t nice,
                               std::uint8_t rt_priority) {
    const bool set_scheduler = p.policy != policy || p.rt_priority != rt_priority;
    p.policy = policy;
    p.nice = nice;
    p.rt_priority = rt_priority;
    if (!set_scheduler) return;
    if (p.on_rq && !state_.version.insert_tail) state_.queue.move_first(entity_of(p));
    state_.host.resched(p.cpu);
}

bool GoodnessClass::set_allowed(SchedTask& p, const topo::CpuMask& allowed) {
    p.allowed = allowed;
    if (allowed.test(p.cpu)) return false;
    if (entity_of(p).occupies.valid()) return true;
    const CpuId from = p.cpu;
    p.cpu = allowed.first();
    if (!p.on_rq) return false;
    state_.host.note_taken(p, from, p.cpu);
    state_.host.resched(p.cpu);
    return false;
}

CpuId GoodnessClass::select_task_rq(SchedTask& p, const WakeContext&, PlaceRule& rule) {
    rule = PlaceRule::kNoCpuYet;
    return p.cpu;
}

void GoodnessClass::enqueue(Entity& e) {
    if (state_.version.credit == Credit::kDynPrio) {
        const auto slept =
            static_cast<int>(std::min<std::uint64_t>(state_.rcl_curr - e.rcl_last, kMaxDynPrio));
        e.dyn_prio = std::min(e.dyn_prio + slept, kMaxDynPrio);
        e.rcl_last = state_.rcl_curr;
    }
    if (state_.version.insert_tail)
        state_.queue.push_back(e);
    else
        state_.queue.push_front(e);
    e.task->on_rq = true;
}

void GoodnessClass::activate(SchedTask& p, const WakeContext&) {
    enqueue(entity_of(p));
}

// A sync wake-up tells nobody: the waker, which blocks soon, will find the wakee.
void GoodnessClass::check_preempt(SchedTask& p, const WakeContext& ctx) {
    Placement done;
    if (!ctx.sync || !p.allowed.test(ctx.this_cpu))
        done = reschedule_idle(state_, entity_of(p), ctx.this_cpu);
    charge_wake(state_, ctx.this_cpu, done, WakeBase::kChargedByHost);
}

void GoodnessClass::wake_queued(SchedTask&, const WakeContext& ctx) {
    charge_wake(state_, ctx.this_cpu, {}, WakeBase::kChargedByHost);
}

void GoodnessClass::schedule_begin(CpuId, SchedTask* prev) {
    if (prev != nullptr) refill_rr(state_, entity_of(*prev));
}

void GoodnessClass::deactivate(SchedTask& prev) {
    Entity& e = entity_of(prev);
    goodness::deactivate(state_, e);
    if (prev.state == TaskState::kDead) forget(e);
}

SchedTask* GoodnessClass::pick_next(CpuId cpu, SchedTask* prev) {
    const Entity* next =
        goodness::pick_next(state_, cpu, prev != nullptr ? &entity_of(*prev) : nullptr);
    return next != nullptr ? next->task : nullptr;
}

void GoodnessClass::tick(CpuId cpu) {
    scheduler_tick(state_, cpu);
}

// These kernels have no slice timer.
void GoodnessClass::hrtick(CpuId) {
    WK_CHECK(false);
}

void GoodnessClass::yield(CpuId cpu) {
    yield_task(state_, cpu);
}

SchedTask* GoodnessClass::curr(CpuId cpu) const {
    const Entity* e = state_.cpus[cpu.v].curr;
    return e != nullptr ? e->task : nullptr;
}

}  // namespace wakelab::policy::goodness
