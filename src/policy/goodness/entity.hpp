// What a 2.4 scheduler keeps of a task, and the list of all runnable tasks (goodness.md 1).
#pragma once

#include <cstdint>

#include "policy/task.hpp"

namespace wakelab::policy::goodness {

struct Entity {
    SchedTask* task = nullptr;
    Entity* prev = nullptr;  // in the run list
    Entity* next = nullptr;
    std::uint32_t index = 0;  // in State::tasks
    int counter = 0;          // ticks left; dyn-sched: time_slice
    bool yielding = false;    // SCHED_YIELD
    CpuId occupies;           // CPU it has not been switched out from (cpus_runnable); none: free
    int dyn_prio = 0;         // dyn-sched only
    std::uint64_t rcl_last = 0;  // dyn-sched: recalculations when it was last queued
};

[[nodiscard]] inline Entity& entity_of(const SchedTask& p) {
    return *static_cast<Entity*>(p.entity);
}

// runqueue_head: all runnable tasks, the running ones included. The links are in the entities.
class RunList {
 public:
    [[nodiscard]] Entity* head() const { return head_; }
    [[nodiscard]] std::uint32_t size() const { return size_; }  // nr_running

    void push_front(Entity& e) {
        e.prev = nullptr;
        e.next = head_;
        (head_ != nullptr ? head_->prev : tail_) = &e;
        head_ = &e;
        ++size_;
    }
    void push_back(Entity& e) {
        e.next = nullptr;
        e.prev = tail_;
        (tail_ != nullptr ? tail_->next : head_) = &e;
        tail_ = &e;
        ++size_;
    }
    void erase(Entity& e) {
        (e.prev != nullptr ? e.prev->next : head_) = e.next;
        (e.next != nullptr ? e.next->prev : tail_) = e.prev;
        --size_;
    }
    void move_first(Entity& e) {
        erase(e);
        push_front(e);
    }
    void move_last(Entity& e) {
        erase(e);
        push_back(e);
    }

 private:
    Entity* head_ = nullptr;
    Entity* tail_ = nullptr;
    std::uint32_t size_ = 0;
};

}  // namespace wakelab::policy::goodness
