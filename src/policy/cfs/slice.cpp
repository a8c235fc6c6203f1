#include <algorithm>

#include "policy/cfs/fair.hpp"

namespace wakelab::policy::cfs {

std::uint64_t sched_period(const Sched& s, std::uint64_t nr_running) {
    if (nr_running <= s.tune.nr_latency) return s.tune.latency;
    if (s.v.period == PeriodRule::kStretchLatency)
        return s.tune.latency * nr_running / s.tune.nr_latency;
    return s.tune.min_granularity * nr_running;
}

std::uint64_t sched_slice(const Sched& s, CfsRq& cfs, const Entity& se) {
    const std::uint64_t unqueued = se.on_rq ? 0 : 1;
    switch (s.v.slice) {
        case SliceRule::kDivide:
            return sched_period(s, cfs.nr_running) * se.load.weight / cfs.load.weight;
        case SliceRule::kMultiply:
            return cdm(sched_period(s, cfs.nr_running), se.load.weight, cfs.load, s.v.inverse);
        case SliceRule::kProjectedCount:
            break;
        case SliceRule::kProjectedWeights:
            if (unqueued == 0) break;
            LoadWeight load = cfs.load;
            load.add(se.load.weight);
            return cdm(sched_period(s, cfs.nr_running + 1), se.load.weight, load, s.v.inverse);
    }
    return cdm(sched_period(s, cfs.nr_running + unqueued), se.load.weight, cfs.load, s.v.inverse);
}

std::uint64_t sched_vslice(const Sched& s, CfsRq& cfs, Entity& se) {
    const bool add = s.v.vslice == VsliceRule::kQueueShare || !se.on_rq;
    const std::uint64_t period = sched_period(s, cfs.nr_running + (add ? 1 : 0));
    switch (s.v.vslice) {
        case VsliceRule::kQueueShare:
        case VsliceRule::kQueueShareIfNew:
            return period * kNice0Load / (cfs.load.weight + (add ? se.load.weight : 0));
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
            std::uint64_t queue = cfs.load.weight;
            LoadWeight divisor = curr.load;
            const bool lifts =
                s.v.granularity == GranularityRule::kQueueWeight || s.has(Feature::kAsymGran);
            if (lifts && divisor.weight < kNice0Load) {
                if (s.v.granularity == GranularityRule::kQueueWeightLifted)
                    queue += kNice0Load - divisor.weight;
                divisor = {kNice0Load, kNice0Inverse};
            }
            return cdm(gran, queue, divisor, s.v.inverse);
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
