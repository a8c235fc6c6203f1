// What a run counts about itself, whether or not somebody watches its events.
#pragma once

#include <cstdint>

namespace wakelab::sim {

struct Counters {
    std::uint64_t work_units = 0;        // transactions, periods: what the scenario calls its unit
    std::uint64_t switches = 0;          // as the kernel counts them, to and from idle included
    std::uint64_t wakeups = 0;           // try_to_wake_up calls that activated a task
    std::uint64_t early_wakeups = 0;     // found the task still queued
    std::uint64_t spurious_wakeups = 0;  // woken task found nothing to do and slept again
    std::uint64_t migrations = 0;        // task changed CPU, at wake-up or while queued
    std::uint64_t wake_migrations = 0;   // of these at wake-up
    std::uint64_t preemptions = 0;       // switched out although runnable
    std::uint64_t preempt_wakeup = 0;    // of these because of a wake-up
    std::uint64_t preempt_tick = 0;      // of these by tick or slice timer
    std::uint64_t batches = 0;           // select() calls that returned; work_units / batches = batch size
    std::uint64_t events = 0;            // events served, for ns per event
};

}  // namespace wakelab::sim
