#include "policy/o1/load_balance.hpp"

#include <algorithm>

#include "policy/o1/find_busiest_group.hpp"
#include "policy/o1/move_tasks.hpp"

namespace wakelab::policy::o1 {

namespace {

constexpr std::uint32_t kMaxPinnedIntervalMs = 512;

// What one search and the pull after it came to.
struct Attempt {
    CpuId busiest;  // kNoCpu: balanced
    std::uint32_t moved = 0;
    bool all_pinned = false;
    bool may_balance = true;
    bool all_idle = true;
};

MoveRequest move_request(const State& s, const BalanceRequest& request, CpuId busiest,
                         std::uint64_t imbalance) {
    MoveRequest move{.to = request.this_cpu, .from = busiest, .idle = request.idle};
    if (s.version.load_unit == LoadUnit::kWeight) {
        move.max_tasks = s.rq(busiest).nr_running - 1;
        move.max_weight = imbalance;
    } else {
        move.max_tasks = imbalance;
    }
    return move;
}

// From 2.6.20 a queue that gave nothing is left out and the search repeated: in periodic balancing
// if all its tasks are pinned, in newly-idle balancing whatever the reason.
Attempt pull_from_busiest(State& s, SchedDomain& sd, CpuId this_cpu, IdleType idle) {
    BalanceRequest request{.this_cpu = this_cpu, .idle = idle, .excluded = {}};
    Attempt a;
    for (;;) {
        a.busiest = kNoCpu;
        const BusiestGroup group = find_busiest_group(s, sd, request);
        a.may_balance = group.may_balance;
        a.all_idle = a.all_idle && group.all_idle;
        if (group.group == nullptr) return a;
        a.busiest = find_busiest_queue(s, group, request);
        if (!a.busiest.valid() || s.rq(a.busiest).nr_running <= 1) return a;
        const MoveResult r =
            move_tasks(s, sd, move_request(s, request, a.busiest, group.imbalance));
        a.moved = r.moved;
        a.all_pinned = r.all_pinned;
        const bool fruitless = idle == IdleType::kNewlyIdle ? r.moved == 0 : r.all_pinned;
        if (!fruitless || !s.version.balance_on_next_balance) return a;
        request.excluded.set(a.busiest);
    }
}

void back_off(SchedDomain& sd, bool all_pinned) {
    if ((all_pinned && sd.balance_interval_ms < kMaxPinnedIntervalMs) ||
        sd.balance_interval_ms < sd.params.max_interval_ms)
        sd.balance_interval_ms *= 2;
}

// Nothing could be moved too often: asks the migration thread of `busiest` to push its running
// task.
enum class Kick : std::uint8_t { kNotYet, kPinned, kAlreadyUnderWay, kKicked };

Kick kick_if_failed_too_often(State& s, SchedDomain& sd, CpuId this_cpu, CpuId busiest) {
    if (++sd.nr_balance_failed <= sd.params.cache_nice_tries + 2) return Kick::kNotYet;
    RunQueue& rq = s.rq(busiest);
    if (s.version.keeps_pinned_backoff && rq.curr != nullptr &&
        !rq.curr->task->allowed.test(this_cpu))
        return Kick::kPinned;
    sd.nr_balance_failed = sd.params.cache_nice_tries + s.version.failed_after_kick;
    if (rq.active_balance) return Kick::kAlreadyUnderWay;
    rq.active_balance = true;
    rq.push_cpu = this_cpu;
    s.host.kick_active_balance(busiest);
    return Kick::kKicked;
}

// The siblings of a CPU that is idle itself count as idle only together with it.
int nothing_moved(const State& s, const SchedDomain& sd, IdleType idle, bool all_idle) {
    const bool idle_core = idle != IdleType::kNotIdle && all_idle;
    return s.version.reports_busy_sibling && sd.has(kShareCpuPower) && !idle_core ? -1 : 0;
}

}  // namespace

BalanceResult load_balance(State& s, CpuId this_cpu, CpuId on_cpu, SchedDomain& sd, IdleType idle) {
    const Attempt a = pull_from_busiest(s, sd, this_cpu, idle);
    BalanceResult result{.moved = 0, .may_balance = a.may_balance};
    if (!a.busiest.valid() || (a.all_pinned && s.version.keeps_pinned_backoff)) {
        if (s.version.balanced_resets_failed) sd.nr_balance_failed = 0;
        back_off(sd, a.all_pinned);
        result.moved = nothing_moved(s, sd, idle, a.all_idle);
        return result;
    }
    Kick kick = Kick::kNotYet;
    if (a.moved == 0)
        kick = kick_if_failed_too_often(s, sd, this_cpu, a.busiest);
    else
        sd.nr_balance_failed = 0;
    if (kick == Kick::kPinned) {
        back_off(sd, true);
        result.moved = nothing_moved(s, sd, idle, a.all_idle);
        return result;
    }
    if (kick == Kick::kKicked && s.version.kick_doubles_interval)
        back_off(sd, false);
    else
        sd.balance_interval_ms = sd.params.min_interval_ms;
    if (a.moved > 0 && on_cpu != this_cpu) s.host.resched(this_cpu);
    result.moved = a.moved > 0 ? static_cast<int>(a.moved) : nothing_moved(s, sd, idle, a.all_idle);
    return result;
}

int load_balance_newidle(State& s, CpuId this_cpu, SchedDomain& sd) {
    const Attempt a = pull_from_busiest(s, sd, this_cpu, IdleType::kNewlyIdle);
    const int none = nothing_moved(s, sd, IdleType::kNewlyIdle, a.all_idle);
    const bool balanced = !a.busiest.valid();
    if (s.version.newidle_resets_failed && (a.moved > 0 || (balanced && none == 0)))
        sd.nr_balance_failed = 0;
    return a.moved > 0 ? static_cast<int>(a.moved) : none;
}

void active_load_balance(State& s, CpuId busiest) {
    RunQueue& rq = s.rq(busiest);
    if (!rq.active_balance) return;
    rq.active_balance = false;
    if (rq.nr_running <= 1) return;
    if (!s.version.push_to_idle_groups) {
        for (const SchedDomain& sd : s.domains[rq.push_cpu.v]) {
            if (!sd.has(kLoadBalance) || !sd.span.test(busiest)) continue;
            move_tasks(s, sd, {.to = rq.push_cpu, .from = busiest});
            return;
        }
        return;
    }
    for (const SchedDomain& sd : s.domains[busiest.v]) {
        if (!sd.span.test(rq.push_cpu)) continue;
        for (const SchedGroup& group : sd.groups) {
            const bool idle =
                std::ranges::all_of(group.cpus, [&](CpuId c) { return s.rq(c).idle(); });
            if (idle && !group.mask.test(busiest))
                move_tasks(s, sd, {.to = group.cpus.back(), .from = busiest});
        }
        return;
    }
}

}  // namespace wakelab::policy::o1
