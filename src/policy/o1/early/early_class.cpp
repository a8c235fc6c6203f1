#include "policy/o1/early/early_class.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/prng.hpp"

namespace wakelab::policy::o1::early {

namespace {

constexpr std::uint64_t kPrngRole = 0x6f31;  // "o1"

}  // namespace

EarlyClass::EarlyClass(bool sync_moves, const SchedulerConfig& config, const topo::Machine& machine,
                       SchedHost& host)
    : state_(config.kernel.hz, machine.cpus, host), seed_(config.seed) {
    state_.options.sync_moves = sync_moves;
    if (sync_moves) state_.options.sync_preempt_check = config.tunable("sync_preempt_check") != 0;
    state_.options.cache_decay_ticks = static_cast<std::uint64_t>(config.tunable("decay"));
}

Entity& EarlyClass::new_entity(SchedTask& p) {
    if (free_.empty()) free_.push_back(&entities_.emplace_back());
    Entity& e = *free_.back();
    free_.pop_back();
    e = Entity{};
    e.task = &p;
    e.static_prio = nice_to_prio(p.nice);
    p.entity = &e;
    p.on_rq = false;
    return e;
}

// A task that starts asleep has a past: its estimator and what is left of its slice are random.
void EarlyClass::attach(SchedTask& p) {
    Entity& e = new_entity(p);
    Prng random(seed_, kPrngRole, p.id.v);
    e.sleep_avg = random.below(state_.tables.max_sleep_avg + 1);
    e.time_slice =
        1 + static_cast<std::uint32_t>(random.below(state_.tables.timeslice(e.static_prio)));
    e.prio = p.is_rt() ? rt_to_prio(p.rt_priority)
                       : state_.tables.normal_prio(e.static_prio, e.sleep_avg);
    e.timestamp = state_.host.jiffies();
}

void EarlyClass::detach(SchedTask& p) {
    WK_CHECK(!p.on_rq);
    free_.push_back(&entity_of(p));
    p.entity = nullptr;
}

CpuId EarlyClass::fork(SchedTask* parent, SchedTask& child, CpuId this_cpu) {
    const CpuId cpu = child.allowed.test(this_cpu) ? this_cpu : child.allowed.first();
    if (parent == nullptr) {
        attach(child);
        return cpu;
    }
    Entity& p = entity_of(*parent);
    Entity& c = new_entity(child);
    c.prio = p.prio;
    c.sleep_avg = p.sleep_avg;
    c.timestamp = state_.host.jiffies();
    c.time_slice = (p.time_slice + 1) / 2;
    c.first_time_slice = true;
    p.time_slice /= 2;
    if (p.time_slice == 0) {  // it forked its last jiffy away and expires here
        p.time_slice = 1;
        scheduler_tick(state_, this_cpu);
    }
    return cpu;
}

void EarlyClass::wake_up_new(SchedTask& child, SchedTask*, CpuId this_cpu) {
    constexpr std::uint64_t kChildPenalty = 95;  // percent; the parent keeps 100
    Entity& e = entity_of(child);
    if (!e.rt()) {
        e.sleep_avg = e.sleep_avg * kChildPenalty / 100;
        e.prio = state_.tables.normal_prio(e.static_prio, e.sleep_avg);
    }
    activate_task(state_, e);
    state_.host.resched(this_cpu);  // fork() lets the child go first if it is the best
}

void EarlyClass::exit(SchedTask& p, SchedTask* parent) {
    constexpr std::uint64_t kExitWeight = 3;
    if (parent == nullptr) return;
    const Entity& c = entity_of(p);
    Entity& e = entity_of(*parent);
    if (c.first_time_slice)
        e.time_slice =
            std::min(e.time_slice + c.time_slice, state_.tables.timeslice(c.static_prio));
    if (c.sleep_avg < e.sleep_avg)
        e.sleep_avg =
            e.sleep_avg / (kExitWeight + 1) * kExitWeight + c.sleep_avg / (kExitWeight + 1);
}

// A new nice level or policy starts from the static priority.
void EarlyClass::set_policy(SchedTask& p, SchedPolicy policy, std::int8_t nice,
                            std::uint8_t rt_priority) {
    Entity& e = entity_of(p);
    const int old_prio = e.prio;
    const bool queued = e.array != nullptr;
    if (queued) deactivate_task(state_, e);
    p.policy = policy;
    p.nice = nice;
    p.rt_priority = rt_priority;
    e.static_prio = nice_to_prio(nice);
    e.prio = p.is_rt() ? rt_to_prio(rt_priority) : e.static_prio;
    if (!queued) return;
    enqueue_active(state_, e);
    if (state_.rq(p.cpu).curr != &e)
        resched_if_preempted_by(state_, e);
    else if (e.prio > old_prio)
        state_.host.resched(p.cpu);
}

bool EarlyClass::set_allowed(SchedTask& p, const topo::CpuMask& allowed) {
    p.allowed = allowed;
    if (allowed.test(p.cpu)) return false;
    Entity& e = entity_of(p);
    if (state_.rq(p.cpu).curr == &e) return true;
    const CpuId from = p.cpu, to = allowed.first();
    const bool queued = e.array != nullptr;
    if (queued) deactivate_task(state_, e);
    p.cpu = to;
    if (!queued) return false;
    enqueue_active(state_, e);
    state_.host.note_migration(p, from, to);
    resched_if_preempted_by(state_, e);
    return false;
}

// o1.md 5.1: nothing moves a wakee but a sync hint from 2.5.22 on. The affinity test is that
// of 2.5.23; 2.5.22 forgot it.
CpuId EarlyClass::select_task_rq(SchedTask& p, const WakeContext& ctx, PlaceRule& rule) {
    rule = PlaceRule::kPrevIsThis;
    if (p.cpu == ctx.this_cpu) return p.cpu;
    rule = PlaceRule::kStayedOnPrev;
    if (!state_.options.sync_moves || !ctx.sync) return p.cpu;
    rule = PlaceRule::kNotAllowed;
    if (!p.allowed.test(ctx.this_cpu)) return p.cpu;
    rule = PlaceRule::kAffineShortcut;
    return ctx.this_cpu;
}

void EarlyClass::activate(SchedTask& p, const WakeContext&) {
    activate_task(state_, entity_of(p));
}

void EarlyClass::check_preempt(SchedTask& p, const WakeContext& ctx) {
    if (ctx.sync && p.cpu == ctx.this_cpu && !state_.options.sync_preempt_check) return;
    resched_if_preempted_by(state_, entity_of(p));
}

void EarlyClass::schedule_begin(CpuId, SchedTask* prev) {
    if (prev != nullptr) entity_of(*prev).timestamp = state_.host.jiffies();
}

void EarlyClass::deactivate(SchedTask& prev) {
    deactivate_task(state_, entity_of(prev));
}

std::uint32_t EarlyClass::nr_running(CpuId cpu) const {
    return state_.rq(cpu).nr_running;
}

void EarlyClass::idle_balance(CpuId cpu) {
    load_balance(state_, cpu, true);
}

SchedTask* EarlyClass::pick_next(CpuId cpu, SchedTask*) {
    const Entity* next = early::pick_next(state_, cpu);
    return next != nullptr ? next->task : nullptr;
}

void EarlyClass::tick(CpuId cpu) {
    scheduler_tick(state_, cpu);
}

// These kernels have no slice timer.
void EarlyClass::hrtick(CpuId) {
    WK_CHECK(false);
}

void EarlyClass::yield(CpuId cpu) {
    yield_task(state_, cpu);
}

SchedTask* EarlyClass::curr(CpuId cpu) const {
    const Entity* e = state_.rq(cpu).curr;
    return e != nullptr ? e->task : nullptr;
}

}  // namespace wakelab::policy::o1::early
