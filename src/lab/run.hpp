// One run: a scenario on a machine under a scheduler with a seed, and what came out of it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "policy/registry.hpp"
#include "sim/counters.hpp"
#include "trace/sink.hpp"
#include "work/scenario.hpp"

namespace wakelab::lab {

struct RunSpec {
    std::string scenario = "pgbench";      // a built-in workload, or a path ending in .json or .toml
    std::int32_t clients = 0;              // 0: the scenario's own
    std::string machine = "q6600";
    std::string scheduler = "cfs-2.6.26";
    std::vector<std::string> features;     // masks, NAME, NO_NAME
    std::vector<std::pair<std::string, std::int64_t>> tunables;
    std::vector<std::string> batch;        // names of tasks that run SCHED_BATCH; "all"
    std::vector<std::pair<std::string, std::string>> pins;  // task name (prefix), CPU list "1-3,5"
    std::vector<std::pair<std::string, std::string>> policies;  // task name, "fifo=50", "nice=5" ..
    std::vector<std::pair<std::string, std::string>> groups;  // task name, group "db" or "db=2048"
    // What-if values: "machine.costs.line_far", "workload.exec_ns"; used by `fit`.
    std::vector<std::pair<std::string, std::int64_t>> overrides;
    std::uint64_t seed = 1;
    Duration warmup = 1_s;    // simulated, not counted
    Duration duration = 2_s;  // simulated, counted
};

using Counters = sim::Counters;        // within the counted duration

struct TaskResult {
    std::string name;
    std::int64_t cpu_ns = 0;
    std::uint64_t switches = 0;
    std::uint64_t wakeups = 0;
    std::uint64_t migrations = 0;
};

struct RunResult {
    double rate = 0;                   // work units per simulated second
    std::string unit;                  // "transactions"
    std::int64_t latency_ns = 0;       // what a latency program reports; 0: it reports none
    Counters counters;
    std::vector<TaskResult> tasks;     // by task id
    std::vector<std::int64_t> busy_ns; // per CPU
    std::int64_t duration_ns = 0;
    std::uint64_t fingerprint = 0;     // of every scheduling event
    std::string exit;                  // empty: ran to the end; else one line why it stopped
    std::string log;                   // what the program printed (rt-app's log); may be empty
};

// Every policy that the spec and its scenario ask for must exist in that scheduler. Error: which does not.
Status check_policies(const RunSpec& spec, const work::Scenario& scenario,
                      const policy::SchedulerInfo& info);

// Error: unknown names, malformed files, impossible combinations; one line.
// `sink` may be null; it never changes the result.
[[nodiscard]] Result<RunResult> run(const RunSpec& spec, trace::TraceSink* sink = nullptr);

}  // namespace wakelab::lab
