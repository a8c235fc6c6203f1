#include "policy/o1/balance_self.hpp"

#include <algorithm>
#include <limits>

#include "policy/o1/load.hpp"

namespace wakelab::policy::o1 {

namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

// Half of the balancer's tolerance.
std::uint64_t tolerated_percent(const SchedDomain& sd) {
    return 100 + (sd.params.imbalance_pct - 100) / 2;
}

// find_idlest_group(): null when the group of `cpu` is idle enough.
const SchedGroup* find_idlest_group(const State& s, const SchedDomain& sd, const SchedTask& p,
                                    CpuId cpu) {
    const std::uint32_t idx = sd.params.forkexec_idx;
    const SchedGroup* idlest = nullptr;
    std::uint64_t this_load = 0;
    std::uint64_t min_load = kMost;
    for (const SchedGroup& group : sd.groups) {
        if (std::ranges::none_of(group.cpus, [&](CpuId c) { return p.allowed.test(c); })) continue;
        const bool local = group.mask.test(cpu);
        std::uint64_t sum = 0;
        for (const CpuId c : group.cpus)
            sum += local ? source_load(s, c, idx) : target_load(s, c, idx);
        const std::uint64_t average = sum * kLoadScale / group.power;
        if (local) {
            this_load = average;
        } else if (average < min_load) {
            min_load = average;
            idlest = &group;
        }
    }
    const bool local_will_do = 100 * this_load < tolerated_percent(sd) * min_load;
    return idlest == nullptr || local_will_do ? nullptr : idlest;
}

// find_idlest_cpu(): the least loaded allowed CPU; `cpu` among equals, else the first.
CpuId find_idlest_cpu(const State& s, const SchedGroup& group, const SchedTask& p, CpuId cpu) {
    CpuId idlest = kNoCpu;
    std::uint64_t min_load = kMost;
    for (const CpuId c : group.cpus) {
        if (!p.allowed.test(c)) continue;
        const std::uint64_t load = source_load(s, c, 0);
        if (load < min_load || (load == min_load && c == cpu)) {
            min_load = load;
            idlest = c;
        }
    }
    return idlest;
}

// 2.6.9 looks at the highest level only, and counts the task that execs twice: a CPU must be idler
// than this one would be with another task.
CpuId exec_by_lightest(const State& s, const SchedTask& p) {
    constexpr std::uint32_t kAverage = 1;  // the only cpu_load of 2.6.9
    if (s.rq(p.cpu).nr_running <= 1) return p.cpu;
    const SchedDomain* top = nullptr;
    for (const SchedDomain& sd : s.domains[p.cpu.v])
        if (sd.has(kBalanceExec)) top = &sd;
    if (top == nullptr) return p.cpu;
    CpuId lightest = kNoCpu;
    std::uint64_t min_load = kMost;
    for (const CpuId c : top->cpus) {
        const std::uint64_t load = target_load(s, c, kAverage);
        if (!p.allowed.test(c) || load >= min_load) continue;
        min_load = load;
        lightest = c;
    }
    const std::uint64_t this_load = source_load(s, p.cpu, kAverage) + kLoadScale;
    const bool worth_it = min_load * tolerated_percent(*top) < this_load * 100;
    return worth_it && lightest.valid() ? lightest : p.cpu;
}

}  // namespace

CpuId sched_balance_self(const State& s, const SchedTask& p, CpuId cpu, std::uint32_t flag) {
    // After a move the search goes on in the smaller levels of the new CPU.
    std::size_t size = std::numeric_limits<std::size_t>::max();
    std::size_t level = s.domains[cpu.v].size();
    while (level-- > 0) {
        const SchedDomain& sd = s.domains[cpu.v][level];
        if (sd.cpus.size() >= size || !sd.has(flag)) continue;
        const SchedGroup* group = find_idlest_group(s, sd, p, cpu);
        if (group == nullptr) continue;
        const CpuId chosen = find_idlest_cpu(s, *group, p, cpu);
        if (!chosen.valid() || chosen == cpu) continue;
        size = sd.cpus.size();
        cpu = chosen;
        level = s.domains[cpu.v].size();
    }
    return cpu;
}

CpuId sched_exec(const State& s, const SchedTask& p) {
    return s.version.exec_rule == ExecRule::kLightest
               ? exec_by_lightest(s, p)
               : sched_balance_self(s, p, p.cpu, kBalanceExec);
}

}  // namespace wakelab::policy::o1
