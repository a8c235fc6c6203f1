// The families of schedulers; each appends its rows to the registry, oldest first.
#pragma once

#include <vector>

#include "policy/registry.hpp"

namespace wakelab::policy {

void append_o1(std::vector<SchedulerInfo>& table);
void append_cfs(std::vector<SchedulerInfo>& table);

}  // namespace wakelab::policy
