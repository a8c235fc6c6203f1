// The measurements behind the figures. Each returns its figures in print order.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.hpp"
#include "bench/figures.hpp"

namespace wakelab::bench {

// pgbench on the q6600: ns per event, dispatches and simulated seconds per CPU second, allocations
// per event. Error: a scheduler or file is missing, or a run ended early.
[[nodiscard]] Result<std::vector<Figure>> engine_figures(std::uint32_t repetitions);
// Resident memory per sleeping task. Call it first: memory that an earlier measurement has freed
// would be used again and not be seen.
[[nodiscard]] Result<std::vector<Figure>> memory_figures();
// The event queue against std::priority_queue in the hold model.
[[nodiscard]] std::vector<Figure> queue_figures(std::uint32_t repetitions);

}  // namespace wakelab::bench
