// The CPU selection of try_to_wake_up() (o1.md 5).
#pragma once

#include "policy/o1/state.hpp"

namespace wakelab::policy::o1 {

// Where the wakee `p` shall run; `rule` is the rule that decided.
[[nodiscard]] CpuId select_task_rq(State& s, SchedTask& p, const WakeContext& ctx, PlaceRule& rule);

}  // namespace wakelab::policy::o1
