// A machine for people and for programs.
#pragma once

#include <string>

#include "topo/machine.hpp"

namespace wakelab::report {

// The tree of caches and CPUs, then every cost with unit and meaning.
[[nodiscard]] std::string machine_text(const topo::Machine& machine);
// "name", "summary", "vendor", "cpus", "l1_kib", "caches" [{"size_bytes", "cpus"}],
// "user_time_permille", "costs" {NAME: {"value", "unit", "meaning"}}.
[[nodiscard]] std::string machine_json(const topo::Machine& machine);

}  // namespace wakelab::report
