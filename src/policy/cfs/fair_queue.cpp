#include "policy/cfs/fair.hpp"
#include "policy/cfs/wait_runtime.hpp"

namespace wakelab::policy::cfs {

namespace {

void account_enqueue(const Sched& s, CfsRq& cfs, Entity& se) {
    cfs.load.add(se.load.weight);
    cfs.nr_running++;
    se.on_rq = true;
    if (s.v.balance.order != BalanceOrder::kTree) cfs.tasks.push_front(se);
}

void account_dequeue(const Sched& s, CfsRq& cfs, Entity& se) {
    cfs.load.sub(se.load.weight);
    cfs.nr_running--;
    se.on_rq = false;
    if (s.v.balance.order != BalanceOrder::kTree) cfs.tasks.erase(cfs.tasks.iterator_to(se));
}

// The slice of the running task changes with the number of tasks beside it (cfs.md 2.9).
void restart_slice_timer(Sched& s, Rq& rq) {
    const Entity* curr = rq.cfs.curr;
    // A running task that leaves gives way to a pick, which arms the timer anew.
    if (!s.hrtick || curr == nullptr || !curr->on_rq) return;
    if (s.v.hrtick_short_queues_only && rq.cfs.nr_running >= s.tune.nr_latency) return;
    hrtick_start_fair(s, rq, *rq.cfs.curr);
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

Entity& pick_pair_slice(const Sched& s, Rq& rq, Entity& leftmost) {
    CfsRq& cfs = rq.cfs;
    if (cfs.next != nullptr && rq.clock - cfs.pair_start <= sched_slice(s, cfs, *cfs.next))
        return *cfs.next;
    cfs.pair_start = rq.clock;
    return leftmost;
}

Entity& pick_entity(const Sched& s, Rq& rq) {
    CfsRq& cfs = rq.cfs;
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
            return pick_pair_slice(s, rq, leftmost);
        case BuddyRule::kNextThenLast:
            if (worth_preferring(s, cfs, cfs.next, leftmost)) return *cfs.next;
            return worth_preferring(s, cfs, cfs.last, leftmost) ? *cfs.last : leftmost;
        case BuddyRule::kLastWins:
            break;
    }
    if (worth_preferring(s, cfs, cfs.last, leftmost)) return *cfs.last;
    return worth_preferring(s, cfs, cfs.next, leftmost) ? *cfs.next : leftmost;
}

}  // namespace

void enqueue_keyed(const Sched& s, CfsRq& cfs, Entity& se) {
    cfs.tree.insert(se);
    account_enqueue(s, cfs, se);
}

void clear_buddies(CfsRq& cfs, const Entity& se) {
    if (cfs.last == &se) cfs.last = nullptr;
    if (cfs.next == &se) cfs.next = nullptr;
}

void enqueue_task_fair(Sched& s, Rq& rq, Entity& se, bool wakeup) {
    CfsRq& cfs = rq.cfs;
    update_curr(s, rq);
    if (s.v.model == FairModel::kWaitRuntime) [[unlikely]] {
        wait_runtime::place(s, rq, se, wakeup);
        enqueue_keyed(s, cfs, se);
        return;
    }
    if (s.v.account_before_place) account_enqueue(s, cfs, se);
    if (wakeup) place_entity(s, cfs, se, false);
    if (&se != cfs.curr) insert_into_tree(s, cfs, se);
    if (!s.v.account_before_place) account_enqueue(s, cfs, se);
    restart_slice_timer(s, rq);
}

void dequeue_task_fair(Sched& s, Rq& rq, Entity& se, bool sleep) {
    CfsRq& cfs = rq.cfs;
    update_curr(s, rq);
    if (s.v.model == FairModel::kWaitRuntime) [[unlikely]] {
        wait_runtime::leave(s, cfs, se, sleep);
        cfs.tree.erase(cfs.tree.iterator_to(se));
        account_dequeue(s, cfs, se);
        return;
    }
    if (sleep) {
        sample_overlap(s, se);
        se.last_preempter = nullptr;
    }
    if (s.v.buddy_clear != BuddyClear::kLeavesTree) clear_buddies(cfs, se);
    if (&se != cfs.curr) remove_from_tree(s, cfs, se);
    account_dequeue(s, cfs, se);
    if (s.v.min_vruntime == MinVruntimeRule::kEveryUpdateTieBug ||
        s.v.min_vruntime == MinVruntimeRule::kEveryUpdateQueue)
        update_min_vruntime(s, cfs);
    restart_slice_timer(s, rq);
}

void set_next_entity(Sched& s, Rq& rq, Entity& se) {
    if (s.v.model == FairModel::kWaitRuntime) [[unlikely]]
        wait_runtime::stop_waiting(s, rq.cfs, se);
    else if (se.on_rq)
        remove_from_tree(s, rq.cfs, se);
    se.exec_start = rq.clock;
    rq.cfs.curr = &se;
    se.prev_sum = se.sum_exec;
}

void put_prev_entity(Sched& s, Rq& rq, Entity& se) {
    if (se.on_rq) {
        update_curr(s, rq);
        if (s.v.model == FairModel::kWaitRuntime) [[unlikely]]
            se.wait.wait_start_fair = rq.cfs.fair_clock;
        else
            insert_into_tree(s, rq.cfs, se);
    }
    rq.cfs.curr = nullptr;
}

Entity& pick_next_entity(Sched& s, Rq& rq) {
    Entity& se = pick_entity(s, rq);
    if (s.v.buddy_clear == BuddyClear::kPicked) clear_buddies(rq.cfs, se);
    if (s.v.buddy_clear == BuddyClear::kEveryPick) rq.cfs.next = rq.cfs.last = nullptr;
    set_next_entity(s, rq, se);
    return se;
}

}  // namespace wakelab::policy::cfs
