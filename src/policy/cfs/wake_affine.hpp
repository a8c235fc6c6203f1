// wake_affine(): may the wakee be pulled to the waker's CPU (cfs.md 4.3).
#pragma once

#include <optional>

#include "policy/cfs/sched.hpp"

namespace wakelab::policy::cfs {

// What one wake-up knows about the two candidate CPUs.
struct AffineQuestion {
    const SchedDomain& domain;  // lowest that spans both
    const SchedTask& wakee;
    const SchedTask* waker;  // null: the idle task
    CpuId this_cpu;
    CpuId prev_cpu;
    bool sync;
    std::uint64_t load;       // of prev, cautious
    std::uint64_t this_load;  // of this_cpu, cautious
};

// The rule that pulls, or nothing.
[[nodiscard]] std::optional<PlaceRule> wake_affine(Sched& s, const AffineQuestion& q);

// The two load tests every version has, on a this_load from which the caller may have taken the
// waker: this CPU carries less than prev and both together at most one average task; or the wakee
// fits in without imbalance. V24 and V25 ask the first one first, later versions the second.
[[nodiscard]] bool is_light(Sched& s, const AffineQuestion& q, std::uint64_t this_load);
[[nodiscard]] bool is_balanced(const AffineQuestion& q, std::uint64_t this_load);

// Weight of the waker in its CPU's load; the idle task carries none.
[[nodiscard]] std::uint64_t waker_weight(const AffineQuestion& q);

}  // namespace wakelab::policy::cfs
