#include "policy/cfs/fair.hpp"

namespace wakelab::policy::cfs {

namespace {

// V24: the queue's minimum, or an idea of its middle (TREE_AVG, APPROX_AVG).
std::uint64_t minimum_or_average(const Sched& s, CfsRq& cfs) {
    std::uint64_t v = cfs.min_vruntime;
    if (s.has(Feature::kTreeAvg)) {
        if (const Entity* right = cfs.rightmost()) v = (v + right->vruntime) >> 1;
    } else if (s.has(Feature::kApproxAvg) && cfs.nr_running != 0) {
        v += sched_period(s, cfs.nr_running) * kNice0Load / cfs.load.weight / 2;
    }
    return v;
}

std::uint64_t place_base(const Sched& s, CfsRq& cfs) {
    switch (s.v.place_base) {
        case PlaceBase::kMinVruntimeOrAverage:
            return minimum_or_average(s, cfs);
        case PlaceBase::kLeftmost:
            if (const Entity* left = cfs.leftmost())
                return vruntime_min(cfs.min_vruntime, left->vruntime);
            break;
        case PlaceBase::kMinVruntime:
            break;
    }
    return cfs.min_vruntime;
}

std::uint64_t sleeper_credit(const Sched& s, Entity& se) {
    if (!s.has(Feature::kNewFairSleepers) && !s.has(Feature::kFairSleepers)) return 0;
    // 2.6.24 credits tasks only (cfs.md 2.4).
    if (s.v.place_base == PlaceBase::kMinVruntimeOrAverage && !is_task(se)) return 0;
    std::uint64_t credit = s.tune.latency;
    if (s.has(Feature::kNormalizedSleeper)) {
        switch (s.v.credit) {
            case CreditRule::kPlain:
                break;
            case CreditRule::kQueueWeight:
                credit = queue_weighted(s, credit, se);
                break;
            case CreditRule::kOwnWeightNotIdle:
                if (is_task(se) && se.task->policy == SchedPolicy::kIdle) break;
                [[fallthrough]];
            case CreditRule::kOwnWeight:
                credit = fair_delta(credit, se.load);
                break;
        }
    }
    return s.has(Feature::kGentleFairSleepers) ? credit >> 1 : credit;
}

}  // namespace

void place_entity(const Sched& s, CfsRq& cfs, Entity& se, bool initial) {
    std::uint64_t v = place_base(s, cfs);
    if (initial && s.has(Feature::kStartDebit)) v += sched_vslice(s, cfs, se);
    if (!initial) v -= sleeper_credit(s, se);
    // A sleeper never gains by being placed; up to 2.6.31 a new task is simply put there.
    if (!initial || s.v.place_never_back) v = vruntime_max(se.vruntime, v);
    se.vruntime = v;
}

}  // namespace wakelab::policy::cfs
