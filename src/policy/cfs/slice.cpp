#include <algorithm>

#include "policy/cfs/fair.hpp"

namespace wakelab::policy::cfs {

std::uint64_t sched_period(const Sched& s, std::uint64_t nr_running) {
    if (nr_running <= s.tune.nr_latency) return s.tune.latency;
    if (s.v.period == PeriodRule::kStretchLatency)
        return s.tune.latency * nr_running / s.tune.nr_latency;
    return s.tune.min_granularity * nr_running;
}

namespace {

// Scales `period` by the share of se in its queue and, if asked, of its groups in theirs.
std::uint64_t divided_share(std::uint64_t period, const Entity& se, bool every_level) {
    const Entity* e = &se;
    do {
        period = period * e->load.weight / e->cfs->load.weight;
        e = e->parent;
    } while (every_level && e != nullptr);
    return period;
}

// The same by calc_delta_mine(). `with_unqueued`: an entity not queued yet weighs on its queue,
// too.
std::uint64_t multiplied_share(const Sched& s, std::uint64_t period, const Entity& se,
                               bool every_level, bool with_unqueued) {
    const Entity* e = &se;
    do {
        if (with_unqueued && !e->on_rq) {
            LoadWeight load = e->cfs->load;
            load.add(e->load.weight);
            period = cdm(period, e->load.weight, load, s.v.inverse);
        } else {
            period = cdm(period, e->load.weight, e->cfs->load, s.v.inverse);
        }
        e = e->parent;
    } while (every_level && e != nullptr);
    return period;
}

}  // namespace

std::uint64_t sched_slice(const Sched& s, const CfsRq& cfs, const Entity& se) {
    // 2.6.24 and 2.6.25 look at the entity's own queue only (cfs.md 2.3).
    const bool every_level = !s.v.root_is_a_group;
    const std::uint64_t unqueued = se.on_rq ? 0 : 1;
    switch (s.v.slice) {
        case SliceRule::kDivide:
            return divided_share(sched_period(s, cfs.nr_running), se, every_level);
        case SliceRule::kMultiply:
            return multiplied_share(s, sched_period(s, cfs.nr_running), se, every_level, false);
        case SliceRule::kProjectedCount:
        case SliceRule::kProjectedWeights:
            break;
    }
    return multiplied_share(s, sched_period(s, cfs.nr_running + unqueued), se, true,
                            s.v.slice == SliceRule::kProjectedWeights);
}

std::uint64_t sched_vslice(const Sched& s, const CfsRq& cfs, Entity& se) {
    const bool add = s.v.vslice == VsliceRule::kQueueShare || !se.on_rq;
    std::uint64_t period = sched_period(s, cfs.nr_running + (add ? 1 : 0));
    switch (s.v.vslice) {
        case VsliceRule::kQueueShare:
            return period * kNice0Load / (cfs.load.weight + se.load.weight);
        case VsliceRule::kQueueShareIfNew:
            for (const Entity* e = &se; e != nullptr; e = e->parent)
                period =
                    period * kNice0Load / (e->cfs->load.weight + (e->on_rq ? 0 : e->load.weight));
            return period;
        case VsliceRule::kWholePeriod:
            return period;
        case VsliceRule::kFairSlice:
            break;
    }
    return fair_delta(sched_slice(s, cfs, se), se.load);
}

std::uint64_t wakeup_gran(const Sched& s, CfsRq& cfs, Entity& curr, Entity& wakee) {
    std::uint64_t gran = s.tune.wakeup_granularity;
    switch (s.v.granularity) {
        case GranularityRule::kCurrWeight:
            return fair_delta(gran, curr.load);
        case GranularityRule::kCurrHeavy:
            return curr.load.weight > kNice0Load ? fair_delta(gran, curr.load) : gran;
        case GranularityRule::kQueueWeight:
        case GranularityRule::kQueueWeightLifted: {
            // A light curr counts as nice 0, V27 then also in the queue's weight.
            const bool lifts =
                s.v.granularity == GranularityRule::kQueueWeight || s.has(Feature::kAsymGran);
            for (Entity* e = &curr; e != nullptr; e = e->parent) {
                std::uint64_t queue = e->cfs->load.weight;
                LoadWeight divisor = e->load;
                if (lifts && divisor.weight < kNice0Load) {
                    if (s.v.granularity == GranularityRule::kQueueWeightLifted)
                        queue += kNice0Load - divisor.weight;
                    divisor = {kNice0Load, kNice0Inverse};
                }
                gran = cdm(gran, queue, divisor, s.v.inverse);
            }
            return gran;
        }
        case GranularityRule::kCurrHeavyFeature:
            if (!s.has(Feature::kAsymGran) || curr.load.weight > kNice0Load)
                return fair_delta(gran, curr.load);
            return gran;
        case GranularityRule::kWakeeWeight:
            break;
    }
    if (cfs.curr != nullptr && s.has(Feature::kAdaptiveGran)) {
        const std::uint64_t ran = curr.sum_exec - curr.prev_sum;
        const std::uint64_t expected = 2 * wakee.avg_wakeup * cfs.nr_running;
        gran = std::min(ran < expected ? expected - ran : 0, gran);
    }
    return fair_delta(gran, s.has(Feature::kAsymGran) ? wakee.load : curr.load);
}

int wakeup_preempt_entity(const Sched& s, CfsRq& cfs, Entity& curr, Entity& wakee) {
    const std::uint64_t lead = curr.vruntime - wakee.vruntime;
    if (s.v.preempt_test == PreemptTest::kUnsigned)
        return wakee.vruntime + wakeup_gran(s, cfs, curr, wakee) < curr.vruntime ? 1 : 0;
    const auto signed_lead = static_cast<std::int64_t>(lead);
    if (signed_lead < 0) return -1;
    if (signed_lead == 0 && s.v.preempt_test == PreemptTest::kStrictlyAhead) return -1;
    return signed_lead > static_cast<std::int64_t>(wakeup_gran(s, cfs, curr, wakee)) ? 1 : 0;
}

}  // namespace wakelab::policy::cfs
