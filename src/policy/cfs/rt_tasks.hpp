// Real-time tasks above CFS, as far as fair tasks notice them: they run first, weigh heavily in CPU
// loads, and share the CPU with their peers in round-robin slices. rt_balance.hpp spreads them over CPUs.
#pragma once

#include "policy/cfs/sched.hpp"

namespace wakelab::policy::cfs {

inline constexpr std::uint32_t kRrSliceMs = 100;

inline void update_curr_rt(Rq& rq, Entity& se) {
    se.sum_exec += rq.clock - se.exec_start;
    se.exec_start = rq.clock;
}

inline void set_next_rt(Rq& rq, Entity& se) {
    se.exec_start = rq.clock;
    se.prev_sum = se.sum_exec;
}

inline void put_prev_rt(Rq& rq, Entity& se) {
    update_curr_rt(rq, se);
}

inline void task_tick_rt(Sched& s, Rq& rq, Entity& se, bool queued) {
    update_curr_rt(rq, se);
    if (queued || se.task->policy != SchedPolicy::kRr) return;
    const std::uint32_t slice = kRrSliceMs * s.kernel.hz / 1000;
    if (se.rt.slice_ticks == 0) se.rt.slice_ticks = slice;
    if (--se.rt.slice_ticks != 0) return;
    se.rt.slice_ticks = slice;
    if (!rq.rt.has_peer(se.rt)) return;
    rq.rt.requeue(se.rt);
    s.host.resched(rq.cpu);
}

}  // namespace wakelab::policy::cfs
