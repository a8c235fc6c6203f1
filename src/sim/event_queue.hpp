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
    explicit EventQueue(std::size_t events = 64) { reserve(events); }
    void reserve(std::size_t events) {
        if (events + kArity >= slots_.size()) slots_.resize(events + kArity + 1, kNothing);
    }

    // `when` must not lie before now(). The event must not be queued.
    void schedule(Event& event, Time when);
    void cancel(Event& event) {                // no effect when not queued
        if (event.queued()) remove(event);
    }
    // As cancel() and schedule(), but the event moves from where it is.
    void reschedule(Event& event, Time when);
    // Earliest event, now() becomes its time; null when empty.
    Event* pop();
    [[nodiscard]] Time now() const { return now_; }
    [[nodiscard]] std::size_t size() const { return size_ - (hole_ ? 1 : 0); }

 private:
    // Time, rank (8 bits) and sequence (56 bits, unique) in one number: an order is one comparison.
    using Key = unsigned __int128;
    struct Slot {
        Key key;
        Event* event;
    };
    static constexpr std::size_t kArity = 4;
    // Behind the last slot: so every slot with a child has four that can be compared.
    static constexpr Slot kNothing{~Key{0}, nullptr};
    static constexpr Slot kHole{0, nullptr};   // before everything: nothing sifts up into the root

    [[nodiscard]] Slot make_slot(Event& event, Time when);
    [[nodiscard]] Slot take_last() {
        const Slot last = slots_[--size_];
        slots_[size_] = kNothing;
        return last;
    }
    void remove(Event& event);
    void sift(std::size_t i, const Slot& slot);
    void sift_up(std::size_t i, const Slot& slot);
    void sift_down(std::size_t i, const Slot& slot);
    void place(std::size_t i, const Slot& slot) {
        slots_[i] = slot;
        slot.event->heap_index = static_cast<std::uint32_t>(i);
    }

    std::vector<Slot> slots_;
    std::size_t size_ = 0;                     // slots in use, the hole included
    std::uint64_t sequence_ = 0;
    Time now_{};
    bool hole_ = false;                        // slots_[0] is empty
};

}  // namespace wakelab::sim
