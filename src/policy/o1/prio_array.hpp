// One priority array: 140 first-in first-out lists and a bitmap of the non-empty ones (o1.md 1.3).
// The links are in the entities, so queueing never allocates.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "policy/o1/entity.hpp"
#include "policy/o1/prio.hpp"

namespace wakelab::policy::o1 {

class PrioArray {
 public:
    [[nodiscard]] std::uint32_t nr_active() const { return nr_active_; }
    [[nodiscard]] Entity* head(int prio) const { return lists_[index(prio)].head; }
    [[nodiscard]] Entity* tail(int prio) const { return lists_[index(prio)].tail; }

    // First priority >= `from` that has tasks; kMaxPrio: none.
    [[nodiscard]] int next_prio(int from) const {
        for (std::size_t word = index(from) / 64; word < bitmap_.size(); ++word) {
            std::uint64_t bits = bitmap_[word];
            if (word == index(from) / 64) bits &= ~0ull << (index(from) % 64);
            if (bits != 0) return static_cast<int>(word * 64) + std::countr_zero(bits);
        }
        return kMaxPrio;
    }

    // enqueue_task(): at the tail of the list of e.prio.
    void enqueue(Entity& e) {
        List& list = lists_[index(e.prio)];
        e.prev = list.tail;
        e.next = nullptr;
        (list.tail != nullptr ? list.tail->next : list.head) = &e;
        list.tail = &e;
        linked(e);
    }
    // Immediately before `other`, in the list of the priority they share.
    void enqueue_before(Entity& e, Entity& other) {
        List& list = lists_[index(e.prio)];
        e.next = &other;
        e.prev = other.prev;
        (other.prev != nullptr ? other.prev->next : list.head) = &e;
        other.prev = &e;
        linked(e);
    }
    // dequeue_task().
    void dequeue(Entity& e) {
        List& list = lists_[index(e.prio)];
        (e.prev != nullptr ? e.prev->next : list.head) = e.next;
        (e.next != nullptr ? e.next->prev : list.tail) = e.prev;
        if (list.head == nullptr) bitmap_[index(e.prio) / 64] &= ~(1ull << (index(e.prio) % 64));
        e.array = nullptr;
        --nr_active_;
    }
    // requeue_task(): to the tail of its own list.
    void requeue(Entity& e) {
        if (e.next == nullptr) return;
        dequeue(e);
        enqueue(e);
    }

 private:
    struct List {
        Entity* head = nullptr;
        Entity* tail = nullptr;
    };
    static constexpr std::size_t index(int prio) { return static_cast<std::size_t>(prio); }
    void linked(Entity& e) {
        bitmap_[index(e.prio) / 64] |= 1ull << (index(e.prio) % 64);
        e.array = this;
        ++nr_active_;
    }

    std::array<std::uint64_t, 3> bitmap_{};
    std::uint32_t nr_active_ = 0;
    std::array<List, kMaxPrio> lists_{};
};

}  // namespace wakelab::policy::o1
