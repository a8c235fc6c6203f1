// The interactivity estimator: sleeping earns sleep_avg, running pays it back (o1.md 3).
#pragma once

#include <cstdint>

#include "policy/o1/state.hpp"

namespace wakelab::policy::o1 {

// Dynamic priority from sleep_avg; a real-time task keeps its own.
[[nodiscard]] int effective_prio(const State& s, const Entity& e);

// Credits the time from e.timestamp to `now` (ns); returns the new priority and leaves e.prio
// alone.
[[nodiscard]] int recalc_task_prio(const State& s, Entity& e, std::uint64_t now);

// What running from e.timestamp to `now` costs in sleep_avg.
[[nodiscard]] std::uint64_t run_time_of(const State& s, const Entity& e, std::uint64_t now);
void charge_run_time(const State& s, Entity& e, std::uint64_t run_time);

// What the task adds to raw_weighted_load, from policy, static_prio and rt_priority
// (o1.md 5.4, 5.6).
void set_load_weight(const State& s, Entity& e);

}  // namespace wakelab::policy::o1
