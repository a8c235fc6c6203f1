#include "policy/o1/o1_domains.hpp"

#include <algorithm>
#include <array>

#include "policy/o1/prio.hpp"

namespace wakelab::policy::o1 {

namespace {

// o1.md 9.1. 2.6.9 knows one average only: index 1 of every load.
constexpr LevelParams kSmt2_6_9 = {.kind = LevelKind::kSmt,
                                   .flags = kLoadBalance | kBalanceNewidle | kBalanceExec |
                                            kWakeAffine | kWakeIdle | kShareCpuPower,
                                   .imbalance_pct = 110,
                                   .cache_nice_tries = 0,
                                   .busy_idx = 1,
                                   .idle_idx = 1,
                                   .newidle_idx = 1,
                                   .wake_idx = 1,
                                   .forkexec_idx = 1,
                                   .min_interval_ms = 1,
                                   .max_interval_ms = 2,
                                   .busy_factor = 8};

constexpr LevelParams kCpu2_6_9 = {
    .kind = LevelKind::kCpu,
    .flags = kLoadBalance | kBalanceNewidle | kBalanceExec | kWakeAffine | kWakeBalanceFlag,
    .imbalance_pct = 125,
    .cache_nice_tries = 1,
    .busy_idx = 1,
    .idle_idx = 1,
    .newidle_idx = 1,
    .wake_idx = 1,
    .forkexec_idx = 1,
    .min_interval_ms = 1,
    .max_interval_ms = 4,
    .busy_factor = 64};

constexpr LevelParams kCpu2_6_13 = {
    .kind = LevelKind::kCpu,
    .flags = kLoadBalance | kBalanceNewidle | kBalanceExec | kWakeAffine,
    .imbalance_pct = 125,
    .cache_nice_tries = 1,
    .busy_idx = 2,
    .idle_idx = 1,
    .newidle_idx = 2,
    .wake_idx = 1,
    .forkexec_idx = 1,
    .min_interval_ms = 1,
    .max_interval_ms = 4,
    .busy_factor = 64};

constexpr LevelParams kSmt2_6_13 = {.kind = LevelKind::kSmt,
                                    .flags = kSmt2_6_9.flags,
                                    .imbalance_pct = 110,
                                    .cache_nice_tries = 0,
                                    .newidle_idx = 1,
                                    .min_interval_ms = 1,
                                    .max_interval_ms = 2,
                                    .busy_factor = 8};

using Domains = std::vector<std::vector<SchedDomain>>;

LevelParams level(LevelParams params, LevelKind kind, std::int64_t hot_us) {
    params.kind = kind;
    params.cache_hot_time_ns = hot_us * 1000;
    return params;
}

// x86_64 of 2.6.9 takes the cores of a package for hyper-threads, so they form an SMT domain.
// Useless parents are not dropped: the one group of the CPU level above still offers passive wake
// balancing. Machines of at most four CPUs are one package, larger ones and those with real
// hyper-threads have a package per cache.
Domains domains_2_6_9(const topo::Machine& machine, const HotTimes& hot) {
    constexpr std::uint32_t kMaxCpusOfOnePackage = 4;
    const LevelParams cpu = level(kCpu2_6_9, LevelKind::kCpu, hot.cpu_us);
    if (machine.cpus > kMaxCpusOfOnePackage || !machine.smt.empty()) {
        const std::array levels = {level(kSmt2_6_9, LevelKind::kMc, 0), cpu};
        return build_domains(machine, levels, kLoadScale);
    }
    const std::array levels = {level(kSmt2_6_9, LevelKind::kCpu, 0)};
    Domains domains = build_domains(machine, levels, kLoadScale);
    for (auto& of_cpu : domains) {
        if (of_cpu.empty()) continue;  // one CPU: nothing to balance
        SchedDomain above = of_cpu.front();
        above.params = cpu;
        above.groups = {{.mask = above.span, .cpus = above.cpus, .power = kLoadScale}};
        of_cpu.push_back(std::move(above));
    }
    return domains;
}

// A physical package of w logical CPUs counts as 1 + (w - 1) / 10 of them (o1.md 9.3).
void set_package_powers(Domains& domains) {
    for (auto& levels : domains)
        for (SchedDomain& sd : levels)
            for (SchedGroup& group : sd.groups)
                group.power = kLoadScale + kLoadScale * (group.cpus.size() - 1) / 10;
}

// Kernels with an MC level: the same for a core with w threads, while a package counts as one CPU.
void set_core_powers(Domains& domains) {
    set_package_powers(domains);
    for (auto& levels : domains)
        for (SchedDomain& sd : levels)
            if (sd.params.kind == LevelKind::kCpu)
                for (SchedGroup& group : sd.groups) group.power = kLoadScale;
}

}  // namespace

HotTimes measured_hot_times(const topo::Machine& machine) {
    const bool shared =
        std::ranges::any_of(machine.caches, [](auto& c) { return c.cpus.size() > 1; });
    // Field values of boot logs: Core 2 with a shared L2, Athlon 64 X2, and for anything else the
    // compiled-in 10 ms of the large Itanium machines.
    if (shared) return {.mc_us = 19, .cpu_us = 1'500};
    return {.mc_us = 0, .cpu_us = machine.vendor == "amd" ? 230 : 10'000};
}

std::int64_t cache_decay_ticks(const topo::Machine& machine, std::uint32_t hz) {
    std::uint64_t bytes = 0;
    for (const topo::Cache& cache : machine.caches) bytes = std::max(bytes, cache.size_bytes);
    // The kernel supposes that the cache is refilled at 1000 MB/s: one millisecond per 1000 KiB.
    return static_cast<std::int64_t>(bytes / 1024 / 1000 * hz / 1000);
}

HotTimes hot_times_of_ticks(std::int64_t decay_ticks) {
    // The kernel multiplies ticks by a millisecond whatever HZ is.
    const std::int64_t us = decay_ticks == 0 ? 2'500 : decay_ticks * 1'000;
    return {.mc_us = us, .cpu_us = us};
}

std::vector<std::vector<SchedDomain>> o1_domains(DomainSet set, const topo::Machine& machine,
                                                 const HotTimes& hot) {
    switch (set) {
        case DomainSet::k2_6_9: {
            Domains domains = domains_2_6_9(machine, hot);
            set_package_powers(domains);
            return domains;
        }
        case DomainSet::k2_6_9El: {
            const std::array levels = {level(kSmt2_6_9, LevelKind::kSmt, 0),
                                       level(kCpu2_6_9, LevelKind::kMc, hot.mc_us),
                                       level(kCpu2_6_9, LevelKind::kCpu, hot.cpu_us)};
            Domains domains = build_domains(machine, levels, kLoadScale);
            set_core_powers(domains);
            return domains;
        }
        case DomainSet::k2_6_16: {
            const std::array levels = {level(kSmt2_6_13, LevelKind::kSmt, hot.mc_us),
                                       level(kCpu2_6_13, LevelKind::kCpu, hot.cpu_us)};
            Domains domains = build_domains(machine, levels, kLoadScale);
            set_package_powers(domains);
            return domains;
        }
        case DomainSet::k2_6_22:
            break;
    }
    LevelParams mc = level(kCpu2_6_13, LevelKind::kMc, hot.mc_us);
    mc.flags |= kSharePkgResources;
    LevelParams smt = level(kSmt2_6_13, LevelKind::kSmt, hot.mc_us);
    smt.busy_factor = 64;
    const std::array levels = {smt, mc, level(kCpu2_6_13, LevelKind::kCpu, hot.cpu_us)};
    return build_domains(machine, levels, kLoadScale);
}

}  // namespace wakelab::policy::o1
