// The O(1) scheduler's own numbers of one task (o1.md 1.4). SchedTask::entity points here.
#pragma once

#include <cstdint>

#include "base/ids.hpp"
#include "policy/task.hpp"

namespace wakelab::policy::o1 {

class PrioArray;

// How the task came to be runnable: `activated` up to 2.6.16, `sleep_type` from 2.6.17 (o1.md 3.5).
enum class SleepType : std::uint8_t {
    kNormal,          // activated 0
    kNoninteractive,  // activated -1: uninterruptible sleep (2.6.17: also pipe_wait)
    kInteractive,     // activated 1: woken in process context
    kInterrupted,     // activated 2: woken in interrupt context
};

struct Entity {
    Entity* next = nullptr;  // neighbours in the list of its priority
    Entity* prev = nullptr;
    PrioArray* array = nullptr;  // null: not queued
    SchedTask* task = nullptr;
    std::int32_t prio = 0;         // 0 .. 139
    std::int32_t static_prio = 0;  // 100 .. 139
    std::uint32_t time_slice = 0;  // jiffies left
    SleepType sleep_type = SleepType::kNormal;
    bool first_time_slice = false;        // has not used up the slice it got at fork
    std::int16_t interactive_credit = 0;  // 2.6.9
    std::uint64_t sleep_avg = 0;          // ns
    std::uint64_t timestamp = 0;          // ns: switched in, switched out or woken
    std::uint64_t last_ran = 0;           // ns: switched out last
    std::uint64_t load_weight = 0;        // what it adds to raw_weighted_load
    CpuId last_waker_cpu;                 // 2.6.16-rc1 .. rc3

    [[nodiscard]] bool rt() const { return prio < 100; }  // rt_task()
};

[[nodiscard]] inline Entity& entity_of(const SchedTask& p) {
    return *static_cast<Entity*>(p.entity);
}

}  // namespace wakelab::policy::o1
