// State of one simulated kernel: what kernel/sched.c keeps in globals. The functions of this folder
// take it as first argument; CfsClass owns it.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "policy/cfs/cfs_rq.hpp"
#include "policy/cfs/cfs_version.hpp"
#include "policy/cfs/features.hpp"
#include "policy/cfs/groups.hpp"
#include "policy/registry.hpp"
#include "policy/sched_class.hpp"
#include "topo/machine.hpp"

namespace wakelab::policy::cfs {

// sysctl values in effect, in the units the code computes with (ns, tasks).
struct Tunables {
    std::uint64_t latency = 0;
    std::uint64_t min_granularity = 0;
    std::uint64_t wakeup_granularity = 0;
    std::uint64_t nr_latency = 5;      // ceil(latency / min_granularity)
    std::uint64_t migration_cost = 0;  // as unsigned int: -1 is the largest
    bool always_hot = false;           // migration_cost -1
    std::uint32_t nr_migrate = 32;
    bool child_runs_first = true;
    bool compat_yield = false;
    // V23
    std::uint64_t runtime_limit = 0;  // bound of wait_runtime either way
    std::uint64_t batch_wakeup_granularity = 0;
    std::uint64_t stat_granularity = 0;
    std::uint64_t preempter_batch = 0;     // P4: B, ns
    std::uint64_t preempter_disperse = 0;  // P4: D, ns; 0: no disperse
};

// Owner of the balancing for CPUs without a tick (cfs.md 6.1).
struct NohzState {
    topo::CpuMask tickless;
    std::uint32_t tickless_count = 0;
    CpuId owner = kNoCpu;
};

struct Sched {
    Sched(const CfsVersion& version, const SchedulerConfig& config, const topo::Machine& machine,
          SchedHost& host_in);

    [[nodiscard]] bool has(Feature f) const { return features.has(f); }
    [[nodiscard]] Rq& rq(CpuId cpu) { return rqs[cpu.v]; }
    [[nodiscard]] Rq& rq_of(const SchedTask& p) { return rqs[p.cpu.v]; }
    // Weight of a task by policy and nice.
    [[nodiscard]] LoadWeight load_of(const SchedTask& p) const;

    const CfsVersion& v;
    FeatureSet features;  // as set, plus what this version does unconditionally
    Tunables tune;
    KernelConfig kernel;
    SchedHost& host;
    bool hrtick = false;               // HRTICK is on and the timers can do it
    std::uint64_t tick = 0;            // ns
    std::uint64_t nr_cpus_config = 0;  // CONFIG_NR_CPUS
    // smp_processor_id() of the call in progress: which clocks may move up to V25.
    CpuId this_cpu{0};
    std::vector<std::vector<SchedDomain>> domains;  // by CPU
    std::vector<Rq> rqs;
    NohzState nohz;
    std::deque<TaskGroup> groups;      // SchedTask::group - 1
    std::uint32_t implicit_group = 0;  // of tasks without one (V24, V25, if there are groups)
};

}  // namespace wakelab::policy::cfs
