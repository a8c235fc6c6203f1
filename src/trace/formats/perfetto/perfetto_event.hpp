// One FtraceEvent of a Perfetto trace, decoded to a KernelEvent.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "trace/formats/perfetto/perfetto_fields.hpp"
#include "trace/formats/task_state_bits.hpp"
#include "trace/kernel_event.hpp"

namespace wakelab::trace::perfetto {

// Times beyond (140 years) are damage; sums and differences of the others cannot overflow.
inline constexpr std::uint64_t kMaxNs = std::uint64_t{1} << 62;

// In the value of a kFork: a fork is told by task_newtask, by sched_process_fork, or by both, in that order.
inline constexpr std::int64_t kByNewtask = 1;

// States of tasks that are switched out, in the bits of the recorded kernel.
struct StateReader {
    StateBits bits = StateBits::kUnknownKernel;
    std::uint64_t guessed = 0;  // beyond the bits that all kernels share

    [[nodiscard]] std::int64_t prev_state(std::int64_t state) {
        guessed += state >= 0x40 ? 1 : 0;
        return static_cast<std::int64_t>(prev_state_of_bits(state, bits));
    }
};

[[nodiscard]] std::uint8_t context_of(std::uint64_t common_flags);
// Reads 16 bytes from the beginning of a name that is not empty, whatever its length.
[[nodiscard]] Comm comm_of(std::string_view name);
// The payload of event `id` (a field number of FtraceEvent). False: of no meaning here.
bool decode_event(std::uint32_t id, std::string_view message, StateReader& states, KernelEvent& e);
// For counts of what is skipped: the common ones by name (ftrace_event.proto).
[[nodiscard]] std::string event_name(std::uint32_t id);

}  // namespace wakelab::trace::perfetto
