// The part of a task that a scheduler sees: the kernel's task_struct as far as kernel/sched.c reads it.
// The engine's sim::Task derives from it; a SchedClass keeps its own numbers behind `entity`.
#pragma once

#include <cstdint>

#include "base/ids.hpp"
#include "topo/cpu_mask.hpp"

namespace wakelab::policy {

// kPreempt: SCHED_PREEMPT as proposed in 2008, of schedulers with that patch only (cfs.md 5).
enum class SchedPolicy : std::uint8_t { kNormal, kBatch, kIdle, kFifo, kRr, kPreempt };

enum class TaskState : std::uint8_t { kRunning, kInterruptible, kUninterruptible, kDead };

struct SchedTask {
    TaskId id;
    CpuId cpu;                             // runqueue it is on, or was on last (task_cpu)
    TaskState state = TaskState::kInterruptible;
    SchedPolicy policy = SchedPolicy::kNormal;
    std::int8_t nice = 0;                  // -20 .. 19; ignored for kFifo, kRr
    std::uint8_t rt_priority = 0;          // 1 .. 99 for kFifo, kRr, else 0
    bool on_rq = false;                    // queued or running; kept by the SchedClass
    bool is_user = true;                   // has an address space (not a kernel thread)
    TaskId mm;                             // task whose address space it uses, often itself
    bool migration_thread = false;         // the per-CPU balancing thread (SCHED_FIFO 99)
    bool noninteractive_sleep = false;     // sleeps in pipe_wait (o1.md 3.6)
    topo::CpuMask allowed;                 // cpus_allowed
    std::uint32_t group = 0;               // 0: none, else 1 + index in SchedulerConfig::groups
    void* entity = nullptr;                // owned by the SchedClass between attach and detach

    // Cloned with CLONE_VM.
    [[nodiscard]] bool is_thread() const { return mm.valid() && mm != id; }
    [[nodiscard]] bool is_rt() const {
        return policy == SchedPolicy::kFifo || policy == SchedPolicy::kRr;
    }
};

}  // namespace wakelab::policy
