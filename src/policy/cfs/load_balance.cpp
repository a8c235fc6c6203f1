#include <algorithm>

#include "policy/cfs/balance.hpp"
#include "policy/cfs/clock.hpp"
#include "policy/cfs/move_tasks.hpp"

namespace wakelab::policy::cfs {

namespace {

constexpr std::uint32_t kMaxPinnedInterval = 512;  // ms

// find_busiest_queue(): the heaviest CPU of the group that has a task to spare.
Rq* find_busiest_queue(Sched& s, const BusiestGroup& busiest, const topo::CpuMask& candidates) {
    Rq* found = nullptr;
    std::uint64_t max_load = 0;
    for (const CpuId c : busiest.group->cpus) {
        Rq& rq = s.rq(c);
        if (!candidates.test(c)) continue;
        const std::uint64_t load = s.v.power_is_sum ? rq.load * kNice0Load / rq.power : rq.load;
        if (rq.nr_running == 1 && load > busiest.imbalance) continue;
        if (load > max_load) {
            max_load = load;
            found = &rq;
        }
    }
    return found;
}

// Outcome of the search for something to pull in one domain.
struct Pull {
    Rq* busiest = nullptr;  // null: balanced
    bool moved = false;
    bool all_pinned = false;
    bool my_job = true;
    // A sibling works, so this CPU is not really idle: what load_balance() of an SMT level reports
    // unless it moved something (cfs.md 6.1).
    bool sibling_busy = false;
};

// The common part of load_balance() and load_balance_newidle(). A queue whose tasks are all pinned
// is left out and the search repeated.
Pull pull_from_busiest(Sched& s, CpuId this_cpu, const SchedDomain& d, IdleType idle) {
    topo::CpuMask candidates = d.span;
    Rq& this_rq = s.rq(this_cpu);
    Pull pull;
    if (d.has(kShareCpuPower))
        pull.sibling_busy = idle == IdleType::kNotIdle || std::ranges::any_of(d.cpus, [&](CpuId c) {
                                return s.rq(c).nr_running != 0;
                            });
    while (true) {
        const BusiestGroup group = find_busiest_group(s, d, this_cpu, idle, candidates);
        pull.my_job = group.my_job;
        pull.busiest = group.group != nullptr ? find_busiest_queue(s, group, candidates) : nullptr;
        if (pull.busiest == nullptr || pull.busiest->nr_running <= 1) return pull;
        if (idle != IdleType::kNewlyIdle) update_rq_clock(s, this_rq);
        update_rq_clock(s, *pull.busiest);
        Move m{.busiest = *pull.busiest, .to = this_rq, .domain = d, .idle = idle};
        pull.moved = move_tasks(s, m, group.imbalance);
        pull.all_pinned = m.all_pinned;
        if (!m.all_pinned) return pull;
        candidates.clear(pull.busiest->cpu);
    }
}

// Repeated failure: ask the migration thread of `busiest` to push its running task here. Returns
// false when that task may not run here.
bool kick_active_balance(Sched& s, CpuId this_cpu, SchedDomain& d, Rq& busiest, bool& kicked) {
    if (busiest.curr == nullptr || !busiest.curr->allowed.test(this_cpu)) return false;
    if (!busiest.active_balance) {
        busiest.active_balance = true;
        busiest.push_cpu = this_cpu;
        kicked = true;
        s.host.kick_active_balance(busiest.cpu);
    }
    d.nr_balance_failed = d.params.cache_nice_tries + 1;
    return true;
}

void back_off(SchedDomain& d, bool all_pinned) {
    const std::uint32_t limit = all_pinned ? kMaxPinnedInterval : d.params.max_interval_ms;
    if (d.balance_interval_ms < std::max(limit, d.params.max_interval_ms))
        d.balance_interval_ms *= 2;
}

}  // namespace

bool load_balance(Sched& s, CpuId this_cpu, SchedDomain& d, IdleType idle, bool& my_job) {
    if (!s.groups.empty()) update_shares(s, d);
    const Pull pull = pull_from_busiest(s, this_cpu, d, idle);
    if (!pull.my_job) my_job = false;
    if (pull.busiest == nullptr) {
        d.nr_balance_failed = 0;
        back_off(d, pull.all_pinned);
        return pull.sibling_busy;
    }
    bool kicked = false;
    if (pull.moved) {
        d.nr_balance_failed = 0;
        if (this_cpu != s.this_cpu) s.host.resched(this_cpu);
    } else {
        d.nr_balance_failed++;
        if (d.nr_balance_failed > d.params.cache_nice_tries + 2 &&
            !kick_active_balance(s, this_cpu, d, *pull.busiest, kicked)) {
            back_off(d, true);
            return pull.sibling_busy;
        }
    }
    if (!kicked)
        d.balance_interval_ms = d.params.min_interval_ms;
    else
        back_off(d, false);
    return pull.moved || pull.sibling_busy;
}

bool load_balance_newidle(Sched& s, CpuId this_cpu, SchedDomain& d) {
    if (!s.groups.empty()) update_shares(s, d);
    const Pull pull = pull_from_busiest(s, this_cpu, d, IdleType::kNewlyIdle);
    if (pull.moved || (pull.busiest == nullptr && !pull.sibling_busy)) d.nr_balance_failed = 0;
    return pull.moved || pull.sibling_busy ||
           (pull.busiest != nullptr && s.v.balance.newidle_stops_on_failure);
}

void active_load_balance(Sched& s, CpuId busiest_cpu) {
    Rq& busiest = s.rq(busiest_cpu);
    if (!busiest.active_balance) return;
    busiest.active_balance = false;
    if (busiest.nr_running <= 1) return;
    Rq& target = s.rq(busiest.push_cpu);
    update_rq_clock(s, busiest);
    update_rq_clock(s, target);
    const SchedDomain* d = nullptr;
    for (const SchedDomain& level : target.domains) {
        if (!level.has(kLoadBalance) || !level.span.test(busiest_cpu)) continue;
        d = &level;
        break;
    }
    if (d == nullptr) return;
    Move m{.busiest = busiest, .to = target, .domain = *d, .idle = IdleType::kIdle};
    move_one_task(s, m);
}

}  // namespace wakelab::policy::cfs
