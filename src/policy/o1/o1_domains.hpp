// The scheduling domains an O(1) kernel builds on a machine, and its idea of cache-hot (o1.md 9).
#pragma once

#include <cstdint>
#include <vector>

#include "policy/domains.hpp"
#include "policy/o1/o1_version.hpp"
#include "topo/machine.hpp"

namespace wakelab::policy::o1 {

// cache_hot_time of a level that spans a cache and of the level that spans the machine.
struct HotTimes {
    std::int64_t mc_us = 0;
    std::int64_t cpu_us = 0;
};

// migration_cost= as the kernel measures it at boot, 2.6.16 and later (o1.md 9.2).
[[nodiscard]] HotTimes measured_hot_times(const topo::Machine& machine);
// cache_decay_ticks of an x86_64 kernel, 2.6.9 (o1.md 9.2); 0 there means 2.5 ms.
[[nodiscard]] std::int64_t cache_decay_ticks(const topo::Machine& machine, std::uint32_t hz);
[[nodiscard]] HotTimes hot_times_of_ticks(std::int64_t decay_ticks);

// [cpu][level, bottom up]; last_balance is left 0.
[[nodiscard]] std::vector<std::vector<SchedDomain>> o1_domains(DomainSet set,
                                                               const topo::Machine& machine,
                                                               const HotTimes& hot);

}  // namespace wakelab::policy::o1
