#include "policy/cfs/rt_balance.hpp"

#include "policy/cfs/core_queue.hpp"

namespace wakelab::policy::cfs {

namespace {

constexpr int kNoRtPrio = 100;  // MAX_RT_PRIO: a CPU without real-time tasks

int highest_rt_prio(Rq& rq) {
    return rq.rt.empty() ? kNoRtPrio : prio_of(*rq.rt.first());
}

bool may_move(const SchedTask& p) {
    return p.allowed.count() > 1;
}

// rt.overloaded: more than one real-time task, and one of them may go elsewhere.
bool is_overloaded(Rq& rq) {
    std::uint32_t tasks = 0;
    bool movable = false;
    for (const RtNode& node : rq.rt) {
        ++tasks;
        movable = movable || may_move(*node.task);
    }
    return tasks > 1 && movable;
}

// pick_next_highest_task_rt(): the best waiting task, for `cpu` or (kNoCpu) for any.
SchedTask* next_highest_task(Rq& rq, CpuId cpu) {
    for (const RtNode& node : rq.rt) {
        SchedTask& p = *node.task;
        if (rq.curr != &p && may_move(p) && (cpu == kNoCpu || p.allowed.test(cpu))) return &p;
    }
    return nullptr;
}

// cpupri_find(), 2.6.27+: the allowed CPUs whose best task is the least important, and less so than
// p. find_lowest_cpus() of 2.6.25 and 2.6.26 is content with the first CPU without real-time tasks.
topo::CpuMask lowest_cpus(Sched& s, const SchedTask& p) {
    const bool first_will_do = s.v.rt_balance != RtBalance::kPriorityVectors;
    topo::CpuMask lowest;
    int lowest_prio = prio_of(p);
    for (Rq& rq : s.rqs) {
        if (!p.allowed.test(rq.cpu)) continue;
        const int prio = highest_rt_prio(rq);
        if (prio <= prio_of(p) || prio < lowest_prio) continue;
        if (prio > lowest_prio) lowest = {};
        lowest_prio = prio;
        lowest.set(rq.cpu);
        if (first_will_do && prio == kNoRtPrio) break;
    }
    return lowest;
}

// pick_optimal_cpu()
CpuId optimal_cpu(CpuId this_cpu, const topo::CpuMask& mask) {
    return this_cpu != kNoCpu && mask.test(this_cpu) ? this_cpu : mask.first();
}

// find_lowest_rq(): p's last CPU if it is among the lowest, else the nearest, the caller's first.
CpuId find_lowest_rq(Sched& s, const SchedTask& p, CpuId this_cpu) {
    const topo::CpuMask lowest = lowest_cpus(s, p);
    if (lowest.empty() || lowest.test(p.cpu)) return lowest.empty() ? kNoCpu : p.cpu;
    if (this_cpu == p.cpu) this_cpu = kNoCpu;
    for (const SchedDomain& d : s.rq(p.cpu).domains) {
        if (!d.has(kWakeAffine)) continue;
        const CpuId cpu = optimal_cpu(this_cpu, d.span & lowest);
        if (cpu != kNoCpu) return cpu;
    }
    return optimal_cpu(this_cpu, lowest);
}

void move_rt_task(Sched& s, SchedTask& p, CpuId to) {
    const CpuId from = p.cpu;
    dequeue_task(s, p, false);
    set_task_cpu(s, p, to);
    enqueue_task(s, p, false);
    s.host.note_migration(p, from, to);
}

// push_rt_task(): whether another one may follow.
bool push_rt_task(Sched& s, Rq& rq) {
    if (!is_overloaded(rq)) return false;
    SchedTask* next = next_highest_task(rq, kNoCpu);
    if (next == nullptr) return false;
    const int curr_prio = rq.curr != nullptr ? prio_of(*rq.curr) : kIdleTaskPrio;
    if (prio_of(*next) < curr_prio) {
        s.host.resched(rq.cpu);
        return false;
    }
    const CpuId lowest = find_lowest_rq(s, *next, s.this_cpu);
    if (lowest == kNoCpu || lowest == rq.cpu) return false;
    move_rt_task(s, *next, lowest);
    s.host.resched(lowest);
    return true;
}

void push_rt_tasks(Sched& s, Rq& rq) {
    while (push_rt_task(s, rq)) {
    }
}

// pull_rt_task(): fetches waiting tasks more important than what this CPU would run.
void pull_rt_task(Sched& s, Rq& rq) {
    int next_prio = highest_rt_prio(rq);
    for (Rq& src : s.rqs) {
        if (&src == &rq || !is_overloaded(src)) continue;
        SchedTask* p = next_highest_task(src, rq.cpu);
        if (p == nullptr || prio_of(*p) >= next_prio) continue;
        // About to preempt there: leave it.
        const int src_prio = src.curr != nullptr ? prio_of(*src.curr) : kIdleTaskPrio;
        if (prio_of(*p) < src_prio || next_prio < src_prio) continue;
        move_rt_task(s, *p, rq.cpu);
        next_prio = prio_of(*p);
    }
}

bool pushes_and_pulls(const Sched& s) {
    return s.v.rt_balance != RtBalance::kLoadBalancer;
}

}  // namespace

CpuId select_task_rq_rt(Sched& s, const SchedTask& p, CpuId this_cpu) {
    const Rq& rq = s.rq_of(p);
    if (rq.idle() || !rq.curr->is_rt() || !may_move(p)) return p.cpu;
    const CpuId lowest = find_lowest_rq(s, p, this_cpu);
    return lowest == kNoCpu ? p.cpu : lowest;
}

void pre_schedule_rt(Sched& s, Rq& rq, const SchedTask& prev) {
    if (pushes_and_pulls(s) && highest_rt_prio(rq) > prio_of(prev)) pull_rt_task(s, rq);
}

void post_schedule_rt(Sched& s, Rq& rq) {
    if (pushes_and_pulls(s)) push_rt_tasks(s, rq);
}

void task_wake_up_rt(Sched& s, const SchedTask& p) {
    if (!pushes_and_pulls(s)) return;
    Rq& rq = s.rq_of(p);
    if (rq.curr == &p) return;
    const bool will_run = s.v.rt_balance == RtBalance::kPushUnlessHighest
                              ? prio_of(p) < highest_rt_prio(rq)
                              : s.host.need_resched(rq.cpu);
    if (!will_run) push_rt_tasks(s, rq);
}

void switched_from_rt(Sched& s, Rq& rq) {
    if (pushes_and_pulls(s) && rq.rt.empty()) pull_rt_task(s, rq);
}

}  // namespace wakelab::policy::cfs
