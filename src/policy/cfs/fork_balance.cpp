#include "policy/cfs/cpu_load.hpp"
#include "policy/cfs/domain_levels.hpp"
#include "policy/cfs/placement.hpp"
#include "policy/idlest.hpp"

namespace wakelab::policy::cfs {

namespace {

struct Loads {
    static constexpr std::uint64_t kUnitPower = kNice0Load;
    Sched& s;

    [[nodiscard]] std::span<const SchedDomain> domains(CpuId cpu) const {
        return s.rq(cpu).domains;
    }
    [[nodiscard]] std::uint64_t source_load(CpuId cpu, std::uint32_t idx) const {
        return cfs::source_load(s, s.rq(cpu), idx);
    }
    [[nodiscard]] std::uint64_t target_load(CpuId cpu, std::uint32_t idx) const {
        return cfs::target_load(s, s.rq(cpu), idx);
    }
    [[nodiscard]] std::uint64_t weighted_cpuload(CpuId cpu) const { return s.rq(cpu).load; }
};

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
    return find_idlest(Loads{s}, p, cpu, flag, searched_levels(s, cpu));
}

}  // namespace wakelab::policy::cfs
