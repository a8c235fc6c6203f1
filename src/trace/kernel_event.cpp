#include "trace/kernel_event.hpp"

#include <algorithm>

namespace wakelab::trace {

std::string_view to_string(KernelEventType type) {
    static constexpr std::array<std::string_view, kKernelEventTypeCount> kNames = {
        "sched_switch",       "sched_waking",       "sched_wakeup",
        "sched_wakeup_new",   "sched_migrate_task", "sched_process_fork",
        "sched_process_exec", "sched_process_exit", "sched_blocked_reason",
        "irq_handler_entry",  "irq_handler_exit",   "softirq_entry",
        "softirq_exit",       "ipi",                "cpu_idle",
        "cpu_frequency",      "sys_enter",          "sys_exit",
        "lost",               "other"};
    return kNames[static_cast<std::size_t>(type)];
}

// Letters: include/trace/events/sched.h, sched_switch. "+" marks a task that was preempted in the kernel,
// whatever state it had set; "N" (TASK_NOLOAD, before 4.14) with "D" is what is "I" since.
PrevState prev_state_of(std::string_view letters) {
    const auto has = [&](char c) { return letters.find(c) != letters.npos; };
    if (letters.empty() || has('+') || has('R')) return PrevState::kPreemptedOther;
    if (has('X') || has('Z') || has('x')) return PrevState::kDead;
    if (has('I') || has('N')) return PrevState::kIdleThread;
    if (has('T') || has('t') || has('P')) return PrevState::kStopped;
    if (has('D')) return PrevState::kUninterruptible;
    return PrevState::kBlocked;
}

}  // namespace wakelab::trace
