// A scheduler for people and for programs.
#pragma once

#include <string>

#include "policy/registry.hpp"

namespace wakelab::report {

// Kernel, summary, features, tunables as on `machine`, build options of that kernel.
[[nodiscard]] std::string scheduler_text(const policy::SchedulerInfo& info,
                                         const topo::Machine& machine);
// "name", "kernel", "summary", "machine", "features" [{"name", "bit", "on", "meaning",
// "wired": changing it can change a run}],
// "tunables" [{"name", "value", "min", "max", "unit", "meaning"}], "build" {OPTION: value}.
[[nodiscard]] std::string scheduler_json(const policy::SchedulerInfo& info,
                                         const topo::Machine& machine);

}  // namespace wakelab::report
