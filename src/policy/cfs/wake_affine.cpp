#include "policy/cfs/wake_affine.hpp"

#include "policy/cfs/cpu_load.hpp"
#include "policy/cfs/placement.hpp"

namespace wakelab::policy::cfs {

namespace {

std::uint64_t overlap_of(const SchedTask* p) {
    return p != nullptr ? entity_of(*p).avg_overlap : 0;
}

bool both_overlap_little(const Sched& s, const AffineQuestion& q) {
    return overlap_of(q.waker) < s.tune.migration_cost &&
           overlap_of(&q.wakee) < s.tune.migration_cost;
}

bool either_overlaps_long(const Sched& s, const AffineQuestion& q) {
    return overlap_of(q.waker) > s.tune.migration_cost ||
           overlap_of(&q.wakee) > s.tune.migration_cost;
}

// P1 compares what the two last woke while running, P1i who woke whom (cfs.md 5).
bool passes_filter(const Sched& s, const Entity& waker, const Entity& wakee) {
    switch (s.v.shortcut_filter) {
        case ShortcutFilter::kNone:
            break;
        case ShortcutFilter::kSameWaker:
            return wakee.waker == waker.waker;
        case ShortcutFilter::kMutual:
            return wakee.woken_by == &waker && waker.woke == &wakee;
        case ShortcutFilter::kNobody:
            return false;
    }
    return true;
}

bool takes_shortcut(const Sched& s, const AffineQuestion& q) {
    const bool waker_is_fair = q.waker != nullptr && !q.waker->is_rt();
    return q.sync && waker_is_fair && passes_filter(s, entity_of(*q.waker), entity_of(q.wakee)) &&
           both_overlap_little(s, q);
}

// This CPU's load without the waker, which is about to sleep.
std::uint64_t load_without_waker(const Sched& s, const AffineQuestion& q, bool sync) {
    const std::uint64_t weight = sync ? waker_weight(q) : 0;
    switch (s.v.sync_subtraction) {
        case SyncSubtraction::kAlways:
            break;
        case SyncSubtraction::kIfAboveWaker:
            if (q.this_load <= weight) return q.this_load;
            break;
        case SyncSubtraction::kIfAny:
            if (q.this_load == 0) return 0;
            break;
    }
    return q.this_load - weight;
}

// V25, V26A: the shortcut, then light, then balanced.
std::optional<PlaceRule> shortcut_rule(Sched& s, const AffineQuestion& q) {
    if (takes_shortcut(s, q)) return PlaceRule::kAffineShortcut;
    const std::uint64_t tl = load_without_waker(s, q, q.sync);
    if (is_light(s, q, tl)) return PlaceRule::kAffineLight;
    if (is_balanced(q, tl)) return PlaceRule::kAffineBalanced;
    return std::nullopt;
}

// balanced_rule() where a task weighs what its group makes of it: leaving and coming changes the
// loads of both CPUs (cfs.md 6.8).
std::optional<PlaceRule> group_rule(Sched& s, const AffineQuestion& q, bool sync) {
    auto tl = static_cast<std::int64_t>(q.this_load);
    auto load = static_cast<std::int64_t>(q.load);
    if (sync && q.waker != nullptr) {
        const auto weight = static_cast<std::int64_t>(waker_weight(q));
        tl += effective_load(s, *q.waker, q.this_cpu, -weight, -weight);
        load += effective_load(s, *q.waker, q.prev_cpu, 0, -weight);
    }
    const auto weight = static_cast<std::int64_t>(entity_of(q.wakee).load.weight);
    const std::int64_t here = tl + effective_load(s, q.wakee, q.this_cpu, weight, weight);
    const std::int64_t there = load + effective_load(s, q.wakee, q.prev_cpu, 0, weight);
    const auto imbalance = static_cast<std::int64_t>(placement_imbalance(q.domain));
    const bool empty = s.v.affine_to_empty && tl == 0;
    // The kernel computes unsigned: a negative sum is a huge one.
    if (empty ||
        static_cast<std::uint64_t>(100 * here) <= static_cast<std::uint64_t>(imbalance * there))
        return PlaceRule::kAffineBalanced;
    AffineQuestion rest = q;
    rest.load = static_cast<std::uint64_t>(load);
    if (is_light(s, rest, static_cast<std::uint64_t>(tl))) return PlaceRule::kAffineLight;
    return std::nullopt;
}

// V26 and later: balanced, then light. The overlap test inside V26's "balanced" branch only skips
// statistics.
std::optional<PlaceRule> balanced_rule(Sched& s, const AffineQuestion& q, bool sync) {
    if (!s.groups.empty() && s.v.groups != GroupRule::kFixedShares) return group_rule(s, q, sync);
    const std::uint64_t tl = load_without_waker(s, q, sync);
    const bool empty = s.v.affine_to_empty && tl == 0;
    if (empty || is_balanced(q, tl)) return PlaceRule::kAffineBalanced;
    if (is_light(s, q, tl)) return PlaceRule::kAffineLight;
    return std::nullopt;
}

// V32A+: overlaps decide what the hint is worth.
bool hint_by_overlap(const Sched& s, const AffineQuestion& q) {
    if (q.sync) return !(s.has(Feature::kSyncLess) && either_overlaps_long(s, q));
    return s.has(Feature::kSyncMore) && both_overlap_little(s, q);
}

// P4: a waker that several tasks take turns to preempt keeps its next wakees where they are until
// it has run for a while.
bool disperses(const Sched& s, const AffineQuestion& q) {
    if (!s.v.limits_preempters || !q.sync || q.waker == nullptr) return false;
    const Entity& waker = entity_of(*q.waker);
    if (waker.last_preempter == nullptr || waker.last_preempter == &entity_of(q.wakee))
        return false;
    return waker.sum_exec - waker.prev_sum < s.tune.preempter_disperse;
}

}  // namespace

std::uint64_t waker_weight(const AffineQuestion& q) {
    return q.waker != nullptr ? entity_of(*q.waker).load.weight : 0;
}

// All of this is unsigned in the kernel: a this_load below the waker's weight wraps, which keeps
// the sums right but makes "this_load <= load" false.
bool is_light(Sched& s, const AffineQuestion& q, std::uint64_t this_load) {
    if (this_load > q.load) return false;
    const std::uint64_t prev_load = target_load(s, s.rq(q.prev_cpu), q.domain.params.wake_idx);
    return this_load + prev_load <= avg_load_per_task(s, s.rq(q.this_cpu));
}

bool is_balanced(const AffineQuestion& q, std::uint64_t this_load) {
    const std::uint64_t with_wakee = this_load + entity_of(q.wakee).load.weight;
    return 100 * with_wakee <= placement_imbalance(q.domain) * q.load;
}

std::optional<PlaceRule> wake_affine(Sched& s, const AffineQuestion& q) {
    if (!q.domain.has(kWakeAffine) || !s.has(Feature::kAffineWakeups)) return std::nullopt;
    if (disperses(s, q)) return std::nullopt;
    switch (s.v.affine) {
        case AffineRule::kOverlapShortcut:
            return shortcut_rule(s, q);
        case AffineRule::kBalanced:
            return balanced_rule(s, q, q.sync);
        case AffineRule::kOverlapLimitsSync:
            return balanced_rule(s, q, q.sync && !either_overlaps_long(s, q));
        case AffineRule::kSyncLessMore:
            break;
    }
    return balanced_rule(s, q, hint_by_overlap(s, q));
}

}  // namespace wakelab::policy::cfs
