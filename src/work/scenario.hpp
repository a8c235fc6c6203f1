// A scenario: which workload, at what load, with which pinning and policy. A name is a file of
// scenarios/, a path ends in .toml (a scenario) or .json (an rt-app file).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "topo/machine.hpp"
#include "work/workload.hpp"

namespace wakelab::work {

struct Scenario {
    std::string name;                      // for people
    std::string summary;
    std::string workload;                  // "pgbench", "lat_ctx", "pipe-test" or "rt-app"
    std::string file;                      // rt-app: the file
    std::int32_t clients = 1;              // load level of workloads that have one
    std::vector<std::pair<std::string, std::string>> pins;
    std::vector<std::string> batch;        // tasks under SCHED_BATCH
    std::vector<std::pair<std::string, std::string>> policies;  // as TaskChoices::policy
};

// Numbers of a workload file replaced for one run: "backend_execute", 50000.
using WorkloadOverrides = std::vector<std::pair<std::string, std::int64_t>>;

// Error: one line with the file, line or field and what was expected.
[[nodiscard]] Result<Scenario> load_scenario(std::string_view name_or_path);
[[nodiscard]] Result<Scenario> parse_scenario(std::string_view toml, std::string_view origin);
// Names in scenarios/, sorted.
[[nodiscard]] std::vector<std::string> scenario_names();

[[nodiscard]] Result<std::unique_ptr<WorkloadModel>> make_workload(const Scenario& scenario,
                                                                   const topo::Machine& machine,
                                                                   const WorkloadOverrides& overrides);

}  // namespace wakelab::work
