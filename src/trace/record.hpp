// The canonical event: one 32-byte record for simulated, recorded and replayed runs alike. Everything
// that judges a run reads only these.
#pragma once

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
};

inline constexpr std::uint32_t kNobody = ~0u;

enum WakeFlags : std::uint32_t { kWakeSync = 1, kWakeInInterrupt = 2 };

enum class PrevState : std::uint32_t {
    kPreemptedByWakeup, kPreemptedByTick, kPreemptedOther, kYielded, kBlocked, kDead };

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
