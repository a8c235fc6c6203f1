#include "policy/o1/balance_self.hpp"

#include <limits>

#include "policy/idlest.hpp"
#include "policy/o1/load.hpp"

namespace wakelab::policy::o1 {

namespace {

struct Loads {
    static constexpr std::uint64_t kUnitPower = kLoadScale;
    const State& s;

    [[nodiscard]] std::span<const SchedDomain> domains(CpuId cpu) const {
        return s.domains[cpu.v];
    }
    [[nodiscard]] std::uint64_t source_load(CpuId cpu, std::uint32_t idx) const {
        return o1::source_load(s, cpu, idx);
    }
    [[nodiscard]] std::uint64_t target_load(CpuId cpu, std::uint32_t idx) const {
        return o1::target_load(s, cpu, idx);
    }
    [[nodiscard]] std::uint64_t weighted_cpuload(CpuId cpu) const { return source_load(cpu, 0); }
};

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
    std::uint64_t min_load = std::numeric_limits<std::uint64_t>::max();
    for (const CpuId c : top->cpus) {
        const std::uint64_t load = target_load(s, c, kAverage);
        if (!p.allowed.test(c) || load >= min_load) continue;
        min_load = load;
        lightest = c;
    }
    const std::uint64_t this_load = source_load(s, p.cpu, kAverage) + kLoadScale;
    const bool worth_it = min_load * placement_imbalance(*top) < this_load * 100;
    return worth_it && lightest.valid() ? lightest : p.cpu;
}

}  // namespace

CpuId sched_balance_self(const State& s, const SchedTask& p, CpuId cpu, std::uint32_t flag) {
    return find_idlest(Loads{s}, p, cpu, flag, s.domains[cpu.v].size());
}

CpuId sched_exec(const State& s, const SchedTask& p) {
    return s.version.exec_rule == ExecRule::kLightest
               ? exec_by_lightest(s, p)
               : sched_balance_self(s, p, p.cpu, kBalanceExec);
}

}  // namespace wakelab::policy::o1
