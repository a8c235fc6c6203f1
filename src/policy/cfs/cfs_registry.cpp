#include <algorithm>
#include <bit>
#include <limits>

#include "policy/cfs/cfs_class.hpp"
#include "policy/cfs/cfs_version.hpp"
#include "policy/families.hpp"

namespace wakelab::policy {

namespace {

constexpr std::int64_t kGranularityLimit = 200'000'000;  // ns, V24+ (cfs.md 1.4)
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kIntMax = std::numeric_limits<std::int32_t>::max();

// sysctls by the kernel's names; granularities grow with the number of CPUs.
std::vector<TunableInfo> cfs_tunables(const cfs::CfsVersion& v, const topo::Machine& machine) {
    const std::int64_t factor = std::bit_width(machine.cpus);  // 1 + ilog2(cpus)
    const std::int64_t latency = std::min(v.latency_ns * factor, kGranularityLimit);
    const std::int64_t min_gran = std::min(v.min_granularity_ns * factor, kGranularityLimit);
    const std::int64_t wakeup_gran = v.wakeup_granularity_ns * factor;
    return {
        {"sched_latency_ns", latency, 100'000, kSecond, "ns",
         "a short queue runs every task once in this time; also the sleeper credit"},
        {"sched_min_granularity_ns", min_gran, 100'000, kSecond, "ns",
         "shortest slice; stretches the round of a long queue"},
        {"sched_wakeup_granularity_ns", wakeup_gran, 0, kSecond, "ns",
         "lead in virtual time a wakee needs to preempt"},
        {"sched_child_runs_first", v.child_runs_first ? 1 : 0, 0, 1, "0/1",
         "a forked child runs before its parent"},
        {"sched_compat_yield", 0, 0, 1, "0/1", "sched_yield() goes behind all other tasks"},
        {"sched_migration_cost", 500'000, -1, kIntMax, "ns",
         "a task that ran less long ago is cache-hot; bounds \"small\" overlaps; -1: always hot"},
        {"sched_nr_migrate", 32, 0, kIntMax, "tasks", "tasks looked at in one balancing move"},
    };
}

SchedulerInfo info_of(const cfs::CfsVersion& v) {
    SchedulerInfo info{.name = v.name,
                       .key = v.key,
                       .kernel = v.kernel,
                       .summary = v.summary,
                       .features = cfs::feature_infos(v.features),
                       .kernel_config = {},
                       .ipc = v.ipc,
                       .has_batch = true,
                       .tunables = {},
                       .make = {}};
    info.tunables = [&v](const topo::Machine& machine) { return cfs_tunables(v, machine); };
    info.make = [&v](const SchedulerConfig& config, const topo::Machine& machine, SchedHost& host) {
        return std::make_unique<cfs::CfsClass>(v, config, machine, host);
    };
    return info;
}

}  // namespace

void append_cfs(std::vector<SchedulerInfo>& table) {
    for (const cfs::CfsVersion& v : cfs::versions()) table.push_back(info_of(v));
}

}  // namespace wakelab::policy
