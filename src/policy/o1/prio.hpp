// Priorities, time slices, bonus and weights (o1.md 1.5, 2, 5.6). Everything that depends on HZ,
// the version and the number of CPUs only is tabulated once, so that no event pays for a division.
#pragma once

#include <array>
#include <cstdint>

#include "policy/o1/o1_version.hpp"

namespace wakelab::policy::o1 {

inline constexpr int kMaxRtPrio = 100;
inline constexpr int kMaxPrio = 140;  // also the priority of the idle task
inline constexpr int kMaxBonus = 10;
inline constexpr std::uint64_t kLoadScale = 128;  // SCHED_LOAD_SCALE

[[nodiscard]] constexpr int nice_to_prio(int nice) {
    return 120 + nice;
}
[[nodiscard]] constexpr int rt_to_prio(int rt_priority) {
    return kMaxRtPrio - 1 - rt_priority;
}

class PrioTables {
 public:
    PrioTables(const O1Version& version, std::uint32_t hz, std::uint32_t online_cpus);

    std::uint64_t tick_ns = 0;
    std::uint32_t def_timeslice = 0;  // jiffies, nice 0
    std::uint32_t min_timeslice = 0;  // jiffies
    std::uint64_t max_sleep_avg = 0;  // jiffies; also the starvation limit
    std::uint64_t ns_max_sleep_avg = 0;

    // task_timeslice() in jiffies.
    [[nodiscard]] std::uint32_t timeslice(int static_prio) const {
        return timeslice_[row(static_prio)];
    }
    // CURRENT_BONUS, 0 .. 10.
    [[nodiscard]] int bonus(std::uint64_t sleep_avg) const {
        int b = 0;
        for (const std::uint64_t from : bonus_from_) b += sleep_avg >= from ? 1 : 0;
        return b;
    }
    // Priority of a task that is not real-time.
    [[nodiscard]] int normal_prio(int static_prio, std::uint64_t sleep_avg) const {
        const int prio = static_prio - (bonus(sleep_avg) - kMaxBonus / 2);
        return prio < kMaxRtPrio ? kMaxRtPrio : prio > kMaxPrio - 1 ? kMaxPrio - 1 : prio;
    }
    // TASK_INTERACTIVE.
    [[nodiscard]] bool interactive(int prio, int static_prio) const {
        return prio <= static_prio - delta_[row(static_prio)];
    }
    // INTERACTIVE_SLEEP in ns.
    [[nodiscard]] std::uint64_t interactive_sleep(int static_prio) const {
        return interactive_sleep_[row(static_prio)];
    }
    // TIMESLICE_GRANULARITY in jiffies.
    [[nodiscard]] std::uint32_t granularity(int task_bonus) const {
        return granularity_[static_cast<std::size_t>(task_bonus)];
    }
    // load_weight of smpnice v2.
    [[nodiscard]] std::uint64_t normal_weight(int static_prio) const {
        return weight_[row(static_prio)];
    }
    [[nodiscard]] std::uint64_t rt_weight(int rt_priority) const {
        return weight_[0] + static_cast<std::uint64_t>(rt_priority) * kLoadScale / def_timeslice;
    }
    // sleep_avg of a whole number of bonus steps: what fork leaves to child and parent (o1.md 4.9).
    [[nodiscard]] std::uint64_t sleep_avg_of_bonus(int steps) const {
        return static_cast<std::uint64_t>(steps) * max_sleep_avg / kMaxBonus * tick_ns;
    }

 private:
    static constexpr std::size_t row(int static_prio) {
        return static_cast<std::size_t>(static_prio - kMaxRtPrio);
    }

    std::array<std::uint64_t, kMaxBonus> bonus_from_{};  // smallest sleep_avg of bonus 1, 2, ...
    std::array<std::uint32_t, kMaxBonus + 1> granularity_{};
    std::array<std::uint32_t, 40> timeslice_{};
    std::array<std::uint64_t, 40> weight_{};
    std::array<std::uint64_t, 40> interactive_sleep_{};
    std::array<std::int32_t, 40> delta_{};
};

}  // namespace wakelab::policy::o1
