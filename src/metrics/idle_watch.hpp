// Integrates over time what waiting tasks and idle CPUs have to do with each other: how long tasks
// waited behind another task although a CPU that they may use was idle, why they stood there, and
// how much CPU time that cost. ThreadStates tells it every change; a change costs O(1) plus
// O(distinct affinity masks) when a CPU becomes idle or busy.
//
// A CPU is idle when it runs nothing and nothing is queued on it: a CPU that is on its way out of
// idle has work. A task waits when it is queued on a CPU that runs another task.
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

struct IdleWatchTotals {
    std::int64_t stuck_time_ns = 0;  // while at least one task waited and an allowed CPU was idle
    std::array<std::int64_t, kWaitCauseCount> stuck_wait_ns{};  // task time of such waits, by cause
    // CPU time that could have been used: integral of min(such tasks, idle CPUs). With affinity
    // masks it is an upper bound.
    std::int64_t lost_cpu_ns = 0;
    std::int64_t idle_cpu_ns = 0;  // integral of the number of idle CPUs
};

class IdleWatch {
 public:
    explicit IdleWatch(const trace::TraceInfo& info);

    // Makes room for tasks below `count`; those that TraceInfo did not name may use every CPU.
    void grow(std::uint32_t count);

    // Time passes up to now_ns. Only what lies after TraceInfo.start_ns counts.
    void advance(std::int64_t now_ns);
    void wait_begin(std::uint32_t task, std::uint32_t cpu, WaitCause cause);
    void wait_end(std::uint32_t task, std::uint32_t cpu);
    void set_running(std::uint32_t cpu, bool running);

    [[nodiscard]] bool is_idle(std::uint32_t cpu) const {
        return !cpus_[cpu].running && cpus_[cpu].queued == 0;
    }
    // Is a CPU idle that `task` may use?
    [[nodiscard]] bool idle_cpu_for(std::uint32_t task) const;
    [[nodiscard]] WaitCause cause_of(std::uint32_t task) const { return tasks_[task].cause; }
    [[nodiscard]] const IdleWatchTotals& totals() const { return totals_; }

 private:
    struct Cpu {
        bool running = false;
        std::uint32_t queued = 0;
    };
    struct Task {
        std::uint32_t mask_class = 0;
        WaitCause cause = WaitCause::kAllBusy;
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
        return queued_[cpu * classes_.size() + mask_class];
    }
    void change_waiting(MaskClass& mask_class, const Counts& counts, bool more);
    void change_idle(std::uint32_t cpu, bool idle);

    std::int64_t last_ns_;
    std::vector<Cpu> cpus_;
    std::vector<Task> tasks_;
    std::vector<MaskClass> classes_;  // 0: every CPU
    std::vector<Counts> queued_;      // [cpu][class]
    std::uint32_t idle_cpus_ = 0;
    Counts stuck_{};  // waiting tasks with an idle CPU in their mask
    IdleWatchTotals totals_;
};

}  // namespace wakelab::metrics
