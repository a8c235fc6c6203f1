// The per-CPU runqueue clock and when it moves (cfs.md 1.5).
#pragma once

#include <algorithm>

#include "policy/cfs/sched.hpp"

namespace wakelab::policy::cfs {

// V23..V25: follows sched_clock() of its own CPU, never backwards, at most one tick past the last
// tick.
inline void advance_local_clock(Sched& s, Rq& rq) {
    const std::uint64_t raw = static_cast<std::uint64_t>(s.host.now().ns);
    const std::uint64_t next = rq.clock + (raw - rq.clock_raw);
    // Tick-less idle time is added when it ends, as if the ticks had happened.
    if (s.nohz.tickless.test(rq.cpu) && next > rq.tick_timestamp)
        rq.tick_timestamp += (next - rq.tick_timestamp) / s.tick * s.tick;
    const std::uint64_t limit = rq.tick_timestamp + s.tick;
    if (before(raw, rq.clock_raw) || (next > limit && rq.clock >= limit))
        rq.clock += 1;
    else
        rq.clock = std::min(next, limit);
    rq.clock_raw = raw;
}

// update_rq_clock()
inline void update_rq_clock(Sched& s, Rq& rq) {
    if (s.v.clock == ClockRule::kOwnCpuOnly) {
        if (rq.cpu == s.this_cpu) advance_local_clock(s, rq);
        return;
    }
    rq.clock = std::max(rq.clock, static_cast<std::uint64_t>(s.host.now().ns));
}

// Clock part of scheduler_tick(), on the CPU itself.
inline void tick_rq_clock(Sched& s, Rq& rq) {
    update_rq_clock(s, rq);
    if (s.v.clock != ClockRule::kOwnCpuOnly) return;
    // A tick has passed, whatever the clock source says.
    rq.clock = std::max(rq.clock, rq.tick_timestamp + s.tick);
    rq.tick_timestamp = rq.clock;
}

}  // namespace wakelab::policy::cfs
