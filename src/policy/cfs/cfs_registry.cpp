#include <algorithm>
#include <bit>
#include <deque>
#include <limits>
#include <mutex>

#include "policy/cfs/cfs_class.hpp"
#include "policy/cfs/cfs_domains.hpp"
#include "policy/cfs/cfs_parameters.hpp"
#include "policy/cfs/cfs_version.hpp"
#include "policy/cfs/patches.hpp"
#include "policy/families.hpp"

namespace wakelab::policy {

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kIntMax = std::numeric_limits<std::int32_t>::max();

// sysctls by the kernel's names; granularities grow with the number of CPUs.
std::vector<TunableInfo> cfs_tunables(const cfs::CfsVersion& v, const topo::Machine& machine) {
    const std::int64_t factor = std::bit_width(machine.cpus);  // 1 + ilog2(cpus)
    const std::int64_t latency = std::min(v.latency_ns * factor, v.granularity_limit_ns);
    const std::int64_t min_gran = std::min(v.min_granularity_ns * factor, v.granularity_limit_ns);
    const std::int64_t wakeup_gran = v.wakeup_granularity_ns * factor;
    std::vector<TunableInfo> tunables = {
        {"sched_latency_ns", latency, 100'000, kSecond, "ns",
         "a short queue runs every task once in this time; from 2.6.24 also the sleeper credit"},
        {"sched_min_granularity_ns", min_gran, 100'000, kSecond, "ns",
         "shortest slice; stretches the round of a long queue"},
        {"sched_wakeup_granularity_ns", wakeup_gran, 0, kSecond, "ns",
         "lead in virtual time a wakee needs to preempt"},
        {"sched_child_runs_first", v.child_runs_first ? 1 : 0, 0, 1, "0/1",
         "a forked child runs before its parent"},
        {"sched_compat_yield", 0, 0, 1, "0/1", "sched_yield() goes behind all other tasks"},
    };
    const std::vector<TunableInfo> vruntime_only = {
        {"sched_migration_cost", 500'000, -1, kIntMax, "ns",
         "a task that ran less long ago is cache-hot; bounds \"small\" overlaps; -1: always hot"},
        {"sched_nr_migrate", 32, 0, kIntMax, "tasks", "tasks looked at in one balancing move"},
    };
    const std::vector<TunableInfo> wait_runtime_only = {
        {"sched_batch_wakeup_granularity_ns", 25'000'000, 0, kSecond, "ns",
         "the same for a SCHED_BATCH wakee"},
        {"sched_runtime_limit_ns", latency, 100'000, kSecond, "ns",
         "most a task can be owed or owe; twice this is the longest sleep that counts"},
        {"sched_stat_granularity_ns", 0, 0, kSecond, "ns",
         "run, wait and sleep times up to this are accounted later"},
    };
    const auto& own = v.model == cfs::FairModel::kWaitRuntime ? wait_runtime_only : vruntime_only;
    tunables.insert(tunables.end(), own.begin(), own.end());
    if (v.limits_preempters) {
        // Thresholds of P4 that its posted text does not show (cfs.md 5); best guess
        // migration_cost.
        tunables.push_back({"last_preempter_batch_ns", 500'000, 0, kSecond, "ns",
                            "work between preemptions by two different wakees"});
        tunables.push_back(
            {"last_preempter_disperse_ns", 500'000, 0, kSecond, "ns",
             "such a task pulls no wakee before it ran this long; 0: \"no disperse\""});
    }
    cfs::append_flag_tunables(v, machine, tunables);
    return tunables;
}

SchedulerInfo info_of(const cfs::CfsVersion& v) {
    SchedulerInfo info{.name = v.name,
                       .key = v.key,
                       .kernel = v.kernel,
                       .summary = v.summary,
                       .features = cfs::feature_infos(v.features, cfs::unread_features(v)),
                       .kernel_config = {},
                       .ipc = v.ipc,
                       .has_batch = true,
                       .has_groups = v.model == cfs::FairModel::kVruntime,
                       .has_preempt = v.has_preempt_policy,
                       .alias = v.alias,
                       .patches = cfs::applicable_patches(v),
                       .family = "cfs",
                       .parameters = cfs::parameters_of(v),
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

std::vector<PatchInfo> patch_infos() {
    std::vector<PatchInfo> infos;
    for (const cfs::Patch& p : cfs::patches()) infos.push_back({p.name, p.summary, p.historic});
    return infos;
}

Result<const SchedulerInfo*> find_patched_cfs(std::string_view name) {
    static std::mutex mutex;
    static std::deque<SchedulerInfo> kept;  // one for each row that find_version() keeps
    const Result<const cfs::CfsVersion*> version = cfs::find_version(name);
    if (!version) return version.error();
    const std::lock_guard lock(mutex);
    const auto old = std::ranges::find(kept, (*version)->name, &SchedulerInfo::name);
    return old != kept.end() ? &*old : &kept.emplace_back(info_of(**version));
}

}  // namespace wakelab::policy
