// The load of a CPU as placement and balancing see it (o1.md 5.2, 5.4, 5.6, 6).
#pragma once

#include <algorithm>
#include <cstdint>

#include "policy/o1/state.hpp"

namespace wakelab::policy::o1 {

// Load of the tasks queued right now.
[[nodiscard]] inline std::uint64_t load_now(const State& s, const RunQueue& rq) {
    return s.version.load_unit == LoadUnit::kWeight ? rq.raw_weighted_load
                                                    : rq.nr_running * kLoadScale;
}

// smpnice v1 scales every load by the mean priority bias of its queue; idle balancing leaves a lone
// task unbiased, so that it is not pulled (o1.md 5.4).
[[nodiscard]] inline std::uint64_t biased(const State& s, const RunQueue& rq, std::uint64_t load,
                                          IdleType idle) {
    if (s.version.load_unit != LoadUnit::kBiased) return load;
    if (rq.nr_running > 1 || (idle == IdleType::kNotIdle && rq.nr_running > 0))
        return load * rq.raw_weighted_load / rq.nr_running;
    return load;
}

// The low guess of the load of a CPU to take from. `idx` 0: now; 1 .. 3: with cpu_load[idx - 1].
[[nodiscard]] inline std::uint64_t source_load(const State& s, CpuId cpu, std::uint32_t idx,
                                               IdleType idle = IdleType::kNotIdle) {
    const RunQueue& rq = s.rq(cpu);
    const std::uint64_t now = load_now(s, rq);
    return biased(s, rq, idx == 0 ? now : std::min(rq.cpu_load[idx - 1], now), idle);
}

// The high guess of the load of a CPU to give to.
[[nodiscard]] inline std::uint64_t target_load(const State& s, CpuId cpu, std::uint32_t idx,
                                               IdleType idle = IdleType::kNotIdle) {
    const RunQueue& rq = s.rq(cpu);
    const std::uint64_t now = load_now(s, rq);
    return biased(s, rq, idx == 0 ? now : std::max(rq.cpu_load[idx - 1], now), idle);
}

// The share of a tick in keeping cpu_load[].
inline void update_cpu_load(const State& s, RunQueue& rq) {
    const std::uint64_t now = load_now(s, rq);
    if (s.version.one_cpu_load) {
        const std::uint64_t old = rq.cpu_load[0] + (now > rq.cpu_load[0] ? 1 : 0);
        rq.cpu_load[0] = (old + now) / 2;
        return;
    }
    for (std::uint32_t i = 0; i < 3; ++i) {
        const std::uint64_t decay = (1u << i) - 1;
        const std::uint64_t old = rq.cpu_load[i];
        // Rounds up while rising, so that the average reaches the load.
        const std::uint64_t load = now > old ? now + decay : now;
        rq.cpu_load[i] = (old * decay + load) >> i;
    }
}

}  // namespace wakelab::policy::o1
