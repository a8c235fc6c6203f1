#include "policy/families.hpp"

namespace wakelab::policy {

void append_o1(std::vector<SchedulerInfo>& table) { (void)table; }

}  // namespace wakelab::policy
