// load_balance() before there were domains (o1.md 7).
#include <algorithm>

#include "policy/o1/early/early_state.hpp"

namespace wakelab::policy::o1::early {

namespace {

struct Busiest {
    CpuId cpu;
    std::uint32_t load = 1;  // a queue of one task has nothing to give
};

// A busy CPU trusts a queue length only if the queue was as long when it last looked.
Busiest find_busiest_queue(State& s, CpuId this_cpu, bool idle) {
    RunQueue& rq = s.rq(this_cpu);
    Busiest busiest;
    for (std::uint32_t c = 0; c < s.rqs.size(); ++c) {
        const std::uint32_t nr = s.rqs[c].nr_running;
        const std::uint32_t load = idle ? nr : std::min(nr, rq.prev_nr_running[c]);
        rq.prev_nr_running[c] = nr;
        if (c != this_cpu.v && load > busiest.load) busiest = {.cpu = CpuId{c}, .load = load};
    }
    return busiest;
}

bool can_migrate(const State& s, const Entity& e, const RunQueue& from, CpuId to) {
    return s.host.jiffies() - e.timestamp > s.options.cache_decay_ticks && &e != from.curr &&
           e.task->allowed.test(to);
}

// The walk through a list runs in the wrong direction, so only its last task is looked at.
Entity* find_task(const State& s, const PrioArray& array, const RunQueue& from, CpuId to) {
    for (int prio = array.next_prio(0); prio < kMaxPrio; prio = array.next_prio(prio + 1))
        if (can_migrate(s, *array.tail(prio), from, to)) return array.tail(prio);
    return nullptr;
}

bool pull_one(State& s, PrioArray& array, CpuId from, CpuId to) {
    Entity* e = find_task(s, array, s.rq(from), to);
    if (e == nullptr) return false;
    deactivate_task(s, *e);
    e->task->cpu = to;
    enqueue_active(s, *e);
    s.host.note_migration(*e->task, from, to);
    resched_if_preempted_by(s, *e);
    return true;
}

}  // namespace

void load_balance(State& s, CpuId this_cpu, bool idle) {
    const RunQueue& rq = s.rq(this_cpu);
    const std::uint32_t mine =
        idle ? rq.nr_running : std::max(rq.nr_running, rq.prev_nr_running[this_cpu.v]);
    const Busiest busiest = find_busiest_queue(s, this_cpu, idle);
    if (!busiest.cpu.valid()) return;
    const int imbalance = (static_cast<int>(busiest.load) - static_cast<int>(mine)) / 2;
    if (!idle && imbalance < static_cast<int>(busiest.load + 3) / 4) return;
    RunQueue& from = s.rq(busiest.cpu);
    if (from.nr_running <= mine + 1) return;
    if (from.expired->nr_active() > 0) {
        const bool pulled = pull_one(s, *from.expired, busiest.cpu, this_cpu);
        if (pulled && (idle || imbalance == 1)) return;
    }
    pull_one(s, *from.active, busiest.cpu, this_cpu);
}

}  // namespace wakelab::policy::o1::early
