// What this machine is and who runs on it, for the record that goes with a recording.
#pragma once

#include <string>
#include <vector>

#include "trace/environment.hpp"

namespace wakelab::live {

// Where to look; other roots serve tests.
struct HostPaths {
    std::string proc = "/proc";
    std::string sys = "/sys";
};

// Threads that exist now. Affinity and scheduling class are asked of the kernel for real pids, so
// only with the real /proc.
[[nodiscard]] std::vector<trace::RecordedTask> list_tasks(const HostPaths& paths = {});
// One list out of two looks: tasks of both are marked so, a pid that another task has at the end
// counts as two.
[[nodiscard]] std::vector<trace::RecordedTask> merge_tasks(std::vector<trace::RecordedTask> start,
                                                           std::vector<trace::RecordedTask> end);
// Online CPUs and what they share, ascending.
[[nodiscard]] std::vector<trace::RecordedCpu> list_cpus(const HostPaths& paths = {});
// Kernel, host name, HZ, preemption, scheduler settings; what may not be read with its reason.
void describe_kernel(trace::Environment& environment, const HostPaths& paths = {});

}  // namespace wakelab::live
