#include "policy/families.hpp"

namespace wakelab::policy {

void append_cfs(std::vector<SchedulerInfo>& table) { (void)table; }

}  // namespace wakelab::policy
