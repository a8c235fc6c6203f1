// Who wakes whom, how often, where the wakee went and which rule put it there; and what became of
// the waker's batch: the wake-ups it does between two sleeps.
//
// Wake-ups from interrupts and idle CPUs (timers, devices) have no task as their cause; they belong
// to one waker of their own, kInterruptWaker.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/place_rule.hpp"
#include "metrics/idle_watch.hpp"
#include "metrics/thread_states.hpp"
#include "metrics/topology.hpp"
#include "trace/sink.hpp"

namespace wakelab::metrics {

inline constexpr std::uint32_t kInterruptWaker = trace::kNobody;

using RuleCounts = std::array<std::uint64_t, kPlaceRuleCount>;

// What a task's wake-ups look like.
enum class WakeRole : std::uint8_t {
    kNone,       // wakes nobody
    kOneToOne,   // it and its wakee wake nobody else
    kOneToMany,  // wakes several tasks
    kManyToOne,  // one of several that wake the same task
    kPipeline,   // wakes one task that wakes another
};

struct WakeEdge {
    std::uint32_t wakee = 0;
    std::uint64_t wakeups = 0;
    std::uint64_t far = 0;  // wakee put into another cache than the waker's
};

struct PlacementCounts {
    std::uint64_t wakeups = 0;
    std::uint64_t sync = 0;        // with the sync hint
    std::uint64_t moved = 0;       // wakee put on another CPU than it had
    std::uint64_t onto_waker = 0;  // wakee put on the CPU that ran the waker
    std::uint64_t pulled = 0;      // of these from another CPU
    std::uint64_t misplaced = 0;   // put on a busy CPU although an idle one was allowed
    std::uint64_t stacked = 0;     // of these on the waker's CPU
    std::uint64_t far = 0;         // put into another cache than the waker's
    std::uint64_t beside_busy = 0; // put on an idle thread of a busy core while a whole core idled
    // Stacked, and the waker made way by going to sleep soon: as good as a call.
    std::uint64_t handed_over = 0;
    std::int64_t handed_over_ns = 0;  // what these waited
    RuleCounts by_rule{};
    RuleCounts pulled_by_rule{};
    RuleCounts stacked_by_rule{};

    void add(const PlacementCounts& other);
};

// Preemptions of a waker by a task it had woken, with wake-ups of the same batch still to come.
struct CutCounts {
    std::uint64_t cuts = 0;
    std::int64_t wait_ns = 0;          // it waited so long to go on
    std::int64_t idle_ns = 0;          // CPU time that idled meanwhile, all CPUs together
    std::int64_t stacked_idle_ns = 0;  // of this, when an idle CPU had been free for the wakee

    void add(const CutCounts& other);
};

// Wake-ups between two sleeps of a waker. One that never sleeps has no finished batch, but cuts.
struct BatchCounts {
    static constexpr std::size_t kBuckets = 8;  // 0, 1, 2, 3-4, 5-8, 9-16, 17-32, more

    std::uint64_t batches = 0;
    std::array<std::uint64_t, kBuckets> by_size{};
    std::uint64_t wakeups = 0;  // in these batches
    std::uint64_t largest = 0;
    CutCounts cut;

    void add(const BatchCounts& other);
    [[nodiscard]] double mean_size() const;
};

struct Waker {
    std::uint32_t task = kInterruptWaker;
    WakeRole role = WakeRole::kNone;
    std::uint32_t fan_out = 0;  // wakees that it wakes often (see kOftenDivisor)
    PlacementCounts placed;
    BatchCounts batch;
    std::vector<WakeEdge> edges;  // by wakee id; the first kMaxEdges wakees that it met
    std::uint64_t other_wakeups = 0;  // of wakees beyond these

    static constexpr std::size_t kMaxEdges = 4096;
};

struct WakeGraph {
    // A wakee counts for the shape of the graph if it gets at least this part of the wake-ups of
    // the waker's most frequent wakee; start-up chatter does not make a driver of a pipe.
    static constexpr std::uint64_t kOftenDivisor = 10;

    std::vector<Waker> wakers;  // in order of their first wake-up
    PlacementCounts total;

    [[nodiscard]] const Waker* find(std::uint32_t task) const;
};

class WakeGraphCollector {
 public:
    // A wait that is not longer than this is a hand-over: waking an idle CPU takes about as long.
    static constexpr std::int64_t kHandOverNs = 20'000;

    // `topology` must outlive this.
    WakeGraphCollector(const trace::TraceInfo& info, const Topology& topology);

    void grow(std::uint32_t count);
    void add_cpus(std::uint32_t cpus);
    // After `states` has seen the record and made `step` of it.
    void add(const trace::TraceRecord& record, const Step& step, const ThreadStates& states,
             const IdleWatch& watch);
    WakeGraph finish();

 private:
    static constexpr std::uint32_t kNoIndex = ~0u;

    struct TaskHot {
        std::uint32_t waker_index = kNoIndex;  // in graph_.wakers, once it has woken someone
        std::uint32_t last_waker = kInterruptWaker;
        std::uint32_t waking_cpu = trace::kNobody;  // of the kWaking that announced the wake-up
        bool stacked = false;     // the latest wake-up was
        std::uint32_t batch = 0;  // number of its waker's batch in which it was woken last
    };
    // The current batch of a waker.
    struct BatchHot {
        std::uint64_t wakeups = 0;
        std::uint32_t number = 0;    // of this batch
        std::uint32_t epoch = 0;     // of the states when the wait began
        bool waits = false;          // preempted by its own wakee, not back yet
        bool wakee_stacked = false;  // that wakee could have had an idle CPU
        std::int64_t wait_from_ns = 0;
        std::int64_t idle_from_ns = 0;
        CutCounts pending{};  // become real if another wake-up follows
    };

    void add_wakeup(const trace::TraceRecord& record, const Step& step, const ThreadStates& states);
    void add_switch(const trace::TraceRecord& record, const Step& step, const ThreadStates& states,
                    const IdleWatch& watch);
    void count_hand_over(const trace::TraceRecord& record, const Step& step);
    void switch_out(const trace::TraceRecord& record, const ThreadStates& states,
                    const IdleWatch& watch);
    void switch_in(const trace::TraceRecord& record, const ThreadStates& states,
                   const IdleWatch& watch);
    void place(PlacementCounts& placed, const trace::TraceRecord& record, const Step& step,
               std::uint32_t waker_cpu) const;
    void note_core(std::uint32_t cpu, bool running);
    [[nodiscard]] bool is_beside_busy(std::uint32_t cpu) const;
    std::uint32_t waker_index(std::uint32_t task);

    std::int64_t start_ns_;
    const Topology& topology_;
    bool recorded_;
    // Cores, where threads share them; by the number that Topology gives them.
    std::vector<std::uint8_t> cpu_runs_;
    std::vector<std::uint32_t> core_runs_;  // CPUs of the core that run something
    std::uint32_t idle_cores_ = 0;
    std::vector<TaskHot> tasks_;
    std::vector<BatchHot> batches_;           // parallel to graph_.wakers
    std::vector<std::uint32_t> resched_for_;  // by CPU: who asked for the pending preemption
    std::uint32_t interrupt_index_ = kNoIndex;
    WakeGraph graph_;
};

}  // namespace wakelab::metrics
