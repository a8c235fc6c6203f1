#include "policy/cfs/sched.hpp"

#include <algorithm>

#include "policy/cfs/cfs_domains.hpp"

namespace wakelab::policy::cfs {

namespace {

constexpr std::uint64_t kRootUserShares = 2048;  // root's user group (cfs.md 6.8)

// CONFIG_NR_CPUS of the x86_64 defconfig; bounds the balancing interval (cfs.md 6.1).
constexpr std::uint64_t kNrCpusConfig = 32;
constexpr std::uint64_t kMinusOne = ~std::uint64_t{0};

Tunables read_tunables(const CfsVersion& version, const SchedulerConfig& config) {
    const auto value = [&](std::string_view name) {
        return static_cast<std::uint64_t>(config.tunable(name));
    };
    // For a sysctl that some versions do not have: what holds there.
    const auto value_or = [&](std::string_view name, std::uint64_t absent) {
        const auto it = std::ranges::find(config.tunables, name, &TunableInfo::name);
        return it != config.tunables.end() ? static_cast<std::uint64_t>(it->value) : absent;
    };
    Tunables t;
    t.latency = value("sched_latency_ns");
    t.min_granularity = value("sched_min_granularity_ns");
    t.wakeup_granularity = value("sched_wakeup_granularity_ns");
    t.nr_latency = (t.latency + t.min_granularity - 1) / t.min_granularity;
    // In V23 no task is ever hot, and a balancing move looks at all tasks.
    const std::uint64_t migration_cost = value_or("sched_migration_cost", 0);
    t.migration_cost = static_cast<std::uint32_t>(migration_cost);
    t.always_hot = migration_cost == kMinusOne;
    t.nr_migrate = static_cast<std::uint32_t>(value_or("sched_nr_migrate", kMinusOne));
    t.child_runs_first = value("sched_child_runs_first") != 0;
    t.compat_yield = value("sched_compat_yield") != 0;
    if (version.limits_preempters) {
        t.preempter_batch = value("last_preempter_batch_ns");
        t.preempter_disperse = value("last_preempter_disperse_ns");
    }
    t.runtime_limit = value_or("sched_runtime_limit_ns", 0);
    t.batch_wakeup_granularity = value_or("sched_batch_wakeup_granularity_ns", 0);
    t.stat_granularity = value_or("sched_stat_granularity_ns", 0);
    return t;
}

FeatureSet effective_features(const CfsVersion& version, std::uint64_t mask) {
    FeatureSet set = decode_features(version.features, mask);
    set.add(version.always_on);
    return set;
}

Domains domains_of(const CfsVersion& version, const SchedulerConfig& config,
                   const topo::Machine& machine) {
    Domains domains = make_domains(version, machine);
    apply_flag_tunables(config, domains);
    return domains;
}

}  // namespace

Sched::Sched(const CfsVersion& version, const SchedulerConfig& config, const topo::Machine& machine,
             SchedHost& host_in)
    : v(version),
      features(effective_features(version, config.features)),
      tune(read_tunables(version, config)),
      kernel(config.kernel),
      host(host_in),
      hrtick(config.kernel.high_res && features.has(Feature::kHrtick)),
      tick(static_cast<std::uint64_t>(config.kernel.tick().ns)),
      nr_cpus_config(std::max<std::uint64_t>(kNrCpusConfig, machine.cpus)),
      domains(domains_of(version, config, machine)),
      rqs(machine.cpus) {
    for (std::uint32_t c = 0; c < machine.cpus; ++c) {
        rqs[c].cpu = CpuId{c};
        rqs[c].domains = domains[c];
        rqs[c].cfs.rq = &rqs[c];
        if (v.power_is_sum) rqs[c].power = power_of_cpu(machine, rqs[c].cpu);
        rqs[c].clock = rqs[c].clock_raw = rqs[c].tick_timestamp =
            static_cast<std::uint64_t>(host.now().ns);
        rqs[c].load_stat.update_start = rqs[c].load_stat.update_last = rqs[c].clock;
    }
    make_groups(*this, config.groups,
                v.root_is_a_group ? std::optional(kRootUserShares) : std::nullopt);
}

LoadWeight Sched::load_of(const SchedTask& p) const {
    if (p.is_rt()) return kRtLoad;
    if (p.policy == SchedPolicy::kIdle) return v.idle_policy_load;
    return kNiceLoad[static_cast<std::size_t>(p.nice + 20)];
}

}  // namespace wakelab::policy::cfs
