// A pgbench run on an engine that the caller drives step by step, for measurements that lab::run()
// hides: what one stretch of simulated time costs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "sim/engine.hpp"
#include "work/workload.hpp"

namespace wakelab::bench {

struct PgbenchSpec {
    std::string scheduler;
    std::vector<std::string> features;
    std::int32_t clients = 1;
    std::string machine = "q6600";
    std::uint64_t seed = 1;
};

class PgbenchWorld {
 public:
    // Error: what lab::run() would say.
    static Result<std::unique_ptr<PgbenchWorld>> create(const PgbenchSpec& spec);

    // Simulates up to `end`, counting from there on. False when the run ended early.
    bool run_until(Time end) { return engine_.run_until(end); }
    [[nodiscard]] sim::Engine& engine() { return engine_; }

 private:
    PgbenchWorld(const topo::Machine& machine, sim::EngineOptions options,
                 std::unique_ptr<work::WorkloadModel> model);

    std::unique_ptr<work::WorkloadModel> model_;  // outlives the engine that runs its programs
    sim::Engine engine_;
};

}  // namespace wakelab::bench
