// Moving queued tasks between runqueues (o1.md 8.2).
#pragma once

#include <cstdint>

#include "policy/o1/state.hpp"

namespace wakelab::policy::o1 {

struct MoveRequest {
    CpuId to;
    CpuId from;
    std::uint64_t max_tasks = 1;
    std::uint64_t max_weight = ~0ull;  // budget in load_weight; only with weighted load
    IdleType idle = IdleType::kIdle;
};

struct MoveResult {
    std::uint32_t moved = 0;
    bool all_pinned = false;  // every task seen is forbidden on the destination
};

MoveResult move_tasks(State& s, const SchedDomain& sd, const MoveRequest& request);

}  // namespace wakelab::policy::o1
