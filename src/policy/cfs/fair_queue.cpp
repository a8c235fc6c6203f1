#include "policy/cfs/fair.hpp"
#include "policy/cfs/wait_runtime.hpp"

namespace wakelab::policy::cfs {

namespace {

// Up to 2.6.27 group entities are in the list that the balancer walks, too.
bool is_listed(const Sched& s, const Entity& se) {
    if (s.v.balance.order == BalanceOrder::kTree) return false;
    return s.v.balance.order == BalanceOrder::kListLosesLast || is_task(se);
}

// The CPU's load is that of its top-level entities; tasks among them are counted by core_queue.cpp.
bool counts_in_cpu_load(const Sched& s, const CfsRq& cfs, const Entity& se) {
    return !is_task(se) && cfs.owner == nullptr && s.v.groups != GroupRule::kFixedShares;
}

void account_enqueue(const Sched& s, CfsRq& cfs, Entity& se) {
    cfs.load.add(se.load.weight);
    cfs.nr_running++;
    se.on_rq = true;
    if (is_listed(s, se)) cfs.tasks.push_front(se);
    if (counts_in_cpu_load(s, cfs, se)) [[unlikely]]
        cfs.rq->load += se.load.weight;
}

void account_dequeue(const Sched& s, CfsRq& cfs, Entity& se) {
    cfs.load.sub(se.load.weight);
    cfs.nr_running--;
    se.on_rq = false;
    if (is_listed(s, se)) cfs.tasks.erase(cfs.tasks.iterator_to(se));
    if (counts_in_cpu_load(s, cfs, se)) [[unlikely]]
        cfs.rq->load -= se.load.weight;
}

// The slice of the running task changes with the number of tasks beside it (cfs.md 2.9).
void restart_slice_timer(Sched& s, Rq& rq) {
    Entity* curr = rq.cfs.curr;
    if (!s.hrtick || curr == nullptr) return;
    while (!is_task(*curr)) curr = curr->my_q->curr;
    // A running task that leaves gives way to a pick, which arms the timer anew.
    if (!curr->on_rq) return;
    if (s.v.hrtick_short_queues_only && curr->cfs->nr_running >= s.tune.nr_latency) return;
    hrtick_start_fair(s, rq, *curr);
}

// V25..V26 take the sample here, before the entity leaves; V27+ in dequeue_task.
void sample_overlap(const Sched& s, Entity& se) {
    if (s.v.mark != OverlapMark::kPreemptCheck || se.last_wakeup == 0) return;
    update_avg(se.avg_overlap, se.sum_exec - se.last_wakeup);
    se.last_wakeup = 0;
}

bool worth_preferring(const Sched& s, CfsRq& cfs, Entity* buddy, Entity& leftmost) {
    return buddy != nullptr && wakeup_preempt_entity(s, cfs, *buddy, leftmost) < 1;
}

Entity& pick_load_scaled(const Sched& s, CfsRq& cfs, Entity& leftmost) {
    if (cfs.next == nullptr) return leftmost;
    const auto lag = static_cast<std::int64_t>(cfs.next->vruntime - leftmost.vruntime);
    const auto gran = static_cast<std::int64_t>(
        cdm(s.tune.wakeup_granularity, kNice0Load, cfs.load, s.v.inverse));
    return lag < 0 || lag > gran ? leftmost : *cfs.next;
}

Entity& pick_pair_slice(const Sched& s, CfsRq& cfs, Entity& leftmost) {
    const Rq& rq = *cfs.rq;
    if (cfs.next != nullptr && rq.clock - cfs.pair_start <= sched_slice(s, cfs, *cfs.next))
        return *cfs.next;
    cfs.pair_start = rq.clock;
    return leftmost;
}

Entity& pick_entity(const Sched& s, CfsRq& cfs) {
    Entity& leftmost = *cfs.leftmost();
    switch (s.v.buddies) {
        case BuddyRule::kNone:
            return leftmost;
        case BuddyRule::kLoadScaled:
            return pick_load_scaled(s, cfs, leftmost);
        case BuddyRule::kGranularity:
            return cfs.next != nullptr && wakeup_preempt_entity(s, cfs, *cfs.next, leftmost) == 0
                       ? *cfs.next
                       : leftmost;
        case BuddyRule::kPairSlice:
            return pick_pair_slice(s, cfs, leftmost);
        case BuddyRule::kNextThenLast:
            if (worth_preferring(s, cfs, cfs.next, leftmost)) return *cfs.next;
            return worth_preferring(s, cfs, cfs.last, leftmost) ? *cfs.last : leftmost;
        case BuddyRule::kLastWins:
            break;
    }
    if (worth_preferring(s, cfs, cfs.last, leftmost)) return *cfs.last;
    return worth_preferring(s, cfs, cfs.next, leftmost) ? *cfs.next : leftmost;
}

void clear_own_buddies(CfsRq& cfs, const Entity& se) {
    if (cfs.last == &se) cfs.last = nullptr;
    if (cfs.next == &se) cfs.next = nullptr;
}

void enqueue_entity(Sched& s, CfsRq& cfs, Entity& se, bool wakeup) {
    update_curr(s, cfs);
    if (s.v.model == FairModel::kWaitRuntime) [[unlikely]] {
        wait_runtime::place(s, *cfs.rq, se, wakeup);
        enqueue_keyed(s, cfs, se);
        return;
    }
    if (s.v.account_before_place) account_enqueue(s, cfs, se);
    if (wakeup) place_entity(s, cfs, se, false);
    if (&se != cfs.curr) insert_into_tree(s, cfs, se);
    if (!s.v.account_before_place) account_enqueue(s, cfs, se);
}

void dequeue_entity(Sched& s, CfsRq& cfs, Entity& se, bool sleep) {
    update_curr(s, cfs);
    if (s.v.model == FairModel::kWaitRuntime) [[unlikely]] {
        wait_runtime::leave(s, cfs, se, sleep);
        cfs.tree.erase(cfs.tree.iterator_to(se));
        account_dequeue(s, cfs, se);
        return;
    }
    if (sleep) {
        sample_overlap(s, se);
        if (s.v.limits_preempters) se.last_preempter = nullptr;
    }
    if (s.v.buddy_clear != BuddyClear::kLeavesTree) clear_buddies(s, se);
    if (&se != cfs.curr) remove_from_tree(s, cfs, se);
    account_dequeue(s, cfs, se);
    if (s.v.min_vruntime == MinVruntimeRule::kEveryUpdateTieBug ||
        s.v.min_vruntime == MinVruntimeRule::kEveryUpdateQueue)
        update_min_vruntime(s, cfs);
}

void set_next_entity(Sched& s, CfsRq& cfs, Entity& se) {
    if (s.v.model == FairModel::kWaitRuntime) [[unlikely]]
        wait_runtime::stop_waiting(s, cfs, se);
    else if (se.on_rq)
        remove_from_tree(s, cfs, se);
    se.exec_start = cfs.rq->clock;
    cfs.curr = &se;
    se.prev_sum = se.sum_exec;
}

void put_prev_entity(Sched& s, CfsRq& cfs, Entity& se) {
    if (se.on_rq) {
        update_curr(s, cfs);
        if (s.v.model == FairModel::kWaitRuntime) [[unlikely]]
            se.wait.wait_start_fair = cfs.fair_clock;
        else
            insert_into_tree(s, cfs, se);
    }
    cfs.curr = nullptr;
}

}  // namespace

void enqueue_keyed(const Sched& s, CfsRq& cfs, Entity& se) {
    cfs.tree.insert(se);
    account_enqueue(s, cfs, se);
}

void clear_buddies(const Sched& s, const Entity& se) {
    clear_own_buddies(*se.cfs, se);
    if (s.v.buddy_clear == BuddyClear::kDequeue) return;
    for (const Entity* e = se.parent; e != nullptr; e = e->parent) clear_own_buddies(*e->cfs, *e);
}

void enqueue_task_fair(Sched& s, Rq& rq, Entity& se, bool wakeup) {
    for (Entity* e = &se; e != nullptr && !e->on_rq; e = e->parent) {
        enqueue_entity(s, *e->cfs, *e, wakeup);
        wakeup = true;
    }
    restart_slice_timer(s, rq);
}

void dequeue_task_fair(Sched& s, Rq& rq, Entity& se, bool sleep) {
    for (Entity* e = &se; e != nullptr; e = e->parent) {
        dequeue_entity(s, *e->cfs, *e, sleep);
        if (e->cfs->load.weight != 0) break;  // the group has other tasks here
        sleep = true;
    }
    restart_slice_timer(s, rq);
}

void set_curr_task_fair(Sched& s, Entity& se) {
    for (Entity* e = &se; e != nullptr; e = e->parent) set_next_entity(s, *e->cfs, *e);
}

void put_prev_task_fair(Sched& s, Entity& se) {
    for (Entity* e = &se; e != nullptr; e = e->parent) put_prev_entity(s, *e->cfs, *e);
}

Entity& pick_next_entity(Sched& s, Rq& rq) {
    CfsRq* cfs = &rq.cfs;
    while (true) {
        Entity& se = pick_entity(s, *cfs);
        if (s.v.buddy_clear == BuddyClear::kPicked) clear_own_buddies(*cfs, se);
        if (s.v.buddy_clear == BuddyClear::kEveryPick) cfs->next = cfs->last = nullptr;
        set_next_entity(s, *cfs, se);
        if (is_task(se)) return se;
        cfs = se.my_q;
    }
}

}  // namespace wakelab::policy::cfs
