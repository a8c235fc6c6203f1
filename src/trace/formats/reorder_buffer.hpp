// Events of several sources (CPU buffers), each nearly in time order, to one sequence in time order, with
// bounded memory. A source's events form a run, a queue sorted by time; what comes late in its run waits in
// a heap. Draining merges the times of the runs two by two, without branches: which run is next is a coin
// toss, and wrong guesses of a heap of runs cost more than the passes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trace/kernel_event.hpp"

namespace wakelab::trace {

class ReorderBuffer {
 public:
    // About 100 bytes each: two rounds of perf record with its default buffers on a hundred CPUs.
    static constexpr std::size_t kDefaultCapacity = std::size_t{1} << 20;
    static constexpr std::uint32_t kMaxRuns = 1024;

    // Holds at most `capacity` events (at least 2).
    explicit ReorderBuffer(std::size_t capacity = kDefaultCapacity)
        : capacity_(std::max<std::size_t>(capacity, 2)) {}

    // Takes an event of source `run`, any number; those beyond kMaxRuns are slower. When the buffer is
    // full, the older half goes to out(const KernelEvent&) first, and what comes later but is older than
    // that will leave out of order. `out` must not call this buffer.
    template <class Out>
    void push(std::uint32_t run, const KernelEvent& event, Out&& out) {
        if (held_ == capacity_) {
            ++forced_;
            drain(INT64_MAX, capacity_ / 2, out);
        }
        insert(run, event);
    }

    // Hands out, in time order, all events with ns <= up_to. Equal times: the lower run first, in a run
    // in order of arrival.
    template <class Out>
    void flush(std::int64_t up_to, Out&& out) { drain(up_to, 0, out); }
    template <class Out>
    void flush_all(Out&& out) { drain(INT64_MAX, 0, out); }

    [[nodiscard]] std::size_t held() const { return held_; }
    // Latest time of any event taken so far; INT64_MIN before the first.
    [[nodiscard]] std::int64_t max_ns() const { return max_ns_; }
    // How often the buffer was full.
    [[nodiscard]] std::uint64_t forced() const { return forced_; }

 private:
    struct Run {
        std::vector<KernelEvent> events;  // sorted from `head` on
        std::size_t head = 0;
        [[nodiscard]] bool empty() const { return head == events.size(); }
    };
    struct Late {
        KernelEvent event;
        std::uint64_t number;  // of arrival: equal times leave in that order
    };
    // An event that leaves: its time and where it is.
    struct Key {
        std::int64_t ns;
        std::uint32_t run;  // kLateRun: in leaving_late_
        std::uint32_t index;
    };
    static constexpr std::uint32_t kLateRun = ~0u;

    void insert(std::uint32_t run, const KernelEvent& event);
    void push_late(const KernelEvent& event);
    // The keys of all events with ns <= up_to, in the order in which they leave.
    std::span<const Key> order(std::int64_t up_to);
    // The events of these keys have left.
    void remove(std::span<const Key> left);

    template <class Out>
    void drain(std::int64_t up_to, std::size_t keep, Out& out) {
        if (held_ <= keep) return;
        std::span<const Key> keys = order(up_to);
        keys = keys.first(std::min(keys.size(), held_ - keep));
        for (const Key key : keys)
            out(static_cast<const KernelEvent&>(key.run == kLateRun
                                                    ? leaving_late_[key.index].event
                                                    : runs_[key.run].events[key.index]));
        remove(keys);
    }

    std::size_t capacity_;
    std::size_t held_ = 0;
    std::uint64_t forced_ = 0;
    std::uint64_t arrivals_ = 0;
    std::int64_t max_ns_ = INT64_MIN;
    std::vector<Run> runs_;
    std::vector<Late> late_;  // heap, earliest first

    // Of one drain.
    std::vector<Late> leaving_late_;
    std::vector<Key> keys_, merged_;
    std::vector<std::size_t> ends_, merged_ends_;  // of the sorted stretches of keys_
};

}  // namespace wakelab::trace
