// A kernel wait queue of non-exclusive sleepers: woken from head to tail, the latest sleeper first
// (o1.md 1.7). Intrusive through Task::next_waiter; a task sleeps on one queue at a time.
#pragma once

#include "sim/engine.hpp"

namespace wakelab::sim {

class WaitQueue {
 public:
    void add(Task& task) {
        task.next_waiter = head_;
        head_ = &task;
    }
    [[nodiscard]] bool empty() const { return head_ == nullptr; }
    // Wakes everybody and empties the queue (autoremove).
    void wake_all(Engine& engine, bool sync) {
        Task* task = head_;
        head_ = nullptr;
        while (task != nullptr) {
            Task* next = task->next_waiter;
            task->next_waiter = nullptr;
            engine.wake(*task, sync);
            task = next;
        }
    }

 private:
    Task* head_ = nullptr;
};

}  // namespace wakelab::sim
