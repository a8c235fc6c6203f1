// Many runs on all cores. Every run is single-threaded and knows nothing of the others, so the
// results are the same for any number of threads (style.md 5, determinism rule 5).
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "lab/run.hpp"

namespace wakelab::lab {

// Runs one spec; called from several threads at once. lab::run in the product, a fake in tests.
using RunFunction = std::function<Result<RunResult>(const RunSpec&)>;

// Called after each finished run, one call at a time, from any thread; `done` counts up to `total`.
using Progress = std::function<void(std::size_t done, std::size_t total)>;

struct SweepOptions {
    std::size_t threads = 0;  // 0: one per core
    Progress progress;        // may be empty
};

// One line that names a run in messages: "pgbench, 8 clients, cfs-2.6.25 on q6600, seed 2".
[[nodiscard]] std::string describe(const RunSpec& spec);

// Results in the order of `specs`. The error of the lowest failing index wins, whichever thread met
// it first; runs behind it that have not begun are dropped. A run that stopped before its end
// (RunResult::exit) counts as failed: its numbers are not those of the asked time.
[[nodiscard]] Result<std::vector<RunResult>> sweep(std::span<const RunSpec> specs,
                                                   const RunFunction& run,
                                                   const SweepOptions& options = {});

}  // namespace wakelab::lab
