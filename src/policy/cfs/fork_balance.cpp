#include <limits>

#include "policy/cfs/cpu_load.hpp"
#include "policy/cfs/domain_levels.hpp"
#include "policy/cfs/placement.hpp"

namespace wakelab::policy::cfs {

namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

bool intersects(const SchedGroup& group, const topo::CpuMask& allowed) {
    for (const CpuId c : group.cpus)
        if (allowed.test(c)) return true;
    return false;
}

// find_idlest_group(): null when this CPU's own group is idle enough.
const SchedGroup* find_idlest_group(Sched& s, const SchedDomain& d, const SchedTask& p,
                                    CpuId this_cpu) {
    const std::uint32_t idx = d.params.forkexec_idx;
    const SchedGroup* idlest = nullptr;
    std::uint64_t this_load = 0;
    std::uint64_t min_load = kMost;
    for (const SchedGroup& g : d.groups) {
        if (!intersects(g, p.allowed)) continue;
        const bool local = g.mask.test(this_cpu);
        std::uint64_t sum = 0;
        for (const CpuId c : g.cpus)
            sum += local ? source_load(s, s.rq(c), idx) : target_load(s, s.rq(c), idx);
        const std::uint64_t average = sum * kNice0Load / g.power;
        if (local) {
            this_load = average;
        } else if (average < min_load) {
            min_load = average;
            idlest = &g;
        }
    }
    if (idlest == nullptr || 100 * this_load < placement_imbalance(d) * min_load) return nullptr;
    return idlest;
}

// find_idlest_cpu(): the lightest allowed CPU, this one among equals, else the lowest number.
CpuId find_idlest_cpu(Sched& s, const SchedGroup& group, const SchedTask& p, CpuId this_cpu) {
    CpuId idlest = kNoCpu;
    std::uint64_t min_load = kMost;
    for (const CpuId c : group.cpus) {
        if (!p.allowed.test(c)) continue;
        const std::uint64_t load = s.rq(c).load;
        if (load < min_load || (load == min_load && c == this_cpu)) {
            min_load = load;
            idlest = c;
        }
    }
    return idlest;
}

// How many levels, from the bottom, are searched. V32A: only those below the first one that prefers
// local and has CPUs to spare.
std::size_t searched_levels(Sched& s, CpuId cpu) {
    const std::span<SchedDomain> levels = s.rq(cpu).domains;
    for (std::size_t i = 0; i < levels.size(); ++i) {
        if (!levels[i].has(kPreferLocal)) continue;
        std::uint64_t power = 0;
        std::uint64_t tasks = 0;
        for (const SchedGroup& g : levels[i].groups) power += g.power;
        for (const CpuId c : levels[i].cpus) tasks += s.rq(c).cfs.nr_running;
        if (tasks < (power + kNice0Load / 2) / kNice0Load) return i;
    }
    return levels.size();
}

}  // namespace

CpuId sched_balance_self(Sched& s, const SchedTask& p, CpuId cpu, std::uint32_t flag) {
    // Levels still to be searched on the current candidate, from the top: those below `size` CPUs.
    std::size_t size = std::numeric_limits<std::size_t>::max();
    std::size_t level = searched_levels(s, cpu);
    while (level-- > 0) {
        const SchedDomain& d = s.rq(cpu).domains[level];
        if (d.cpus.size() >= size || !d.has(flag)) continue;
        const SchedGroup* group = find_idlest_group(s, d, p, cpu);
        if (group == nullptr) continue;
        const CpuId chosen = find_idlest_cpu(s, *group, p, cpu);
        if (chosen == kNoCpu || chosen == cpu) continue;
        size = d.cpus.size();
        cpu = chosen;
        level = s.rq(cpu).domains.size();
    }
    return cpu;
}

}  // namespace wakelab::policy::cfs
