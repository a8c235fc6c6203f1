// What every task and every CPU is doing, rebuilt from canonical events in one pass. Memory depends
// on the numbers of tasks and CPUs only. Records that contradict what went before (lost events,
// damaged files) are counted and the later record is believed; nothing here fails.
#pragma once

#include <cstdint>
#include <vector>

#include "metrics/idle_watch.hpp"
#include "trace/sink.hpp"

namespace wakelab::metrics {

enum class ThreadState : std::uint8_t { kUnknown, kRunning, kRunnable, kSleeping, kDead };
enum class QueuedBy : std::uint8_t { kWakeup, kFork, kPreemption, kYield };

struct Thread {
    ThreadState state = ThreadState::kUnknown;
    QueuedBy queued_by = QueuedBy::kWakeup;  // while runnable
    std::uint32_t cpu = trace::kNobody;      // runs there, waits there, or was there last
    std::int64_t since_ns = 0;               // in this state
};

struct CpuLane {
    std::uint32_t current = trace::kNobody;  // kNobody: idle
    std::uint32_t queued = 0;                // runnable tasks, the running one not included
    std::int64_t since_ns = 0;               // `current` has the CPU
    bool seen = false;                       // a switch told who runs; before that idle is assumed
};

// Records that do not fit. Unless "ignored", the record is believed.
struct Anomalies {
    std::uint64_t bad_record = 0;         // CPU or task number or event type out of range; ignored
    std::uint64_t time_backwards = 0;     // taken as simultaneous with the record before
    std::uint64_t wrong_current = 0;      // switch away from a task that did not run there
    std::uint64_t missing_wakeup = 0;     // a task that slept was switched in
    std::uint64_t missing_migration = 0;  // a task was switched in where it was not queued
    std::uint64_t woken_awake = 0;        // wake-up of a task that was not asleep; ignored
    std::uint64_t migrated_running = 0;   // migration of a task that ran; ignored

    [[nodiscard]] std::uint64_t total() const {
        return bad_record + time_backwards + wrong_current + missing_wakeup + missing_migration +
               woken_awake + migrated_running;
    }
};

// What one record changed, as far as the state after it does not show it.
struct Step {
    static constexpr std::int64_t kUnknownTime = INT64_MIN;

    bool accepted = true;                         // false: the record was ignored
    std::int64_t cpu_since_ns = 0;                // kSwitch: when record.task got the CPU
    std::int64_t queued_since_ns = kUnknownTime;  // kSwitch: when record.arg became runnable
    QueuedBy queued_by = QueuedBy::kWakeup;       // kSwitch: why it was
    bool misplaced = false;  // wake-up: put on a busy CPU although an idle one was allowed
};

class ThreadStates {
 public:
    // Events must come with cpu < info.cpus; `watch` is told of every change and must outlive this.
    ThreadStates(const trace::TraceInfo& info, IdleWatch& watch);

    // Makes room for tasks below `count`; records must not name others.
    void grow(std::uint32_t count);
    Step apply(const trace::TraceRecord& record);

    [[nodiscard]] const Thread& thread(std::uint32_t task) const { return threads_[task]; }
    [[nodiscard]] const CpuLane& cpu(std::uint32_t cpu) const { return cpus_[cpu]; }
    [[nodiscard]] std::uint32_t tasks() const {
        return static_cast<std::uint32_t>(threads_.size());
    }
    [[nodiscard]] std::uint32_t cpus() const { return static_cast<std::uint32_t>(cpus_.size()); }
    [[nodiscard]] Anomalies& anomalies() { return anomalies_; }
    [[nodiscard]] const Anomalies& anomalies() const { return anomalies_; }

 private:
    Step on_switch(const trace::TraceRecord& record);
    Step on_wakeup(const trace::TraceRecord& record, QueuedBy by);
    Step on_migrate(const trace::TraceRecord& record);
    void believe_current(const trace::TraceRecord& record);
    void switch_out(const trace::TraceRecord& record);
    void switch_in(const trace::TraceRecord& record, Step& step);
    void enqueue(std::uint32_t task, std::uint32_t cpu, WaitCause cause);
    void dequeue(std::uint32_t task);

    IdleWatch& watch_;
    std::vector<Thread> threads_;
    std::vector<CpuLane> cpus_;
    Anomalies anomalies_;
};

}  // namespace wakelab::metrics
