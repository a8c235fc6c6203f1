// Where a new or exec'ing task goes: sched_balance_self() of 2.6.13 .. 2.6.32, which O(1) and CFS
// share (o1.md 8.6, cfs.md 6.7). The families differ in how they weigh a CPU.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "policy/domains.hpp"
#include "policy/task.hpp"

namespace wakelab::policy {

// A family's view of its CPUs. `idx` is a level's forkexec_idx; loads are in units of kUnitPower.
template <class L>
concept CpuLoads = requires(const L& loads, CpuId cpu, std::uint32_t idx) {
    { L::kUnitPower } -> std::convertible_to<std::uint64_t>;
    { loads.domains(cpu) } -> std::convertible_to<std::span<const SchedDomain>>;
    { loads.source_load(cpu, idx) } -> std::convertible_to<std::uint64_t>;
    { loads.target_load(cpu, idx) } -> std::convertible_to<std::uint64_t>;
    { loads.weighted_cpuload(cpu) } -> std::convertible_to<std::uint64_t>;
};

// find_idlest_group(): null when the group of `cpu` is idle enough.
template <CpuLoads L>
[[nodiscard]] const SchedGroup* find_idlest_group(const L& loads, const SchedDomain& sd,
                                                  const SchedTask& p, CpuId cpu) {
    const std::uint32_t idx = sd.params.forkexec_idx;
    const SchedGroup* idlest = nullptr;
    std::uint64_t this_load = 0;
    std::uint64_t min_load = std::numeric_limits<std::uint64_t>::max();
    for (const SchedGroup& group : sd.groups) {
        if (std::ranges::none_of(group.cpus, [&](CpuId c) { return p.allowed.test(c); })) continue;
        const bool local = group.mask.test(cpu);
        std::uint64_t sum = 0;
        for (const CpuId c : group.cpus)
            sum += local ? loads.source_load(c, idx) : loads.target_load(c, idx);
        const std::uint64_t average = sum * L::kUnitPower / group.power;
        if (local) {
            this_load = average;
        } else if (average < min_load) {
            min_load = average;
            idlest = &group;
        }
    }
    const bool local_will_do = 100 * this_load < placement_imbalance(sd) * min_load;
    return idlest == nullptr || local_will_do ? nullptr : idlest;
}

// find_idlest_cpu(): the least loaded allowed CPU; `cpu` among equals, else the first.
template <CpuLoads L>
[[nodiscard]] CpuId find_idlest_cpu(const L& loads, const SchedGroup& group, const SchedTask& p,
                                    CpuId cpu) {
    CpuId idlest = kNoCpu;
    std::uint64_t min_load = std::numeric_limits<std::uint64_t>::max();
    for (const CpuId c : group.cpus) {
        if (!p.allowed.test(c)) continue;
        const std::uint64_t load = loads.weighted_cpuload(c);
        if (load < min_load || (load == min_load && c == cpu)) {
            min_load = load;
            idlest = c;
        }
    }
    return idlest;
}

// sched_balance_self(): the idlest allowed CPU of the idlest group, level by level from the top,
// among the levels that have `flag` (kBalanceExec, kBalanceFork); the first search starts below
// `level`. Returns `cpu` when nothing is enough idler.
template <CpuLoads L>
[[nodiscard]] CpuId find_idlest(const L& loads, const SchedTask& p, CpuId cpu, std::uint32_t flag,
                                std::size_t level) {
    // After a move the search goes on in the smaller levels of the new CPU.
    std::size_t size = std::numeric_limits<std::size_t>::max();
    while (level-- > 0) {
        const SchedDomain& sd = loads.domains(cpu)[level];
        if (sd.cpus.size() >= size || !sd.has(flag)) continue;
        const SchedGroup* group = find_idlest_group(loads, sd, p, cpu);
        if (group == nullptr) continue;
        const CpuId chosen = find_idlest_cpu(loads, *group, p, cpu);
        if (!chosen.valid() || chosen == cpu) continue;
        size = sd.cpus.size();
        cpu = chosen;
        level = loads.domains(cpu).size();
    }
    return cpu;
}

}  // namespace wakelab::policy
