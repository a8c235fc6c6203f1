// The time-averaged CPU load of 2.6.23 (cfs.md 2.11.5, PRECISE_CPU_LOAD).
#pragma once

#include <cstdint>

#include "policy/cfs/sched.hpp"

namespace wakelab::policy::cfs {

// update_curr_load(): accounts the time the present load has lasted; before the load changes.
void update_curr_load(const Sched& s, Rq& rq);

// Load of the busy time since the last tick times the share of it, and starts anew.
[[nodiscard]] std::uint64_t take_average_load(const Sched& s, Rq& rq);

}  // namespace wakelab::policy::cfs
