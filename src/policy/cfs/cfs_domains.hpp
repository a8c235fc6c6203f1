// Scheduling domains of a version on a machine, and their flags as tunables: kernels of that age
// have them in /proc/sys/kernel/sched_domain/cpuN/domainM/flags.
#pragma once

#include <vector>

#include "policy/cfs/cfs_version.hpp"
#include "policy/domains.hpp"
#include "policy/registry.hpp"

namespace wakelab::policy::cfs {

using Domains = std::vector<std::vector<SchedDomain>>;  // [cpu][level]

// Power of a CPU where a group's is the sum (V32A+): the threads of a core have 15 % more than one
// CPU.
[[nodiscard]] std::uint64_t power_of_cpu(const topo::Machine& machine, CpuId cpu);
// As the version sets them up.
[[nodiscard]] Domains make_domains(const CfsVersion& version, const topo::Machine& machine);

// "sched_domain.domain0.flags" .., one for each level that CPU 0 has; a setting is for all CPUs.
void append_flag_tunables(const CfsVersion& version, const topo::Machine& machine,
                          std::vector<TunableInfo>& tunables);
// Flags that `config` sets to something else than the default of CPU 0.
void apply_flag_tunables(const SchedulerConfig& config, Domains& domains);

}  // namespace wakelab::policy::cfs
