#include "policy/o1/o1_class.hpp"

#include "base/check.hpp"
#include "base/prng.hpp"
#include "policy/o1/activate.hpp"
#include "policy/o1/balance_self.hpp"
#include "policy/o1/fork_exit.hpp"
#include "policy/o1/load_balance.hpp"
#include "policy/o1/o1_domains.hpp"
#include "policy/o1/rebalance.hpp"
#include "policy/o1/schedule.hpp"
#include "policy/o1/scheduler_tick.hpp"
#include "policy/o1/select_task_rq.hpp"
#include "policy/o1/set_policy.hpp"
#include "policy/o1/sleep_avg.hpp"

namespace wakelab::policy::o1 {

namespace {

constexpr std::uint64_t kPrngRole = 0x6f31;  // "o1"

HotTimes hot_times(const O1Version& version, const SchedulerConfig& config) {
    if (version.hot_time == HotTime::kDecayTicks)
        return hot_times_of_ticks(config.tunable("decay"));
    return {.mc_us = config.tunable("migration_cost_mc_us"),
            .cpu_us = config.tunable("migration_cost_cpu_us")};
}

Entity* entity_or_null(SchedTask* p) {
    return p != nullptr ? &entity_of(*p) : nullptr;
}

}  // namespace

O1Class::O1Class(const O1Version& version, const SchedulerConfig& config,
                 const topo::Machine& machine, SchedHost& host)
    : state_(version, config.kernel, machine.cpus, host), seed_(config.seed) {
    state_.domains = o1_domains(version.domains, machine, hot_times(version, config));
    state_.clock_compensation = config.tunable("clock_compensation") != 0;
    if (version.wake_balance != WakeBalanceSysctl::kNone)
        state_.wake_balance = config.tunable("wake_balance") != 0;
    for (auto& levels : state_.domains)
        for (SchedDomain& sd : levels) sd.last_balance = host.jiffies();
    for (RunQueue& rq : state_.rqs) rq.next_balance = host.jiffies();
}

Entity& O1Class::new_entity(SchedTask& p) {
    if (free_.empty()) free_.push_back(&entities_.emplace_back());
    Entity& e = *free_.back();
    free_.pop_back();
    e = Entity{};
    e.task = &p;
    e.static_prio = nice_to_prio(p.nice);
    set_load_weight(state_, e);
    p.entity = &e;
    p.on_rq = false;
    return e;
}

// A task that starts asleep has a past: its estimator and what is left of its slice are random.
void O1Class::attach(SchedTask& p) {
    Entity& e = new_entity(p);
    Prng random(seed_, kPrngRole, p.id.v);
    const bool batch = state_.version.has_batch && p.policy == SchedPolicy::kBatch;
    const std::uint64_t slept = random.below(state_.prio.ns_max_sleep_avg + 1);
    e.sleep_avg = batch ? 0 : slept;
    e.time_slice =
        1 + static_cast<std::uint32_t>(random.below(state_.prio.timeslice(e.static_prio)));
    e.prio =
        p.is_rt() ? rt_to_prio(p.rt_priority) : state_.prio.normal_prio(e.static_prio, e.sleep_avg);
    e.timestamp = e.last_ran = state_.now();
    e.last_waker_cpu = p.cpu;
}

void O1Class::detach(SchedTask& p) {
    WK_CHECK(!p.on_rq);
    free_.push_back(&entity_of(p));
    p.entity = nullptr;
}

CpuId O1Class::fork(SchedTask* parent, SchedTask& child, CpuId this_cpu) {
    CpuId cpu = this_cpu;
    if (state_.version.exec_rule == ExecRule::kIdlestGroup)
        cpu = sched_balance_self(state_, child, this_cpu, kBalanceFork);
    if (!child.allowed.test(cpu)) cpu = child.allowed.first();
    if (parent == nullptr) {
        attach(child);
        entity_of(child).first_time_slice = true;
        return cpu;
    }
    fork_task(state_, entity_of(*parent), new_entity(child), this_cpu);
    entity_of(child).last_waker_cpu = cpu;
    return cpu;
}

void O1Class::wake_up_new(SchedTask& child, SchedTask* parent, CpuId this_cpu) {
    wake_up_new_task(state_, entity_of(child), entity_or_null(parent), this_cpu, child.is_thread());
}

CpuId O1Class::exec(const SchedTask& p) {
    return sched_exec(state_, p);
}

void O1Class::exit(SchedTask& p, SchedTask* parent) {
    if (parent != nullptr) exit_task(state_, entity_of(p), entity_of(*parent));
}

void O1Class::set_policy(SchedTask& p, SchedPolicy policy, std::int8_t nice,
                         std::uint8_t rt_priority) {
    Entity& e = entity_of(p);
    if (nice != p.nice) set_user_nice(state_, e, nice);
    if (policy != p.policy || rt_priority != p.rt_priority)
        set_scheduler(state_, e, policy, rt_priority);
}

bool O1Class::set_allowed(SchedTask& p, const topo::CpuMask& allowed) {
    return set_cpus_allowed(state_, entity_of(p), allowed);
}

CpuId O1Class::select_task_rq(SchedTask& p, const WakeContext& ctx, PlaceRule& rule) {
    return o1::select_task_rq(state_, p, ctx, rule);
}

void O1Class::set_task_cpu(SchedTask& p, CpuId cpu) {
    p.cpu = cpu;
}

void O1Class::activate(SchedTask& p, const WakeContext& ctx) {
    activate_woken(state_, entity_of(p), ctx);
}

// A sync wakee on the waker's own CPU waits for the waker to sleep (o1.md 5).
void O1Class::check_preempt(SchedTask& p, const WakeContext& ctx) {
    if (!ctx.sync || p.cpu != ctx.this_cpu) resched_if_preempted_by(state_, entity_of(p));
}

// Early wake-ups only change the task's state.
void O1Class::wake_queued(SchedTask&, const WakeContext&) {}
void O1Class::wake_done(SchedTask&, const WakeContext&, bool) {}

void O1Class::schedule_begin(CpuId cpu, SchedTask* prev) {
    o1::schedule_begin(state_, cpu, entity_or_null(prev));
}

void O1Class::deactivate(SchedTask& prev) {
    deactivate_task(state_, entity_of(prev));
}

std::uint32_t O1Class::nr_running(CpuId cpu) const {
    return state_.rq(cpu).nr_running;
}

void O1Class::idle_balance(CpuId cpu) {
    o1::idle_balance(state_, cpu);
}

SchedTask* O1Class::pick_next(CpuId cpu, SchedTask* prev) {
    const Entity* next = o1::pick_next(state_, cpu, entity_or_null(prev));
    return next != nullptr ? next->task : nullptr;
}

void O1Class::tick(CpuId cpu) {
    scheduler_tick(state_, cpu);
}

// These kernels have no slice timer.
void O1Class::hrtick(CpuId) {
    WK_CHECK(false);
}

void O1Class::yield(CpuId cpu) {
    yield_task(state_, cpu);
}

void O1Class::active_balance(CpuId busiest) {
    active_load_balance(state_, busiest);
}

bool O1Class::nohz_idle_enter(CpuId cpu) {
    return o1::nohz_idle_enter(state_, cpu);
}

void O1Class::nohz_idle_exit(CpuId cpu) {
    o1::nohz_idle_exit(state_, cpu);
}

SchedTask* O1Class::curr(CpuId cpu) const {
    const Entity* e = state_.rq(cpu).curr;
    return e != nullptr ? e->task : nullptr;
}

}  // namespace wakelab::policy::o1
