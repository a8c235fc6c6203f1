// The prev_state of sched_switch as bits of the kernel, whose meaning from 0x40 on depends on its version:
// for files without the event's format, which would tell (Perfetto, trace-cmd report -R).
// Kernel: include/linux/sched.h TASK_*, include/trace/events/sched.h __trace_sched_switch_state(); bits moved
// in 4.14 (commits efb40f588b43, 8ef9925b02c2) and TASK_NEW came in 4.8.
#pragma once

#include <cstdint>
#include <string_view>

#include "trace/record.hpp"

namespace wakelab::trace {

enum class StateBits : std::uint8_t {
    kUnknownKernel,  // read: what cannot be told apart is guessed. Written: as before 4.8, which is what the
                     // Perfetto UI takes a trace without a version for
    kBefore4_8,
    kBefore4_14,
    kSince4_14,
};

// Of the kernel with this release ("6.1.0-18-amd64"); kUnknownKernel if it begins with no version.
[[nodiscard]] StateBits state_bits_of(std::string_view release);

[[nodiscard]] PrevState prev_state_of_bits(std::int64_t bits, StateBits layout);
[[nodiscard]] std::int64_t bits_of(PrevState state, StateBits layout);

}  // namespace wakelab::trace
