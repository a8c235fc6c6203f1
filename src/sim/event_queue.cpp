#include "sim/event_queue.hpp"

#include "base/check.hpp"

namespace wakelab::sim {

EventQueue::Slot EventQueue::make_slot(Event& event, Time when) {
    const std::uint64_t rank = static_cast<std::uint64_t>(event.kind) << 56;
    const Key high = static_cast<Key>(when.ns) << 64;
    return {high | rank | sequence_++, &event};
}

void EventQueue::sift_up(std::size_t i, const Slot& slot) {
    while (i > 0) {
        const std::size_t parent = (i - 1) / kArity;
        if (slots_[parent].key <= slot.key) break;
        place(i, slots_[parent]);
        i = parent;
    }
    place(i, slot);
}

// The earliest child without a branch: which it is cannot be predicted.
void EventQueue::sift_down(std::size_t i, const Slot& slot) {
    Slot* const slots = slots_.data();
    for (std::size_t first = kArity * i + 1; first < size_; first = kArity * i + 1) {
        const std::size_t a = first + (slots[first + 1].key < slots[first].key ? 1 : 0);
        const std::size_t b = first + (slots[first + 3].key < slots[first + 2].key ? 3 : 2);
        const std::size_t best = slots[b].key < slots[a].key ? b : a;
        if (slot.key < slots[best].key) break;
        place(i, slots[best]);
        i = best;
    }
    place(i, slot);
}

void EventQueue::sift(std::size_t i, const Slot& slot) {
    if (i > 0 && slot.key < slots_[(i - 1) / kArity].key)
        sift_up(i, slot);
    else
        sift_down(i, slot);
}

void EventQueue::schedule(Event& event, Time when) {
    WK_CHECK(!event.queued() && when >= now_);
    const Slot slot = make_slot(event, when);
    if (hole_) {
        hole_ = false;
        sift_down(0, slot);
        return;
    }
    reserve(size_ + 1);
    sift_up(size_++, slot);
}

void EventQueue::reschedule(Event& event, Time when) {
    if (!event.queued()) {
        schedule(event, when);
        return;
    }
    WK_CHECK(when >= now_);
    sift(event.heap_index, make_slot(event, when));
}

void EventQueue::remove(Event& event) {
    const std::size_t i = event.heap_index;
    event.heap_index = Event::kNotQueued;
    const Slot last = take_last();
    if (i < size_) sift(i, last);
}

Event* EventQueue::pop() {
    if (hole_) {
        hole_ = false;
        const Slot last = take_last();
        if (size_ > 0) sift_down(0, last);
    }
    if (size_ == 0) return nullptr;
    Event* event = slots_[0].event;
    now_ = Time{static_cast<std::int64_t>(slots_[0].key >> 64)};
    event->heap_index = Event::kNotQueued;
    slots_[0] = kHole;
    hole_ = true;
    return event;
}

}  // namespace wakelab::sim
