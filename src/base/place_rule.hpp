// Which rule decided where a wakee goes. Below policy and trace because both need it: a scheduler
// reports it with every wake-up, the trace carries it, and `explain` counts it.
#pragma once

#include <cstdint>
#include <string_view>

namespace wakelab {

enum class PlaceRule : std::uint8_t {
    kStayedOnPrev,     // no rule pulled it
    kPrevIsThis,       // last ran on the waker's CPU, nothing to decide
    kAffineShortcut,   // wake_affine's overlap shortcut, whatever the loads (V25, V26A)
    kAffineCold,       // sync and cache-cold (V24)
    kAffineLight,      // wake_affine: this CPU is lightly loaded (tl <= load and ... <= one task)
    kAffineBalanced,   // wake_affine: 100 * (tl + w) <= imb * load
    kWakeBalance,      // SD_WAKE_BALANCE passive balancing
    kIdleSearch,       // wake_idle found an idle CPU
    kNotAllowed,       // the waker's CPU is not in the affinity mask
    kStillQueued,      // the wakee had not left its runqueue: no selection
    kFork,             // fork balancing
    kRtLowest,         // real-time wakee: a CPU of lower priority (2.6.25+)
    kNoCpuYet,         // one queue for all CPUs: the first that schedules takes it (2.4)
    kNotRecorded,      // a recording: the kernel does not say
};
inline constexpr int kPlaceRuleCount = 14;
[[nodiscard]] std::string_view to_string(PlaceRule rule);

}  // namespace wakelab
