// The event set: a 4-ary array heap of (when, rank, sequence). The order is total, so equal instants are
// served by rank and then in the order they were scheduled, whatever the structure of the heap.
//
// Events are members of Cpu and Task and never allocated; the queue holds pointers to them. Popping
// leaves a hole at the root that the next schedule() fills: most events schedule a successor, which then
// costs one sift instead of two (spec style.md 5, measured there).
#pragma once

#include <cstdint>
#include <vector>

#include "base/time.hpp"

namespace wakelab::sim {

// The order is the rank at one instant and part of the model: work that ends at t ends before a tick
// at t looks at it.
enum class EventKind : std::uint8_t { kWorkDone, kIpi, kTimer, kSliceEnd, kTick, kStop };

struct Event {
    static constexpr std::uint32_t kNotQueued = ~0u;

    EventKind kind = EventKind::kWorkDone;
    std::uint32_t subject = 0;                 // CPU or task number, by kind
    std::uint32_t heap_index = kNotQueued;     // owned by the queue

    [[nodiscard]] bool queued() const { return heap_index != kNotQueued; }
};

class EventQueue {
 public:
    // Room for `events` at once without allocating.
    explicit EventQueue(std::size_t events = 64) { slots_.reserve(events); }
    void reserve(std::size_t events) { slots_.reserve(events); }

    // `when` must not lie before now(). The event must not be queued.
    void schedule(Event& event, Time when);
    void cancel(Event& event);                 // no effect when not queued
    void reschedule(Event& event, Time when) {
        cancel(event);
        schedule(event, when);
    }
    // Earliest event, now() becomes its time; null when empty.
    Event* pop();
    [[nodiscard]] Time now() const { return now_; }
    [[nodiscard]] std::size_t size() const { return slots_.size() - (hole_ ? 1 : 0); }

 private:
    struct Slot {
        std::int64_t when;
        std::uint64_t rank_seq;                // rank << 56 | sequence, unique
        Event* event;
    };
    static bool before(const Slot& a, const Slot& b) {
        return (a.when < b.when) | ((a.when == b.when) & (a.rank_seq < b.rank_seq));
    }
    void fill_hole();
    void sift_up(std::size_t i, Slot slot);
    void sift_down(std::size_t i, Slot slot);
    void place(std::size_t i, const Slot& slot) {
        slots_[i] = slot;
        slot.event->heap_index = static_cast<std::uint32_t>(i);
    }

    std::vector<Slot> slots_;
    std::uint64_t sequence_ = 0;
    Time now_{};
    bool hole_ = false;                        // slots_[0] is empty
};

}  // namespace wakelab::sim
