#include "policy/families.hpp"
#include "policy/o1/early/early_class.hpp"
#include "policy/o1/o1_class.hpp"
#include "policy/o1/o1_domains.hpp"
#include "policy/o1/o1_parameters.hpp"
#include "policy/o1/o1_version.hpp"

namespace wakelab::policy {

namespace {

using o1::O1Version;
using o1::WakeBalanceSysctl;

// These kernels have no sched_* sysctls; what can be set at boot, and how the model keeps its
// clocks.
std::vector<TunableInfo> tunables_of(const O1Version& version, const topo::Machine& machine) {
    std::vector<TunableInfo> t;
    if (version.hot_time == o1::HotTime::kDecayTicks) {
        t.push_back({.name = "decay",
                     .value = o1::cache_decay_ticks(machine, version.kernel_config.hz),
                     .min = 0,
                     .max = 1'000,
                     .unit = "ticks",
                     .meaning = "a task that ran this recently is cache-hot; 0: 2.5 ms"});
    } else {
        const o1::HotTimes hot = o1::measured_hot_times(machine);
        t.push_back(
            {.name = "migration_cost_mc_us",
             .value = hot.mc_us,
             .min = 0,
             .max = 1'000'000,
             .unit = "us",
             .meaning = "cache-hot time between CPUs that share a cache (migration_cost=)"});
        t.push_back({.name = "migration_cost_cpu_us",
                     .value = hot.cpu_us,
                     .min = 0,
                     .max = 1'000'000,
                     .unit = "us",
                     .meaning = "cache-hot time across the machine (migration_cost=)"});
    }
    if (version.wake_balance != WakeBalanceSysctl::kNone)
        t.push_back({.name = "wake_balance",
                     .value = 1,
                     .min = 0,
                     .max = 1,
                     .unit = "0/1",
                     .meaning = "0: a wakee always returns to the CPU it last ran on"});
    t.push_back(
        {.name = "clock_compensation",
         .value = version.clock_compensation ? 1 : 0,
         .min = 0,
         .max = 1,
         .unit = "0/1",
         .meaning = "times are shifted by the difference of two CPUs' last clock readings"});
    return t;
}

SchedulerInfo info_of(const O1Version& version) {
    const O1Version* v = &version;
    return {.name = v->name,
            .key = v->key,
            .kernel = v->kernel,
            .summary = v->summary,
            .features = {},
            .kernel_config = v->kernel_config,
            .ipc = v->ipc,
            .has_batch = v->has_batch,
            .family = "o1",
            .parameters = o1::parameters_of(*v),
            .tunables = [v](const topo::Machine& machine) { return tunables_of(*v, machine); },
            .make = [v](const SchedulerConfig& config, const topo::Machine& machine,
                        SchedHost& host) -> std::unique_ptr<SchedClass> {
                return std::make_unique<o1::O1Class>(*v, config, machine, host);
            }};
}

}  // namespace

void append_o1(std::vector<SchedulerInfo>& table) {
    o1::early::append_early(table);
    for (const O1Version& version : o1::o1_versions()) table.push_back(info_of(version));
}

}  // namespace wakelab::policy
