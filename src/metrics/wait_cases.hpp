// The worst waits of a run, each with what a reader asks next: who ran instead on that CPU, and which
// CPU that the task may use was idle meanwhile. Memory is fixed per CPU: what a CPU ran is kept for its
// latest kSlices switches, and what a longer wait cannot look back on is said.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "metrics/idle_watch.hpp"
#include "metrics/thread_states.hpp"
#include "trace/sink.hpp"

namespace wakelab::metrics {

struct RanInstead {
    std::uint32_t task = trace::kNobody;  // kNobody: nobody, the CPU was idle or waking up
    std::int64_t ns = 0;
};

struct WaitCase {
    static constexpr std::size_t kNamed = 4;

    std::uint32_t task = 0;
    QueuedBy why = QueuedBy::kWakeup;  // woken, or preempted
    std::int64_t from_ns = 0;
    std::int64_t wait_ns = 0;
    std::uint32_t cpu = 0;                 // where it was queued at first
    std::uint32_t ran_cpu = 0;             // where it ran in the end
    std::uint32_t waker = trace::kNobody;  // of the latest wake-up; kNobody: an interrupt or not known
    std::array<RanInstead, kNamed> instead{};  // most time first; ns = 0: nobody more
    std::int64_t not_kept_ns = 0;              // of the wait, before what is kept of these CPUs
    std::uint32_t idle_cpu = trace::kNobody;   // allowed, and idle longest meanwhile; kNobody: none was
    std::int64_t idle_ns = 0;
};

class WaitCases {
 public:
    static constexpr std::size_t kKept = 32;  // of each kind

    explicit WaitCases(std::uint32_t cpus) { add_cpus(cpus); }

    void add_cpus(std::uint32_t cpus);
    static constexpr std::uint32_t kNotKnown = ~0u - 1;
    // `task` (kNobody: idle; kNotKnown) had the CPU until now, `next` has it from now on.
    void ran(std::uint32_t cpu, std::uint32_t task, std::int64_t until_ns, std::uint32_t next) {
        Lane& lane = lanes_[cpu];
        lane.slices[lane.next++ % kSlices] = {until_ns, task};
        lane.current = next;
    }
    // The task of `record`, a switch that ran() knows already, waited as `step` says.
    void add(const trace::TraceRecord& record, const Step& step, const IdleWatch& watch) {
        const std::int64_t wait_ns = record.ns - step.queued_since_ns;
        Worst& worst = step.queued_by == QueuedBy::kPreemption ? preempted_ : woken_;
        if (wait_ns > worst.threshold_ns) keep(worst, record, step, watch);
    }
    // Longest first.
    [[nodiscard]] std::vector<WaitCase> woken() const { return sorted(woken_); }
    [[nodiscard]] std::vector<WaitCase> preempted() const { return sorted(preempted_); }

 private:
    static constexpr std::uint32_t kSlices = 256;
    struct Slice {
        std::int64_t until_ns = INT64_MIN;
        std::uint32_t task = kNotKnown;
    };
    struct Lane {
        std::vector<Slice> slices;
        std::uint32_t next = 0;
        std::uint32_t current = kNotKnown;
    };
    struct Worst {
        std::vector<WaitCase> cases;
        std::int64_t threshold_ns = -1;  // the shortest of a full list
    };

    void keep(Worst& worst, const trace::TraceRecord& record, const Step& step,
              const IdleWatch& watch);
    void look_back(WaitCase& c, std::uint32_t cpu, std::int64_t from_ns, std::int64_t to_ns);
    void found(std::uint32_t task, std::int64_t ns);
    [[nodiscard]] std::int64_t idle_between(std::uint32_t cpu, std::int64_t from_ns,
                                            std::int64_t to_ns, const IdleWatch& watch) const;
    static std::vector<WaitCase> sorted(const Worst& worst);

    std::vector<Lane> lanes_;
    std::vector<RanInstead> found_;  // scratch
    Worst woken_, preempted_;
};

}  // namespace wakelab::metrics
