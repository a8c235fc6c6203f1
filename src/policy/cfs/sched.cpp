#include "policy/cfs/sched.hpp"

#include <algorithm>

#include "policy/cfs/cfs_domains.hpp"

namespace wakelab::policy::cfs {

namespace {

// CONFIG_NR_CPUS of the x86_64 defconfig; bounds the balancing interval (cfs.md 6.1).
constexpr std::uint64_t kNrCpusConfig = 32;

Tunables read_tunables(const CfsVersion& version, const SchedulerConfig& config) {
    const auto value = [&](std::string_view name) {
        return static_cast<std::uint64_t>(config.tunable(name));
    };
    Tunables t;
    t.latency = value("sched_latency_ns");
    t.min_granularity = value("sched_min_granularity_ns");
    t.wakeup_granularity = value("sched_wakeup_granularity_ns");
    t.nr_latency = (t.latency + t.min_granularity - 1) / t.min_granularity;
    t.migration_cost = static_cast<std::uint32_t>(value("sched_migration_cost"));
    t.always_hot = config.tunable("sched_migration_cost") == -1;
    t.nr_migrate = static_cast<std::uint32_t>(value("sched_nr_migrate"));
    t.child_runs_first = value("sched_child_runs_first") != 0;
    t.compat_yield = value("sched_compat_yield") != 0;
    if (version.limits_preempters) {
        t.preempter_batch = value("last_preempter_batch_ns");
        t.preempter_disperse = value("last_preempter_disperse_ns");
    }
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
        rqs[c].clock = rqs[c].clock_raw = rqs[c].tick_timestamp =
            static_cast<std::uint64_t>(host.now().ns);
    }
}

LoadWeight Sched::load_of(const SchedTask& p) const {
    if (p.is_rt()) return kRtLoad;
    if (p.policy == SchedPolicy::kIdle) return v.idle_policy_load;
    return kNiceLoad[static_cast<std::size_t>(p.nice + 20)];
}

}  // namespace wakelab::policy::cfs
