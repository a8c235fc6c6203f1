// The families of schedulers; each appends its rows to the registry, oldest first.
#pragma once

#include <string_view>
#include <vector>

#include "policy/registry.hpp"

namespace wakelab::policy {

void append_goodness(std::vector<SchedulerInfo>& table);
void append_o1(std::vector<SchedulerInfo>& table);
void append_cfs(std::vector<SchedulerInfo>& table);
// A row of append_cfs with patches: "cfs-2.6.25+P5". Errors as find_scheduler's.
[[nodiscard]] Result<const SchedulerInfo*> find_patched_cfs(std::string_view name);

}  // namespace wakelab::policy
