// Facts of a kernel build and age that are not the scheduler's own: HZ, NO_HZ, preemption model, and
// which hints its pipes and sockets pass with a wake-up (cfs.md 7, o1.md 11).
#pragma once

#include <cstdint>

#include "base/time.hpp"

namespace wakelab::policy {

enum class PreemptModel : std::uint8_t {
    kNone,     // need_resched is looked at on return to user mode, when blocking, in the idle loop
    kFull,     // CONFIG_PREEMPT: also inside system calls
};

// When the ticks of the CPUs come, relative to each other.
enum class TickPhase : std::uint8_t {
    kRandom,   // each CPU started its timer when it booted
    kSpread,   // CPU k of n: (k + 1) / (n + 1) of a tick after the global timer interrupt (2.4, i386)
};

struct KernelConfig {
    std::uint32_t hz = 250;        // 100, 250, 300, 1000 or 1024
    bool no_hz = true;             // idle CPUs stop their tick
    bool high_res = true;          // high-resolution timers: slices can end between ticks (HRTICK)
    bool sched_smt = true;         // CONFIG_SCHED_SMT: wake_idle() is compiled in
    PreemptModel preempt = PreemptModel::kNone;
    bool one_runqueue = false;     // no CPU owns a wakee: the class charges remote work itself
    TickPhase tick_phase = TickPhase::kRandom;

    [[nodiscard]] Duration tick() const { return {1'000'000'000 / static_cast<std::int64_t>(hz)}; }
};

struct IpcRules {
    bool data_ready_sync = false;      // sock_def_readable: AF_UNIX, UDP
    bool unix_write_space_sync = false;
    bool pipe_end_sync = false;        // final wake-up of a pipe read or write call
    bool pipe_mid_sync = true;         // wake-up before a pipe call blocks half-way
    std::uint32_t pipe_slots = 16;     // page buffers; 1: the single page ring up to 2.6.10
    bool pipe_noninteractive = false;  // pipe_wait sleeps TASK_NONINTERACTIVE (o1.md 3.6)
};

}  // namespace wakelab::policy
