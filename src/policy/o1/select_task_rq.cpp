#include "policy/o1/select_task_rq.hpp"

#include "policy/o1/load.hpp"

namespace wakelab::policy::o1 {

namespace {

// task_hot(): `p` stopped running less than hot_ns before the clock of its CPU was last looked at.
bool cache_hot(const State& s, const SchedTask& p, std::int64_t hot_ns) {
    const auto idle_ns = static_cast<std::int64_t>(s.rq(p.cpu).clock - entity_of(p).last_ran);
    return idle_ns < hot_ns;
}

// o1.md 5.2: any domain of the waking CPU that spans prev may pull, a cold task at once.
PlaceRule pull_by_cache_hot(const State& s, const SchedTask& p, const WakeContext& ctx) {
    constexpr std::uint32_t kAverage = 1;  // the only cpu_load of 2.6.9
    const std::uint64_t load = source_load(s, p.cpu, kAverage);
    std::uint64_t this_load = target_load(s, ctx.this_cpu, kAverage);
    if (ctx.sync)
        this_load -= kLoadScale;  // the waker is about to sleep; may wrap, as in the kernel
    if (load < kLoadScale / 2 && this_load > kLoadScale / 2) return PlaceRule::kStayedOnPrev;
    for (const SchedDomain& sd : s.domains[ctx.this_cpu.v]) {
        const std::uint64_t pct = sd.params.imbalance_pct;
        const std::uint64_t imbalance = pct + (pct - 100) / 2;
        PlaceRule rule = PlaceRule::kStayedOnPrev;
        if (sd.has(kWakeAffine) && !cache_hot(s, p, sd.params.cache_hot_time_ns))
            rule = PlaceRule::kAffineCold;
        else if (sd.has(kWakeBalanceFlag) && imbalance * this_load <= 100 * load)
            rule = PlaceRule::kWakeBalance;
        if (rule != PlaceRule::kStayedOnPrev && sd.span.test(p.cpu)) return rule;
    }
    return PlaceRule::kStayedOnPrev;
}

struct PullLoads {
    std::uint64_t load = 0;         // of prev, low guess
    std::uint64_t this_load = 0;    // of the waking CPU, high guess
    std::uint64_t prev_target = 0;  // of prev, high guess
};

// The wake-affine test of o1.md 5.4 and 5.6.
PlaceRule pull_affine(const State& s, const SchedTask& p, const WakeContext& ctx,
                      const PullLoads& l, std::uint64_t imbalance) {
    const RunQueue& this_rq = s.rq(ctx.this_cpu);
    const bool weighted = s.version.load_unit == LoadUnit::kWeight;
    std::uint64_t tl = l.this_load;
    std::uint64_t per_task = kLoadScale;
    if (weighted && this_rq.nr_running > 0)
        per_task = this_rq.raw_weighted_load / this_rq.nr_running;
    if (ctx.sync) {
        // Weighted loads discount the waker's own weight; the idle task has none.
        const std::uint64_t waker = this_rq.curr != nullptr ? this_rq.curr->load_weight : 0;
        tl -= weighted ? waker : kLoadScale;
    }
    if (tl <= l.load && tl + l.prev_target <= per_task) return PlaceRule::kAffineLight;
    const std::uint64_t wakee = weighted ? entity_of(p).load_weight : kLoadScale;
    return 100 * (tl + wakee) <= imbalance * l.load ? PlaceRule::kAffineBalanced
                                                    : PlaceRule::kStayedOnPrev;
}

// o1.md 5.4: only the lowest domain of the waking CPU that spans prev decides.
PlaceRule pull_by_wake_idx(const State& s, const SchedTask& p, const WakeContext& ctx) {
    for (const SchedDomain& sd : s.domains[ctx.this_cpu.v]) {
        if (!sd.span.test(p.cpu)) continue;
        const std::uint32_t idx = sd.params.wake_idx;
        const std::uint64_t imbalance = placement_imbalance(sd);
        const PullLoads l{.load = source_load(s, p.cpu, idx),
                          .this_load = target_load(s, ctx.this_cpu, idx),
                          .prev_target = target_load(s, p.cpu, idx)};
        if (sd.has(kWakeAffine)) {
            const PlaceRule rule = pull_affine(s, p, ctx, l, imbalance);
            if (rule != PlaceRule::kStayedOnPrev) return rule;
        }
        if (sd.has(kWakeBalanceFlag) && imbalance * l.this_load <= 100 * l.load)
            return PlaceRule::kWakeBalance;
        return PlaceRule::kStayedOnPrev;
    }
    return PlaceRule::kStayedOnPrev;
}

bool pulls(PlaceRule rule) {
    return rule == PlaceRule::kAffineCold || rule == PlaceRule::kAffineLight ||
           rule == PlaceRule::kAffineBalanced || rule == PlaceRule::kWakeBalance;
}

// What decides between prev and the waking CPU, before any search for an idle one.
PlaceRule choose(const State& s, const SchedTask& p, const WakeContext& ctx) {
    if (p.cpu == ctx.this_cpu) return PlaceRule::kPrevIsThis;
    if (!s.wake_balance) return PlaceRule::kStayedOnPrev;
    if (s.version.wake_filter && entity_of(p).last_waker_cpu != ctx.this_cpu)
        return PlaceRule::kStayedOnPrev;
    if (!p.allowed.test(ctx.this_cpu)) return PlaceRule::kNotAllowed;
    return s.version.wake_by_cache_hot ? pull_by_cache_hot(s, p, ctx) : pull_by_wake_idx(s, p, ctx);
}

// wake_idle(): an idle CPU near `cpu` if that one is busy and its lowest domains ask for it.
CpuId wake_idle(const State& s, CpuId cpu, const SchedTask& p) {
    if (!s.sched_smt || s.rq(cpu).idle()) return cpu;
    if (s.version.wake_idle_needs_short_queue && s.rq(cpu).nr_running > 1) return cpu;
    for (const SchedDomain& sd : s.domains[cpu.v]) {
        if (!sd.has(kWakeIdle)) break;
        for (const CpuId c : sd.cpus)
            if (p.allowed.test(c) && s.rq(c).idle()) return c;
    }
    return cpu;
}

}  // namespace

CpuId select_task_rq(State& s, SchedTask& p, const WakeContext& ctx, PlaceRule& rule) {
    rule = choose(s, p, ctx);
    const bool remote = rule != PlaceRule::kPrevIsThis;
    CpuId cpu = pulls(rule) ? ctx.this_cpu : p.cpu;
    const bool skip_idle_search =
        !s.wake_balance && remote && s.version.wake_balance == WakeBalanceSysctl::kSkipsWakeIdle;
    if (!skip_idle_search) {
        const CpuId idle = wake_idle(s, cpu, p);
        if (idle != cpu) rule = PlaceRule::kIdleSearch;
        cpu = idle;
    }
    if (s.version.wake_filter) entity_of(p).last_waker_cpu = ctx.this_cpu;
    return cpu;
}

}  // namespace wakelab::policy::o1
