// What every task and every CPU is doing, rebuilt from canonical events in one pass. Memory depends
// on the numbers of tasks and CPUs only. Records that contradict what went before (damaged files)
// are counted and the later record is believed; nothing here fails.
//
// Gaps. After a kLost of a CPU nobody knows what it does, who is queued there, or whether tasks of
// other CPUs have been there meanwhile. Each gap begins a new epoch; a state that began in an earlier
// epoch is believed, its duration is not.
#pragma once

#include <cstdint>
#include <vector>

#include "metrics/idle_watch.hpp"
#include "trace/sink.hpp"

namespace wakelab::metrics {

enum class ThreadState : std::uint8_t { kUnknown, kRunning, kRunnable, kSleeping, kDead };
enum class QueuedBy : std::uint8_t { kWakeup, kFork, kPreemption, kYield };

// How a task sleeps. A kernel thread without work ("I") counts as interruptible.
enum class SleepKind : std::uint8_t {
    kInterruptible,
    kUninterruptible,
    kIo,       // uninterruptible, and sched_blocked_reason says that it was for I/O
    kStopped,  // stopped, traced or parked
};
inline constexpr std::size_t kSleepKinds = 4;

struct Thread {
    ThreadState state = ThreadState::kUnknown;
    QueuedBy queued_by = QueuedBy::kWakeup;           // while runnable
    SleepKind sleep = SleepKind::kInterruptible;      // while sleeping
    std::uint32_t cpu = trace::kNobody;               // runs there, waits there, or was there last
    std::uint32_t epoch = 0;                          // in which the state began
    std::uint32_t waker = trace::kNobody;             // of the latest wake-up
    std::uint32_t first_cpu = trace::kNobody;         // while runnable: where it was queued first
    std::int64_t since_ns = 0;                        // in this state
    std::int64_t moved_ns = 0;                        // while runnable: queued on `cpu` since
};

struct CpuLane {
    std::uint32_t current = trace::kNobody;  // kNobody: idle
    std::uint32_t queued = 0;                // runnable tasks, the running one not included
    std::int64_t since_ns = 0;               // `current` has the CPU
    std::int64_t heard_ns = INT64_MIN;       // latest record that this CPU made
    std::uint32_t lost_epoch = 0;            // begun by its latest gap
    bool seen = false;  // a record told who runs; before that idle is assumed, in recordings nothing
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

    bool accepted = true;                // false: the record was ignored
    bool misplaced = false;              // wake-up: put on a busy CPU although an idle one was allowed
    bool onto_idle = false;              // wake-up: put on an idle CPU
    bool spans_gap = false;              // kSwitch, kWakeup: a duration that ended here is not known
    bool left_affinity = false;          // kSwitch: record.arg runs where it was not allowed
    QueuedBy queued_by = QueuedBy::kWakeup;         // kSwitch: why record.arg was runnable
    SleepKind slept_as = SleepKind::kInterruptible; // wake-up: how record.arg slept
    std::int64_t cpu_since_ns = 0;       // kSwitch, kLost: when the task before got the CPU
    std::int64_t queued_since_ns = kUnknownTime;  // kSwitch: when record.arg became runnable
    std::int64_t slept_since_ns = kUnknownTime;   // wake-up: when record.arg fell asleep
    // kSwitch, while record.arg waited:
    std::int64_t moved_ns = 0;
    std::uint32_t first_cpu = trace::kNobody;
    std::uint32_t waker = trace::kNobody;
    // kLost: who ran there, kNobody: idle; until when the CPU is known to have done so
    std::uint32_t lost_current = trace::kNobody;
    std::int64_t known_until_ns = kUnknownTime;
};

class ThreadStates {
 public:
    // Events must come with cpu < cpus(); `watch` is told of every change and must outlive this.
    ThreadStates(const trace::TraceInfo& info, IdleWatch& watch);

    // Makes room for tasks below `count`; records must not name others.
    void grow(std::uint32_t count);
    void add_cpus(std::uint32_t cpus);
    // See IdleWatch::set_allowed; the task may wait.
    void set_allowed(std::uint32_t task, const topo::CpuMask& allowed, bool kernel_thread);
    Step apply(const trace::TraceRecord& record);

    [[nodiscard]] const Thread& thread(std::uint32_t task) const { return threads_[task]; }
    [[nodiscard]] const CpuLane& cpu(std::uint32_t cpu) const { return cpus_[cpu]; }
    [[nodiscard]] std::uint32_t tasks() const {
        return static_cast<std::uint32_t>(threads_.size());
    }
    [[nodiscard]] std::uint32_t cpus() const { return static_cast<std::uint32_t>(cpus_.size()); }
    [[nodiscard]] std::uint32_t epoch() const { return epoch_; }
    // Is it known what the CPU does?
    [[nodiscard]] bool is_known(std::uint32_t cpu) const { return cpus_[cpu].seen || !recorded_; }
    [[nodiscard]] Anomalies& anomalies() { return anomalies_; }
    [[nodiscard]] const Anomalies& anomalies() const { return anomalies_; }

 private:
    Step on_switch(const trace::TraceRecord& record);
    Step on_wakeup(const trace::TraceRecord& record, QueuedBy by);
    Step on_migrate(const trace::TraceRecord& record);
    Step on_lost(const trace::TraceRecord& record);
    // The record was made by record.task on record.cpu.
    void hear(const trace::TraceRecord& record) {
        CpuLane& lane = cpus_[record.cpu];
        lane.heard_ns = record.ns;
        if (!lane.seen && recorded_) learn_current(record);
    }
    void learn_current(const trace::TraceRecord& record);
    void believe_current(const trace::TraceRecord& record);
    void switch_out(const trace::TraceRecord& record);
    void switch_in(const trace::TraceRecord& record, Step& step);
    void enqueue(std::uint32_t task, std::uint32_t cpu, WaitCause cause);
    void dequeue(std::uint32_t task);
    // The task, after what the gaps since it was last looked at mean for it.
    Thread& now(std::uint32_t task) {
        Thread& t = threads_[task];
        if (t.epoch != epoch_) forget_lost(t);
        return t;
    }
    void forget_lost(Thread& t) const;

    IdleWatch& watch_;
    std::vector<Thread> threads_;
    std::vector<CpuLane> cpus_;
    std::uint32_t epoch_ = 0;
    bool recorded_;
    Anomalies anomalies_;
};

}  // namespace wakelab::metrics
