#include "policy/cfs/cfs_class.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "policy/cfs/balance.hpp"
#include "policy/cfs/clock.hpp"
#include "policy/cfs/core_queue.hpp"
#include "policy/cfs/cpu_load.hpp"
#include "policy/cfs/fair.hpp"
#include "policy/cfs/placement.hpp"
#include "policy/cfs/rt_balance.hpp"
#include "policy/cfs/rt_tasks.hpp"

namespace wakelab::policy::cfs {

CfsClass::CfsClass(const CfsVersion& version, const SchedulerConfig& config,
                   const topo::Machine& machine, SchedHost& host)
    : s_(version, config, machine, host) {}

// --- life of a task ---

Entity& CfsClass::new_entity(SchedTask& p) {
    Entity* se;
    if (free_.empty()) {
        se = &arena_.emplace_back();
    } else {
        se = free_.back();
        free_.pop_back();
        *se = Entity{};
    }
    se->task = &p;
    se->rt.task = &p;
    se->load = s_.load_of(p);
    se->avg_wakeup = s_.tune.wakeup_granularity;
    p.entity = se;
    p.on_rq = false;
    join_queue(s_, p);
    return *se;
}

void CfsClass::attach(SchedTask& p) {
    Entity& se = new_entity(p);
    se.vruntime = se.cfs->min_vruntime;
    se.wait.sleep_start_fair = se.cfs->fair_clock;
}

void CfsClass::detach(SchedTask& p) {
    WK_CHECK(!p.on_rq);
    Entity& se = entity_of(p);
    free_.push_back(&se);
    p.entity = nullptr;
}

CpuId CfsClass::fork(SchedTask* parent, SchedTask& child, CpuId this_cpu) {
    s_.this_cpu = this_cpu;
    child.cpu = this_cpu;
    if (parent != nullptr) child.group = parent->group;
    Entity& se = new_entity(child);
    // sched_fork() copies the parent's task_struct; of that only the vruntime and P1's pointer are
    // read.
    se.vruntime = parent != nullptr ? entity_of(*parent).vruntime : se.cfs->min_vruntime;
    if (parent != nullptr) se.waker = entity_of(*parent).waker;
    CpuId cpu = sched_balance_self(s_, child, this_cpu, kBalanceFork);
    if (!child.allowed.test(cpu)) cpu = child.allowed.first();
    cfs::set_task_cpu(s_, child, cpu);
    return cpu;
}

void CfsClass::wake_up_new(SchedTask& child, SchedTask* parent, CpuId this_cpu) {
    s_.this_cpu = this_cpu;
    Rq& rq = s_.rq_of(child);
    update_rq_clock(s_, rq);
    bool placed_as_new = !child.is_rt() && parent != nullptr && parent->on_rq;
    if (s_.v.new_task_beside_parent_only)
        placed_as_new = placed_as_new && s_.tune.child_runs_first && !child.is_thread() &&
                        child.cpu == this_cpu && rq.cfs.curr != nullptr;
    if (placed_as_new)
        enqueue_new_task(s_, child);
    else
        enqueue_task(s_, child, false);
    child.state = TaskState::kRunning;
    check_preempt_curr(s_, child, {.fork = true});
    if (child.is_rt()) task_wake_up_rt(s_, child);
}

CpuId CfsClass::exec(const SchedTask& p) {
    s_.this_cpu = p.cpu;
    // From V32A on the class decides, and that of real-time tasks says no.
    if (p.is_rt() && s_.v.select == SelectRule::kDomainFlags) return p.cpu;
    return sched_balance_self(s_, p, p.cpu, kBalanceExec);
}

void CfsClass::exit(SchedTask& p, SchedTask* parent) {
    // sched_exit() does nothing in these versions; the last schedule() dequeues the task.
    (void)p;
    (void)parent;
}

void CfsClass::set_policy(SchedTask& p, SchedPolicy policy, std::int8_t nice,
                          std::uint8_t rt_priority) {
    s_.this_cpu = p.cpu;
    Rq& rq = s_.rq_of(p);
    update_rq_clock(s_, rq);
    const bool queued = p.on_rq;
    const bool running = rq.curr == &p;
    const int old_prio = prio_of(p);
    const bool was_rt = p.is_rt();
    if (queued) dequeue_task(s_, p, false);
    if (running) put_prev(rq, p);
    p.policy = policy;
    p.nice = nice;
    p.rt_priority = rt_priority;
    entity_of(p).load = s_.load_of(p);
    entity_of(p).wait.owed = 0;
    if (running) set_next(rq, p);
    if (!queued) return;
    enqueue_task(s_, p, false);
    if (!running)
        check_preempt_curr(s_, p, {});
    else if (prio_of(p) > old_prio)
        s_.host.resched(rq.cpu);
    if (was_rt && !p.is_rt()) switched_from_rt(s_, rq);
    if (p.is_rt() && !running) task_wake_up_rt(s_, p);
}

bool CfsClass::set_allowed(SchedTask& p, const topo::CpuMask& allowed) {
    p.allowed = allowed;
    if (allowed.test(p.cpu)) return false;
    Rq& rq = s_.rq_of(p);
    if (rq.curr == &p) return true;
    const CpuId to = allowed.first();
    if (!p.on_rq) {
        cfs::set_task_cpu(s_, p, to);
        return false;
    }
    // The kernel lets the migration thread of p's CPU do this; its clock is the one that moves.
    s_.this_cpu = p.cpu;
    update_rq_clock(s_, rq);
    update_rq_clock(s_, s_.rq(to));
    move_queued_task(s_, p, to);
    return false;
}

// --- wake-up ---

WakeHint CfsClass::hint_of(const WakeContext& ctx) const {
    return {.sync = ctx.sync && s_.has(Feature::kSyncWakeups),
            .fork = false,
            .waker = ctx.in_interrupt ? nullptr : ctx.waker};
}

CpuId CfsClass::select_task_rq(SchedTask& p, const WakeContext& ctx, PlaceRule& rule) {
    s_.this_cpu = ctx.this_cpu;
    if (s_.v.clock == ClockRule::kPreviousQueue || s_.v.clock == ClockRule::kBothQueues)
        update_rq_clock(s_, s_.rq_of(p));
    return cfs::select_task_rq(s_, p, ctx, rule);
}

void CfsClass::set_task_cpu(SchedTask& p, CpuId cpu) {
    cfs::set_task_cpu(s_, p, cpu);
}

void CfsClass::activate(SchedTask& p, const WakeContext& ctx) {
    s_.this_cpu = ctx.this_cpu;
    if (s_.v.clock != ClockRule::kPreviousQueue) update_rq_clock(s_, s_.rq_of(p));
    enqueue_task(s_, p, true);
}

void CfsClass::check_preempt(SchedTask& p, const WakeContext& ctx) {
    const WakeHint hint = hint_of(ctx);
    // The waker has promised to make room; the wakee is considered when it does.
    if (s_.v.sync_wakee_waits && hint.sync && p.cpu == ctx.this_cpu) return;
    check_preempt_curr(s_, p, hint);
}

void CfsClass::wake_queued(SchedTask& p, const WakeContext& ctx) {
    s_.this_cpu = ctx.this_cpu;
    if (s_.v.clock == ClockRule::kPreviousQueue || s_.v.clock == ClockRule::kBothQueues)
        update_rq_clock(s_, s_.rq_of(p));
    if (s_.v.queued_wakeup_preempts) check_preempt_curr(s_, p, hint_of(ctx));
}

void CfsClass::wake_done(SchedTask& p, const WakeContext& ctx, bool activated) {
    if (p.is_rt()) task_wake_up_rt(s_, p);
    if (ctx.waker == nullptr) return;
    Entity& waker = entity_of(*ctx.waker);
    if (s_.v.shortcut_filter == ShortcutFilter::kMutual && activated && !ctx.in_interrupt) {
        waker.woke = &entity_of(p);
        entity_of(p).woken_by = &waker;
    }
    if (s_.v.mark == OverlapMark::kActivation) {
        if (!activated || ctx.in_interrupt) return;
        const std::uint64_t since =
            waker.last_wakeup != 0 ? waker.last_wakeup : waker.start_runtime;
        update_avg(waker.avg_wakeup, waker.sum_exec - since);
    } else if (s_.v.mark != OverlapMark::kEveryWakeup) {
        return;
    }
    waker.last_wakeup = waker.sum_exec;
}

// --- schedule() ---

void CfsClass::schedule_begin(CpuId cpu, SchedTask* prev) {
    (void)prev;
    s_.this_cpu = cpu;
    if (s_.hrtick) s_.host.cancel_hrtick(cpu);
    update_rq_clock(s_, s_.rq(cpu));
}

void CfsClass::deactivate(SchedTask& prev) {
    dequeue_task(s_, prev, true);
    if (prev.is_rt()) pre_schedule_rt(s_, s_.rq_of(prev), prev);
}

std::uint32_t CfsClass::nr_running(CpuId cpu) const {
    return s_.rqs[cpu.v].nr_running;
}

void CfsClass::idle_balance(CpuId cpu) {
    cfs::idle_balance(s_, cpu);
}

void CfsClass::put_prev(Rq& rq, SchedTask& prev) {
    if (prev.is_rt())
        put_prev_rt(rq, entity_of(prev));
    else
        put_prev_task_fair(s_, entity_of(prev));
}

void CfsClass::set_next(Rq& rq, SchedTask& next) {
    if (next.is_rt())
        set_next_rt(rq, entity_of(next));
    else
        set_curr_task_fair(s_, entity_of(next));
}

SchedTask* CfsClass::pick_next(CpuId cpu, SchedTask* prev) {
    Rq& rq = s_.rq(cpu);
    if (prev != nullptr) {
        sample_at_switch(s_, *prev);
        put_prev(rq, *prev);
    }
    SchedTask* next = nullptr;
    if (!rq.rt.empty()) {
        next = rq.rt.first();
        set_next_rt(rq, entity_of(*next));
    } else if (rq.cfs.nr_running != 0) {
        Entity& se = pick_next_entity(s_, rq);
        hrtick_start_fair(s_, rq, se);
        next = se.task;
    }
    rq.curr = next;
    if (next != nullptr && next->is_rt()) post_schedule_rt(s_, rq);
    return next;
}

// --- while running ---

void CfsClass::task_tick(Rq& rq, bool queued) {
    if (rq.idle()) return;
    if (rq.curr->is_rt())
        task_tick_rt(s_, rq, entity_of(*rq.curr), queued);
    else
        task_tick_fair(s_, entity_of(*rq.curr), queued);
}

void CfsClass::tick(CpuId cpu) {
    s_.this_cpu = cpu;
    Rq& rq = s_.rq(cpu);
    tick_rq_clock(s_, rq);
    update_cpu_load(s_, rq);
    task_tick(rq, false);
    balance_at_tick(s_, rq);
}

void CfsClass::hrtick(CpuId cpu) {
    s_.this_cpu = cpu;
    Rq& rq = s_.rq(cpu);
    update_rq_clock(s_, rq);
    task_tick(rq, true);
}

void CfsClass::yield(CpuId cpu) {
    s_.this_cpu = cpu;
    Rq& rq = s_.rq(cpu);
    if (rq.curr->is_rt())
        rq.rt.requeue(entity_of(*rq.curr).rt);
    else
        yield_task_fair(s_, rq);
}

void CfsClass::active_balance(CpuId busiest) {
    s_.this_cpu = busiest;
    active_load_balance(s_, busiest);
}

// --- NO_HZ ---

bool CfsClass::nohz_idle_enter(CpuId cpu) {
    return nohz_enter(s_, s_.rq(cpu));
}

void CfsClass::nohz_idle_exit(CpuId cpu) {
    nohz_exit(s_, s_.rq(cpu));
}

SchedTask* CfsClass::curr(CpuId cpu) const {
    return s_.rqs[cpu.v].curr;
}

}  // namespace wakelab::policy::cfs
