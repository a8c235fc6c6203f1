// A simulated task: what the scheduler sees of it, the work it has left until its next effect, and its
// program.
#pragma once

#include <cstdint>
#include <string>

#include "policy/task.hpp"
#include "sim/cache_model.hpp"
#include "sim/coroutine.hpp"
#include "sim/event_queue.hpp"

namespace wakelab::sim {

class Engine;
class Sys;
struct Task;

// What happens when the work of a segment is done: the effect of a system call. Runs on the task's CPU.
using Effect = void (*)(Engine&, Task&);

// Costs until the next effect, fused into one event: the rest of the last system call (and of a context
// switch), user code, and the next system call up to its effect. need_resched takes effect at the end of
// `tail` and within `user` (return to user mode), never within `head` unless the kernel is preemptible.
struct Segment {
    std::int64_t tail = 0;
    std::int64_t user = 0;
    std::int64_t head = 0;
    bool in_head = false;              // head has begun (or the task never left the kernel)

    [[nodiscard]] std::int64_t total() const { return tail + user + head; }
};

struct TaskStats {
    std::int64_t cpu_ns = 0;
    std::uint64_t switches = 0;
    std::uint64_t wakeups = 0;
    std::uint64_t migrations = 0;
};

struct Task : policy::SchedTask {
    // hot
    Segment segment;
    Effect effect = nullptr;
    Effect retry = nullptr;            // what runs when a sleeping system call is woken,
    std::int64_t retry_cost = 0;       // after this cost
    std::int64_t result = 0;           // what the pending system call returns
    Footprint footprint;
    bool polling = false;              // scanning in select(): a wake-up finds it TASK_INTERRUPTIBLE
    bool woken_early = false;          // such a wake-up happened during this scan
    bool on_cpu = false;               // executing on `cpu`
    bool woken_far = false;            // by a CPU of another cache, which holds lines of this task now
    CpuId woken_by;                    // CPU that woke it, until it runs
    Workload program;
    Task* next_waiter = nullptr;       // in the wait queue it sleeps on
    void* call = nullptr;              // object of the pending system call
    std::int64_t call_arg = 0;
    std::int64_t call_arg2 = 0;
    Event timer{.kind = EventKind::kTimer};
    CpuId timer_cpu;                   // CPU whose timer interrupt will wake it
    // cold
    Sys* sys = nullptr;                // its system calls; owned by the engine
    Task* parent = nullptr;            // who forked it; null: part of the scenario
    TaskStats stats;
    std::string name;
};

}  // namespace wakelab::sim
