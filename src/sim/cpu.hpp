// A simulated CPU as the engine sees it.
#pragma once

#include <cstdint>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "sim/event_queue.hpp"
#include "sim/task.hpp"

namespace wakelab::sim {

// Who set need_resched; tells preemptions by wake-up from those by slice.
enum class ReschedCause : std::uint8_t { kNone, kWakeup, kTick, kOther };

struct Cpu {
    CpuId id;
    Task* curr = nullptr;              // null: the idle task
    bool need_resched = false;
    bool tick_stopped = false;         // NO_HZ idle
    ReschedCause cause = ReschedCause::kNone;
    Time segment_start{};              // when curr's current segment began or was last accounted
    Time curr_since{};                 // when curr was switched in; idle: when idle began
    Task* leaving = nullptr;           // sleeps until the migration thread has moved it
    CpuId leaving_to;
    Task* last_task = nullptr;         // task that ran last: its registers and L1 are still there
    Event work_done{.kind = EventKind::kWorkDone};
    Event ipi{.kind = EventKind::kIpi};
    Event slice_end{.kind = EventKind::kSliceEnd};
    Event tick{.kind = EventKind::kTick};
    Duration tick_phase{};
    std::int64_t busy_ns = 0;
};

}  // namespace wakelab::sim
