// The arguments that say what to run, as typed, and the run they mean.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "lab/run.hpp"
#include "report/run_table.hpp"

namespace wakelab::cli {

struct SpecArguments {
    std::string scenario = "pgbench";
    std::string machine = "q6600";
    std::string scheduler = "cfs-2.6.26";
    std::string clients;                // empty: the scenario's own
    std::vector<std::string> features;  // each may be a comma separated list
    std::vector<std::string> settings;  // NAME=VALUE
    std::vector<std::string> batch;     // each may be a comma separated list
    std::vector<std::string> pins;      // TASK=CPUS
    std::vector<std::string> policies;  // TASK=POLICY
    std::vector<std::string> groups;    // TASK=GROUP[=SHARES]
    std::string seed = "1";
    std::string warmup = "1s";
    std::string duration = "2s";
};

// Error: an argument that is not what its option expects, or names something that does not exist;
// one line. What depends on the tasks of the workload is left to lab::run.
[[nodiscard]] Result<lab::RunSpec> to_spec(const SpecArguments& arguments);

// Names are known, features and tunables fit the scheduler, the load level fits the scenario.
// Sets a missing client count to that of the scenario.
[[nodiscard]] Status check_spec(lab::RunSpec& spec);

// What was run, for the head of a report.
[[nodiscard]] report::RunLabels labels_of(const lab::RunSpec& spec);

}  // namespace wakelab::cli
