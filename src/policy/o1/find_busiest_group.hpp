// Which group of a domain to pull from, and how much (o1.md 8.3, 8.4).
#pragma once

#include <cstdint>

#include "policy/o1/state.hpp"

namespace wakelab::policy::o1 {

struct BusiestGroup {
    const SchedGroup* group = nullptr;  // null: balanced
    std::uint64_t imbalance = 0;        // tasks; weight in versions with weighted load
    bool may_balance = true;            // false: another CPU of the local group is the balancer
    bool all_idle = true;               // no busy CPU was seen in the domain
};

struct BalanceRequest {
    CpuId this_cpu;
    IdleType idle = IdleType::kIdle;
    topo::CpuMask excluded;  // CPUs whose tasks turned out to be unmovable
};

[[nodiscard]] BusiestGroup find_busiest_group(const State& s, const SchedDomain& sd,
                                              const BalanceRequest& request);

// CPU to pull from; kNoCpu: none has enough.
[[nodiscard]] CpuId find_busiest_queue(const State& s, const BusiestGroup& busiest,
                                       const BalanceRequest& request);

}  // namespace wakelab::policy::o1
