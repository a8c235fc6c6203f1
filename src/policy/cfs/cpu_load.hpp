// Load numbers of a CPU that placement and balancing compare (cfs.md 1.6).
#pragma once

#include <algorithm>

#include "policy/cfs/load_stat.hpp"
#include "policy/cfs/sched.hpp"

namespace wakelab::policy::cfs {

// Folds the load `now` into the averages. `rounds_up`: a rising average reaches the load.
inline void average_cpu_load(Rq& rq, std::uint64_t now, bool rounds_up) {
    for (unsigned i = 0; i < rq.cpu_load.size(); ++i) {
        const std::uint64_t old_weight = (std::uint64_t{1} << i) - 1;
        const std::uint64_t old = rq.cpu_load[i];
        std::uint64_t load = now;
        if (rounds_up && load > old) load += old_weight;
        rq.cpu_load[i] = (old * old_weight + load) >> i;
    }
}

// update_cpu_load(), once per tick. A tick-less CPU keeps the values of its last tick.
inline void update_cpu_load(const Sched& s, Rq& rq) {
    const std::uint64_t load = s.has(Feature::kPreciseCpuLoad) ? take_average_load(s, rq) : rq.load;
    average_cpu_load(rq, load, s.v.cpu_load_rounds_up);
}

// A cautious view of a CPU that tasks might be taken from: the lower of history and now.
inline std::uint64_t source_load(const Sched& s, const Rq& rq, std::uint32_t idx) {
    if (idx == 0 || !s.has(Feature::kLbBias)) return rq.load;
    return std::min(rq.cpu_load[idx - 1], rq.load);
}

// A cautious view of a CPU that would receive tasks: the higher of history and now.
inline std::uint64_t target_load(const Sched& s, const Rq& rq, std::uint32_t idx) {
    if (idx == 0 || !s.has(Feature::kLbBias)) return rq.load;
    return std::max(rq.cpu_load[idx - 1], rq.load);
}

// cpu_avg_load_per_task()
inline std::uint64_t avg_load_per_task(const Sched& s, Rq& rq) {
    if (rq.nr_running != 0) return rq.last_task_average = rq.load / rq.nr_running;
    switch (s.v.balance.empty_average) {
        case EmptyAverage::kOneTask:
            return kNice0Load;
        case EmptyAverage::kLastComputed:
            return rq.last_task_average;
        case EmptyAverage::kZero:
            break;
    }
    return rq.last_task_average = 0;
}

}  // namespace wakelab::policy::cfs
