#include "sim/event_queue.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace wakelab::sim {

void EventQueue::sift_up(std::size_t i, Slot slot) {
    while (i > 0) {
        const std::size_t parent = (i - 1) / 4;
        if (!before(slot, slots_[parent])) break;
        place(i, slots_[parent]);
        i = parent;
    }
    place(i, slot);
}

void EventQueue::sift_down(std::size_t i, Slot slot) {
    const std::size_t n = slots_.size();
    while (true) {
        const std::size_t first = 4 * i + 1;
        if (first >= n) break;
        std::size_t best = first;
        const std::size_t end = std::min(first + 4, n);
        for (std::size_t c = first + 1; c < end; ++c)
            best = before(slots_[c], slots_[best]) ? c : best;
        if (!before(slots_[best], slot)) break;
        place(i, slots_[best]);
        i = best;
    }
    place(i, slot);
}

void EventQueue::fill_hole() {
    hole_ = false;
    const Slot last = slots_.back();
    slots_.pop_back();
    if (!slots_.empty()) sift_down(0, last);
}

void EventQueue::schedule(Event& event, Time when) {
    WK_CHECK(!event.queued() && when >= now_);
    const std::uint64_t rank = static_cast<std::uint64_t>(event.kind) << 56;
    const Slot slot{when.ns, rank | sequence_++, &event};
    if (hole_) {
        hole_ = false;
        sift_down(0, slot);
        return;
    }
    slots_.push_back(slot);
    sift_up(slots_.size() - 1, slot);
}

void EventQueue::cancel(Event& event) {
    if (!event.queued()) return;
    if (hole_) fill_hole();
    const std::size_t i = event.heap_index;
    event.heap_index = Event::kNotQueued;
    const Slot last = slots_.back();
    slots_.pop_back();
    if (i == slots_.size()) return;
    if (i > 0 && before(last, slots_[(i - 1) / 4]))
        sift_up(i, last);
    else
        sift_down(i, last);
}

Event* EventQueue::pop() {
    if (hole_) fill_hole();
    if (slots_.empty()) return nullptr;
    Event* event = slots_[0].event;
    now_ = Time{slots_[0].when};
    event->heap_index = Event::kNotQueued;
    hole_ = true;
    return event;
}

}  // namespace wakelab::sim
