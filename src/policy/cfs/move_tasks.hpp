// Which tasks of a busy queue the balancer takes (cfs.md 6.3): order, size, cache heat, groups.
#pragma once

#include "policy/cfs/balance.hpp"

namespace wakelab::policy::cfs {

// One attempt to take load from `busiest`.
struct Move {
    Rq& busiest;
    Rq& to;
    const SchedDomain& domain;
    IdleType idle;
    bool all_pinned = false;  // no task offered may run here
};

// move_tasks(): whether anything of at most `max_load` moved.
bool move_tasks(Sched& s, Move& m, std::uint64_t max_load);
// Active balancing: the first task that may move, of whatever size.
bool move_one_task(Sched& s, Move& m);

}  // namespace wakelab::policy::cfs
