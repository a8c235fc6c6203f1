#include "policy/cfs/cfs_domains.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace wakelab::policy::cfs {

namespace {

constexpr std::int64_t kFlagsMax = 65'535;

std::string flags_name(std::size_t level) {
    return fmt::format("sched_domain.domain{}.flags", level);
}

std::string_view flags_meaning(LevelKind kind) {
    switch (kind) {
        case LevelKind::kSmt:
            return "SMT, threads of a core: SD_* bits; 2 NEWIDLE, 32 WAKE_AFFINE, 64 WAKE_BALANCE";
        case LevelKind::kMc:
            return "MC, CPUs that share a cache: SD_* bits; 2 NEWIDLE, 32 WAKE_AFFINE, 64 "
                   "WAKE_BALANCE";
        case LevelKind::kCpu:
            return "CPU, a node or the machine: SD_* bits; 2 NEWIDLE, 32 WAKE_AFFINE, 64 "
                   "WAKE_BALANCE";
        case LevelKind::kNode:
            break;
    }
    return "NODE, all nodes: SD_* bits; 2 NEWIDLE, 32 WAKE_AFFINE, 64 WAKE_BALANCE";
}

// The machine with the caches that `version` finds. AMD CPUs of that age have private ones; the
// kernel first saw no common one, from 2.6.31 on it takes the package for it (cfs.md 6.6). With
// private caches only, a node is one package.
topo::Machine seen_by(const CfsVersion& version, topo::Machine machine) {
    const bool all_private = std::ranges::all_of(
        machine.caches, [](const topo::Cache& c) { return c.cpus.size() == 1; });
    if (!version.amd_package_is_cache || machine.vendor != "amd" || !all_private) return machine;
    std::vector<topo::Cache> packages;
    for (const std::vector<CpuId>& node : machine.nodes)
        packages.push_back({.size_bytes = 0, .cpus = node});
    if (packages.empty()) {
        packages.emplace_back();
        for (std::uint32_t c = 0; c < machine.cpus; ++c) packages[0].cpus.push_back(CpuId{c});
    }
    machine.caches = std::move(packages);
    return machine;
}

}  // namespace

std::uint64_t power_of_cpu(const topo::Machine& machine, CpuId cpu) {
    constexpr std::uint64_t kSmtGain = 1178;
    for (const auto& core : machine.smt)
        if (std::ranges::find(core, cpu) != core.end()) return kSmtGain / core.size();
    return kNice0Load;
}

Domains make_domains(const CfsVersion& version, const topo::Machine& machine) {
    Domains domains = build_domains(seen_by(version, machine), version.levels, kNice0Load);
    if (!version.power_is_sum) return domains;
    for (auto& levels_of_cpu : domains)
        for (SchedDomain& d : levels_of_cpu)
            for (SchedGroup& g : d.groups) {
                g.power = 0;
                for (const CpuId c : g.cpus) g.power += power_of_cpu(machine, c);
            }
    return domains;
}

void append_flag_tunables(const CfsVersion& version, const topo::Machine& machine,
                          std::vector<TunableInfo>& tunables) {
    const std::vector<LevelParams> levels =
        levels_of_cpu(seen_by(version, machine), version.levels, CpuId{0});
    for (std::size_t level = 0; level < levels.size(); ++level)
        tunables.push_back({flags_name(level), levels[level].flags, 0, kFlagsMax, "mask",
                            flags_meaning(levels[level].kind)});
}

void apply_flag_tunables(const SchedulerConfig& config, Domains& domains) {
    const std::size_t levels = domains[0].size();
    for (std::size_t level = 0; level < levels; ++level) {
        const auto at = std::ranges::find(config.tunables, flags_name(level), &TunableInfo::name);
        if (at == config.tunables.end() || at->value == domains[0][level].params.flags) continue;
        const auto flags = static_cast<std::uint32_t>(at->value);
        for (auto& levels_of_cpu : domains) {
            if (level < levels_of_cpu.size()) levels_of_cpu[level].params.flags = flags;
            if (level + 1 < levels_of_cpu.size()) levels_of_cpu[level + 1].child_flags = flags;
        }
    }
}

}  // namespace wakelab::policy::cfs
