// A kernel trace event as every recorder tells it, before it is made canonical: what readers
// produce and the Translator takes. A plain value, so that readers can put events of several CPUs
// in order.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "trace/record.hpp"

namespace wakelab::trace {

enum class KernelEventType : std::uint8_t {
    kSwitch,         // pid/comm = prev, other_pid/other_comm = next; value = PrevState
    kWaking,         // other_pid/other_comm = wakee; target_cpu = its CPU until now
    kWakeup,         // other = wakee; target_cpu = where it is queued
    kWakeupNew,      // other = new task; target_cpu as above
    kMigrate,        // other = task; from_cpu -> target_cpu
    kFork,           // pid/comm = parent, other = child
    kExec,           // pid
    kExit,           // pid/comm = who exits
    kBlockedReason,  // other = task; value = caller; io_wait
    kIrqEntry,       // value = number
    kIrqExit,
    kSoftirqEntry,  // value = vector
    kSoftirqExit,
    kIpi,           // target_cpu, or -1: several
    kCpuIdle,       // target_cpu = the CPU it is about; value = state, -1 (as int32): leaves
    kFrequency,     // target_cpu = the CPU it is about; value = kHz
    kSyscallEnter,  // value = number
    kSyscallExit,   // value = return value
    kLost,          // events of `cpu` are missing before ns; value = how many, 0 = unknown
    kOther,         // understood, of no use here (sched_stat_runtime); counted only
};
inline constexpr std::size_t kKernelEventTypeCount =
    static_cast<std::size_t>(KernelEventType::kOther) + 1;

// The kernel's name of it: "sched_switch".
[[nodiscard]] std::string_view to_string(KernelEventType type);

// TASK_COMM_LEN bytes, NUL-padded; all NUL: not told. Never holds more than 15 bytes of a name.
struct Comm {
    std::array<char, 16> bytes{};

    Comm() = default;
    explicit Comm(std::string_view name) {
        // A view of nothing has no address, which memcpy() must not see.
        if (!name.empty()) std::memcpy(bytes.data(), name.data(), name.size() < 15 ? name.size() : 15);
    }
    [[nodiscard]] std::string_view view() const {
        return {bytes.data(), strnlen(bytes.data(), 16)};
    }
    [[nodiscard]] bool told() const { return bytes[0] != 0; }
    bool operator==(const Comm& other) const {
        return std::memcmp(bytes.data(), other.bytes.data(), 16) == 0;
    }
};

// Where the current task was when the event was recorded.
enum Context : std::uint8_t { kInHardirq = 1, kInSoftirq = 2 };

struct KernelEvent {
    std::int64_t ns = 0;
    std::uint32_t cpu = 0;  // that recorded it
    KernelEventType type = KernelEventType::kOther;
    std::uint8_t context = 0;
    bool io_wait = false;
    std::int32_t pid = 0;  // current task, 0 = idle; kSwitch: prev
    std::int32_t other_pid = 0;
    std::int32_t from_cpu = -1;
    std::int32_t target_cpu = -1;  // -1: not told
    std::int64_t value = 0;
    Comm comm{}, other_comm{};  // of pid, of other_pid
};

// The state in which a task left its CPU from the kernel's letters: "S", "D|K", "R+", "X". Letters
// that are not known are blocked states.
[[nodiscard]] PrevState prev_state_of(std::string_view letters);

}  // namespace wakelab::trace
