#include <optional>

#include "policy/cfs/cpu_load.hpp"
#include "policy/cfs/placement.hpp"
#include "policy/cfs/rt_balance.hpp"
#include "policy/cfs/wake_affine.hpp"

namespace wakelab::policy::cfs {

namespace {

AffineQuestion make_question(Sched& s, const SchedDomain& domain, const SchedTask& p,
                             const WakeContext& ctx, bool sync) {
    const std::uint32_t idx = domain.params.wake_idx;
    return {.domain = domain,
            .wakee = p,
            .waker = ctx.waker,
            .this_cpu = ctx.this_cpu,
            .prev_cpu = p.cpu,
            .sync = sync,
            .load = source_load(s, s.rq(p.cpu), idx),
            .this_load = target_load(s, s.rq(ctx.this_cpu), idx)};
}

// SD_WAKE_BALANCE: prev is that much busier than this CPU.
bool passive_balance(const AffineQuestion& q) {
    return q.domain.has(kWakeBalanceFlag) &&
           placement_imbalance(q.domain) * q.this_load <= 100 * q.load;
}

// V23, V24: the candidate that the load tests choose between prev and this CPU.
PlaceRule pull_rule_in_wakeup(Sched& s, const SchedDomain& domain, const SchedTask& p,
                              const WakeContext& ctx, bool sync) {
    const AffineQuestion q = make_question(s, domain, p, ctx, sync);
    if (domain.has(kWakeAffine)) {
        if (s.v.pulls_cold_sync && sync && !task_hot(s, p, s.rq(p.cpu).clock))
            return PlaceRule::kAffineCold;
        const std::uint64_t tl = q.this_load - (sync ? waker_weight(q) : 0);
        if (is_light(s, q, tl)) return PlaceRule::kAffineLight;
        if (is_balanced(q, tl)) return PlaceRule::kAffineBalanced;
    }
    return passive_balance(q) ? PlaceRule::kWakeBalance : PlaceRule::kStayedOnPrev;
}

// wake_idle() on the chosen CPU ends the search in V23, V24 and, for tasks nobody pulled, up
// to 2.6.31.
CpuId search_idle_from(Sched& s, CpuId cpu, const SchedTask& p, PlaceRule& rule) {
    const CpuId idle = wake_idle(s, cpu, p);
    if (idle != cpu) rule = PlaceRule::kIdleSearch;
    return idle;
}

// Part of try_to_wake_up() itself in V23 and V24 (cfs.md 4.1): every class, idle search also after
// a pull.
CpuId select_in_wakeup(Sched& s, SchedTask& p, const WakeContext& ctx, bool sync, PlaceRule& rule) {
    const CpuId prev = p.cpu;
    CpuId chosen = prev;
    const SchedDomain* domain = common_domain(s, ctx.this_cpu, prev);
    if (prev == ctx.this_cpu) {
        rule = PlaceRule::kPrevIsThis;
    } else if (!p.allowed.test(ctx.this_cpu)) {
        rule = PlaceRule::kNotAllowed;
    } else {
        rule = PlaceRule::kStayedOnPrev;
        if (domain != nullptr) rule = pull_rule_in_wakeup(s, *domain, p, ctx, sync);
        if (rule != PlaceRule::kStayedOnPrev) chosen = ctx.this_cpu;
    }
    return search_idle_from(s, chosen, p, rule);
}

// select_task_rq_fair() of V25..V31 (cfs.md 4.2).
CpuId select_by_class(Sched& s, SchedTask& p, const WakeContext& ctx, bool sync, PlaceRule& rule) {
    const CpuId prev = p.cpu;
    const bool same_cpu = prev == ctx.this_cpu;
    rule = same_cpu ? PlaceRule::kPrevIsThis : PlaceRule::kStayedOnPrev;
    if (same_cpu && s.v.shortcut_on_same_cpu) return search_idle_from(s, prev, p, rule);
    if (!p.allowed.test(ctx.this_cpu)) {
        rule = PlaceRule::kNotAllowed;
        return search_idle_from(s, prev, p, rule);
    }
    if (const SchedDomain* domain = common_domain(s, ctx.this_cpu, prev)) {
        const AffineQuestion q = make_question(s, *domain, p, ctx, sync);
        if (const std::optional<PlaceRule> pull = wake_affine(s, q)) {
            if (!same_cpu) rule = *pull;
            return ctx.this_cpu;
        }
        if (!same_cpu && passive_balance(q)) {
            rule = PlaceRule::kWakeBalance;
            return ctx.this_cpu;
        }
    }
    return search_idle_from(s, prev, p, rule);
}

// select_task_rq_fair() of V32 for a wake-up (cfs.md 4.4): no default domain has SD_BALANCE_WAKE,
// so either the lowest affine domain that spans prev pulls, or the wakee stays.
CpuId select_by_domain_flags(Sched& s, SchedTask& p, const WakeContext& ctx, bool sync,
                             PlaceRule& rule) {
    const CpuId prev = p.cpu;
    rule = prev == ctx.this_cpu ? PlaceRule::kPrevIsThis : PlaceRule::kStayedOnPrev;
    if (!p.allowed.test(ctx.this_cpu)) {
        rule = PlaceRule::kNotAllowed;
        return prev;
    }
    if (!s.has(Feature::kAffineWakeups)) return prev;
    for (const SchedDomain& d : s.rq(ctx.this_cpu).domains) {
        if (!d.has(kWakeAffine) || !d.span.test(prev)) continue;
        if (const auto pull = wake_affine(s, make_question(s, d, p, ctx, sync))) {
            if (prev != ctx.this_cpu) rule = *pull;
            return ctx.this_cpu;
        }
        break;
    }
    return prev;
}

// LB_WAKEUP_UPDATE, LB_SHARES_UPDATE: the shares of the two CPUs' domain.
void refresh_shares(Sched& s, CpuId this_cpu, CpuId prev_cpu) {
    if (!s.has(Feature::kLbWakeupUpdate) && !s.has(Feature::kLbSharesUpdate)) return;
    for (SchedDomain& d : s.rq(this_cpu).domains) {
        if (!d.span.test(prev_cpu)) continue;
        update_shares(s, d);
        return;
    }
}

}  // namespace

CpuId select_task_rq(Sched& s, SchedTask& p, const WakeContext& ctx, PlaceRule& rule) {
    const bool sync = ctx.sync && s.has(Feature::kSyncWakeups);
    if (!s.groups.empty()) refresh_shares(s, ctx.this_cpu, p.cpu);
    if (s.v.select == SelectRule::kInWakeup) return select_in_wakeup(s, p, ctx, sync, rule);
    if (p.is_rt()) {
        const CpuId cpu = select_task_rq_rt(s, p, ctx.this_cpu);
        rule = cpu == p.cpu ? PlaceRule::kStayedOnPrev : PlaceRule::kRtLowest;
        return cpu;
    }
    if (s.v.select == SelectRule::kClassHook) return select_by_class(s, p, ctx, sync, rule);
    return select_by_domain_flags(s, p, ctx, sync, rule);
}

CpuId wake_idle(Sched& s, CpuId cpu, const SchedTask& p) {
    if (!s.kernel.sched_smt || s.v.select == SelectRule::kDomainFlags) return cpu;
    const Rq& rq = s.rq(cpu);
    const std::uint32_t waiting = s.v.busy_by_fair_tasks ? rq.cfs.nr_running : rq.nr_running;
    if (rq.idle() || waiting > 1) return cpu;
    for (const SchedDomain& d : rq.domains) {
        if (!d.has(kWakeIdle)) break;
        for (const CpuId i : d.cpus)
            if (p.allowed.test(i) && s.rq(i).idle()) return i;
    }
    return cpu;
}

bool task_hot(Sched& s, const SchedTask& p, std::uint64_t now) {
    const Entity& se = entity_of(p);
    // V32 keeps buddies only while the pulling CPU has something to run.
    const bool buddies_count =
        s.has(Feature::kCacheHotBuddy) &&
        (s.v.select != SelectRule::kDomainFlags || s.rq(s.this_cpu).nr_running != 0);
    const CfsRq& cfs = *se.cfs;
    if (buddies_count && (cfs.next == &se || cfs.last == &se)) return true;
    if (p.is_rt()) return false;
    if (s.tune.always_hot) return true;
    if (s.tune.migration_cost == 0) return false;
    const auto since = static_cast<std::int64_t>(now - se.exec_start);
    return since < static_cast<std::int64_t>(s.tune.migration_cost);
}

}  // namespace wakelab::policy::cfs
