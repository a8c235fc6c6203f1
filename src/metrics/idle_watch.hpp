// Integrates over time what waiting tasks and idle CPUs have to do with each other: how long tasks
// waited behind another task although a CPU that they may use was idle, why they stood there, and
// how much CPU time that cost. ThreadStates tells it every change; a change costs O(1) plus
// O(distinct affinity masks) when a CPU becomes idle or busy.
//
// A CPU is idle when it runs nothing and nothing is queued on it: a CPU that is on its way out of
// idle has work. A task waits when it is queued on a CPU that runs another task. A CPU of which a
// recording does not tell what it does (before its first switch, after a gap) is neither idle nor
// running.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "trace/sink.hpp"

namespace wakelab::metrics {

// Why a task stands in a queue.
enum class WaitCause : std::uint8_t {
    kPlacement,  // the wake-up chose a busy CPU while an idle one was allowed
    kAllBusy,    // no idle CPU at wake-up; what waits longer than that is the balancer's
    kPreempted,  // it ran here and had to give way
};
inline constexpr std::size_t kWaitCauseCount = 3;

// A time without work conservation: some task waited while a CPU that it may use was idle.
struct Violation {
    std::int64_t from_ns = 0;
    std::int64_t length_ns = 0;
    std::uint32_t task = trace::kNobody;      // that waited; kNobody: not known which
    std::uint32_t idle_cpu = trace::kNobody;  // that idled when it began
};

struct IdleWatchTotals {
    static constexpr std::size_t kLengths = 40;  // powers of two: [2^(i-1), 2^i) ns, the last: all above
    static constexpr std::size_t kLongest = 8;

    std::int64_t stuck_time_ns = 0;  // while at least one task waited and an allowed CPU was idle
    std::array<std::int64_t, kWaitCauseCount> stuck_wait_ns{};  // task time of such waits, by cause
    // CPU time that could have been used: integral of min(such tasks, idle CPUs). With affinity
    // masks it is an upper bound.
    std::int64_t lost_cpu_ns = 0;
    std::int64_t idle_cpu_ns = 0;  // integral of the number of idle CPUs
    // The same for tasks that wait while CPUs idle of which their affinity allows none; per-CPU kernel
    // threads, which have no choice by nature, not included.
    std::int64_t excluded_wait_ns = 0;
    std::int64_t excluded_cpu_ns = 0;
    std::uint64_t violations = 0;
    std::array<std::uint64_t, kLengths> violations_by_length{};
    std::vector<Violation> longest;  // longest first
};

class IdleWatch {
 public:
    explicit IdleWatch(const trace::TraceInfo& info);

    // Makes room for tasks below `count`; those that TraceInfo did not name may use every CPU.
    void grow(std::uint32_t count);
    void add_cpus(std::uint32_t cpus);
    // What CPUs the task may use; an empty mask: every CPU. It must not wait at the moment.
    void set_allowed(std::uint32_t task, const topo::CpuMask& allowed, bool kernel_thread);
    [[nodiscard]] bool allows(std::uint32_t task, std::uint32_t cpu) const;
    [[nodiscard]] bool is_restricted(std::uint32_t task) const { return tasks_[task].mask_class != 0; }
    // Masks that did not fit into kMaxClasses; their tasks count as free to run everywhere.
    [[nodiscard]] std::uint64_t ignored_masks() const { return ignored_masks_; }

    // Time passes up to now_ns. Only what lies after TraceInfo.start_ns counts.
    void advance(std::int64_t now_ns) {
        if (now_ns <= last_ns_) return;
        if (idle_cpus_ > 0 || open_) pass(now_ns);
        last_ns_ = now_ns;
    }
    void wait_begin(std::uint32_t task, std::uint32_t cpu, WaitCause cause);
    void wait_end(std::uint32_t task, std::uint32_t cpu);
    void set_running(std::uint32_t cpu, bool running);
    // Nobody knows what the CPU does, nor what is queued on it, until set_running.
    void set_unknown(std::uint32_t cpu);
    // After the last advance(): a violation that still lasts ends here.
    void finish();

    [[nodiscard]] bool is_idle(std::uint32_t cpu) const { return cpus_[cpu].is_idle(); }
    [[nodiscard]] std::uint32_t idle_cpus() const { return idle_cpus_; }
    // Is a CPU idle that `task` may use?
    [[nodiscard]] bool idle_cpu_for(std::uint32_t task) const {
        const std::uint32_t k = tasks_[task].mask_class;
        return k < kPinnedKernel && classes_[k].idle_cpus > 0;
    }
    [[nodiscard]] WaitCause cause_of(std::uint32_t task) const { return tasks_[task].cause; }
    [[nodiscard]] const IdleWatchTotals& totals() const { return totals_; }

 private:
    static constexpr std::uint32_t kMaxClasses = 64;
    // Tasks that may use one CPU only never wait in vain: another CPU being idle is no help to them.
    // They need no class, which keeps per-CPU kernel threads from making one class per CPU.
    static constexpr std::uint32_t kPinned = ~0u;
    static constexpr std::uint32_t kPinnedKernel = ~0u - 1;

    struct Cpu {
        bool running = false;
        bool known = true;
        std::uint32_t queued = 0;
        std::uint32_t queued_kernel = 0;  // of these kPinnedKernel
        [[nodiscard]] bool is_idle() const { return known && !running && queued == 0; }
    };
    struct Task {
        std::uint32_t mask_class = 0;
        WaitCause cause = WaitCause::kAllBusy;
        std::uint16_t only_cpu = 0;  // of pinned tasks
    };
    using Counts = std::array<std::uint32_t, kWaitCauseCount>;
    // All tasks with one affinity mask.
    struct MaskClass {
        topo::CpuMask mask;
        std::uint32_t idle_cpus = 0;
        Counts waiting{};  // on CPUs that run another task
    };

    std::uint32_t class_of(const topo::CpuMask& allowed);
    Counts& queued(std::uint32_t cpu, std::uint32_t mask_class) {
        return queued_[cpu * stride_ + mask_class];
    }
    void pass(std::int64_t now_ns);
    void open_violation();
    void close_violation();
    void stick(std::size_t cause, std::uint32_t delta) {
        stuck_[cause] += delta;
        stuck_total_ += delta;
    }
    void add_queue(std::uint32_t cpu, bool more);
    void change_waiting(MaskClass& mask_class, const Counts& counts, bool more);
    void change_idle(std::uint32_t cpu, bool idle);

    std::int64_t last_ns_;
    std::vector<Cpu> cpus_;
    std::vector<Task> tasks_;
    std::vector<MaskClass> classes_;  // 0: every CPU
    std::uint32_t stride_ = 1;        // classes that queued_ has room for
    std::vector<Counts> queued_;      // [cpu][class]
    std::vector<std::uint64_t> idle_words_;  // the idle CPUs
    std::uint32_t idle_cpus_ = 0;
    std::uint32_t waiting_ = 0;  // tasks on CPUs that run another, without kPinnedKernel
    Counts stuck_{};             // waiting tasks with an idle CPU in their mask
    std::uint32_t stuck_total_ = 0;
    bool new_cpus_known_ = true;
    bool open_ = false;  // a violation lasts
    Violation violation_;
    std::uint32_t latest_waiter_ = trace::kNobody;
    std::uint64_t ignored_masks_ = 0;
    IdleWatchTotals totals_;
};

}  // namespace wakelab::metrics
