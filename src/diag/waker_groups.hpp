// Wakers of one task group added up: rules and reports speak of "the 20 tasks sender-*", not of
// each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "metrics/run_analysis.hpp"

namespace wakelab::diag {

struct WakeeShare {
    std::string name;  // of the wakees' group
    std::uint32_t group = 0;
    std::uint64_t wakeups = 0;
};

struct WakerGroup {
    std::string name;         // "pgbench", "postgres-*", "interrupts and timers"
    std::uint32_t group = 0;
    bool is_task = true;      // false: wake-ups without a waking task
    std::uint32_t tasks = 0;  // of the group that woke somebody
    metrics::WakeRole role = metrics::WakeRole::kNone;  // of most of its wake-ups
    double fan_out = 0;                                 // tasks that one of it wakes often, mean
    metrics::PlacementCounts placed;
    metrics::BatchCounts batch;
    std::vector<WakeeShare> wakees;  // most often woken first

    // "pgbench", "the 8 tasks postgres-*"
    [[nodiscard]] std::string subject() const;
    // "8 tasks (postgres-*)", "50 tasks each (...)"; of interrupts the names only
    [[nodiscard]] std::string objects() const;
};

// Most wake-ups first; groups without a counted wake-up are left out.
[[nodiscard]] std::vector<WakerGroup> group_wakers(const metrics::RunSummary& run);

}  // namespace wakelab::diag
