// The canonical event: one 32-byte record for simulated, recorded and replayed runs alike. Everything
// that judges a run reads only these.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wakelab::trace {

enum class EventType : std::uint16_t {
    kSwitch,       // cpu: task -> arg. flags: PrevState of `task`. kNobody = idle on either side
    kWaking,       // task, executing on cpu, wakes arg; no CPU chosen yet. payload: WakeFlags
    kWakeup,       // arg woken by task onto `cpu`. flags: WakeFlags; payload: prev cpu << 32 | PlaceRule
    kWakeupEarly,  // like kWakeup, but arg was still queued
    kWakeupNew,    // arg forked by task, queued on `cpu`
    kMigrate,      // queued arg moved from cpu payload to `cpu`, by the balancer or who takes it (2.4)
    kResched,      // need_resched set on `cpu` whose current is task, on behalf of arg
    kSpurious,     // task woke up, found nothing and sleeps again
    kWorkUnit,     // task finished one unit of work (transaction, period). payload: how many
    kExit,         // task is gone
    kIrq,          // interrupt on `cpu`; task = interrupted. payload: IrqKind
    kSleepUntil,   // task programmed a timer for payload (ns)
    // Only in recordings.
    kFork,          // task forked arg
    kExec,          // task runs another program now
    kIrqEntry,      // interrupt handler on `cpu`; task = interrupted. payload: interrupt number
    kIrqExit,
    kSoftirqEntry,  // payload: softirq vector
    kSoftirqExit,
    kIpi,           // task, on `cpu`, interrupts CPU payload (-1: several or not told)
    kCpuIdle,       // `cpu` enters idle state payload; -1: leaves it
    kFrequency,     // `cpu` runs at payload kHz from now on
    kSyscallEnter,  // task on `cpu`. payload: system call number
    kSyscallExit,   // payload: return value
    kBlockedReason, // why arg was blocked. payload: kernel address or 0; flags: 1 = for I/O
    kLost,          // events of `cpu` are missing before this one. payload: how many, 0 = unknown
};
inline constexpr std::size_t kEventTypeCount = static_cast<std::size_t>(EventType::kLost) + 1;

inline constexpr std::uint32_t kNobody = ~0u;

enum WakeFlags : std::uint32_t { kWakeSync = 1, kWakeInInterrupt = 2 };

// Flag of kMigrate and kWakeup: the recording does not hold the event, a later one implies it.
inline constexpr std::uint32_t kInferred = 1u << 31;

enum class PrevState : std::uint32_t {
    kPreemptedByWakeup, kPreemptedByTick, kPreemptedOther, kYielded, kBlocked, kDead,
    kUninterruptible,  // blocked, "D"
    kIdleThread,       // blocked, "I": a kernel thread without work
    kStopped };        // stopped, traced or parked

// Off the CPU and not runnable, but not gone.
constexpr bool is_blocked(PrevState s) {
    return s == PrevState::kBlocked || s >= PrevState::kUninterruptible;
}

struct TraceRecord {
    std::int64_t ns;
    std::uint32_t task, arg;
    std::uint16_t cpu;
    EventType type;
    std::uint32_t flags;
    std::int64_t payload;
};
static_assert(sizeof(TraceRecord) == 32);

}  // namespace wakelab::trace
