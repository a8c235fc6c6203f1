#include "policy/o1/prio.hpp"

#include <algorithm>

namespace wakelab::policy::o1 {

namespace {

// DELTA() of o1.md 2.3: how far below static_prio a task must be to count as interactive.
int delta(int nice, bool rounds_down) {
    constexpr int kInteractiveDelta = 2;
    if (rounds_down) return (nice + 20) * kMaxBonus / 40 - kMaxBonus / 2 + kInteractiveDelta;
    return nice * kMaxBonus / 40 + kInteractiveDelta;
}

}  // namespace

PrioTables::PrioTables(const O1Version& version, std::uint32_t hz, std::uint32_t online_cpus)
    : tick_ns(1'000'000'000 / hz),
      def_timeslice(100 * hz / 1000),
      min_timeslice(std::max(5 * hz / 1000, 1u)),
      max_sleep_avg(std::uint64_t{def_timeslice} * kMaxBonus),
      ns_max_sleep_avg(max_sleep_avg * tick_ns) {
    for (std::size_t i = 0; i < bonus_from_.size(); ++i) {
        const std::uint64_t jiffies = ((i + 1) * max_sleep_avg + kMaxBonus - 1) / kMaxBonus;
        bonus_from_[i] = jiffies * tick_ns;
    }
    const std::uint32_t base =
        version.granularity_10ms ? std::max(10 * hz / 1000, 1u) : min_timeslice;
    for (int b = 0; b <= kMaxBonus; ++b) {
        const int steps = std::max(kMaxBonus - b, 1);
        granularity_[static_cast<std::size_t>(b)] = base * (1u << (steps - 1)) * online_cpus;
    }
    for (int nice = -20; nice < 20; ++nice) {
        const std::size_t i = row(nice_to_prio(nice));
        const std::uint32_t full = nice < 0 ? 4 * def_timeslice : def_timeslice;
        timeslice_[i] = std::max(full * static_cast<std::uint32_t>(20 - nice) / 20, min_timeslice);
        weight_[i] = timeslice_[i] * kLoadScale / def_timeslice;
        delta_[i] = delta(nice, version.delta_rounds_down);
        const auto steps = static_cast<std::uint64_t>(kMaxBonus / 2 + delta_[i] + 1);
        interactive_sleep_[i] = (max_sleep_avg * steps / kMaxBonus - 1) * tick_ns;
    }
}

}  // namespace wakelab::policy::o1
