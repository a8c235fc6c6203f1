// Time slices: NICE_TO_TICKS, and what a recalculation gives (goodness.md 2, 11).
#pragma once

#include "policy/goodness/state.hpp"

namespace wakelab::policy::goodness {

inline constexpr int kMaxDynPrio = 40;  // MAX_DYNPRIO

[[nodiscard]] constexpr int nice_to_ticks(int nice, std::uint32_t hz) {
    const int x = 20 - nice;
    if (hz < 200) return (x >> 2) + 1;
    if (hz < 400) return (x >> 1) + 1;
    if (hz < 800) return x + 1;
    if (hz < 1600) return (x << 1) + 1;
    return (x << 2) + 1;
}

// TS(nice) of dyn-sched; the values of the patch that -aa reworked.
[[nodiscard]] constexpr int dyn_slice(int nice, std::uint32_t hz) {
    const int ticks = (10'000 + 2051 * (19 - nice)) * static_cast<int>(hz) / 1'000'000;
    return ticks > 1 ? ticks : 1;
}

// A whole slice: what an RR task gets when its last one is used up.
[[nodiscard]] inline int full_slice(const State& s, const Entity& e) {
    const int nice = e.task->nice;
    return s.version.credit == Credit::kDynPrio ? dyn_slice(nice, s.hz) : nice_to_ticks(nice, s.hz);
}

// MAX_COUNTER: what a parent may have after its children returned theirs.
[[nodiscard]] constexpr int max_counter(std::uint32_t hz) {
    return 20 * static_cast<int>(hz) / 100;
}

// Nobody who may run has a tick left: new ones for all tasks in the system, half of the old ones
// kept, which is the only reward of sleepers; dyn-sched: for the queued tasks only.
inline void recalculate(State& s) {
    if (s.version.credit == Credit::kCounter) {
        for (Entity* e : s.tasks)
            e->counter = (e->counter >> 1) + nice_to_ticks(e->task->nice, s.hz);
        return;
    }
    ++s.rcl_curr;
    for (Entity* e = s.queue.head(); e != nullptr; e = e->next) {
        e->counter = dyn_slice(e->task->nice, s.hz);
        e->rcl_last = s.rcl_curr;
    }
}

}  // namespace wakelab::policy::goodness
