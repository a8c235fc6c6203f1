// Waiting real-time tasks of one CPU: highest priority first, FIFO among equals. The running one
// stays in the queue, as in the kernel. Round-robin slices are counted here, in ticks.
//
// A CPU has a handful of real-time tasks at most, so one list ordered by priority does what the
// kernel's hundred lists and bitmap do.
#pragma once

#include <boost/intrusive/list.hpp>
#include <cstdint>

#include "policy/task.hpp"

namespace wakelab::policy {

// Place of a task in an RtQueue; part of the class's entity.
struct RtNode {
    boost::intrusive::list_member_hook<boost::intrusive::link_mode<boost::intrusive::normal_link>>
        hook;
    SchedTask* task = nullptr;
    std::uint32_t slice_ticks = 0;  // left of a kRr task's slice
};

class RtQueue {
 public:
    [[nodiscard]] bool empty() const { return list_.empty(); }
    // Precondition: not empty.
    [[nodiscard]] SchedTask* first() { return list_.front().task; }
    // Nodes by priority, FIFO among equals.
    [[nodiscard]] auto begin() { return list_.begin(); }
    [[nodiscard]] auto end() { return list_.end(); }

    // Behind all tasks of its priority.
    void enqueue(RtNode& node) {
        auto it = list_.end();
        while (it != list_.begin()) {
            auto prev = it;
            --prev;
            if (prev->task->rt_priority >= node.task->rt_priority) break;
            it = prev;
        }
        list_.insert(it, node);
    }
    void dequeue(RtNode& node) { list_.erase(list_.iterator_to(node)); }
    // requeue_task_rt(): to the end of its priority (yield, end of a round-robin slice).
    void requeue(RtNode& node) {
        dequeue(node);
        enqueue(node);
    }
    // Another task of the same priority waits.
    [[nodiscard]] bool has_peer(RtNode& node) {
        const auto same = [&](auto it) { return it->task->rt_priority == node.task->rt_priority; };
        auto it = list_.iterator_to(node);
        if (it != list_.begin() && same(std::prev(it))) return true;
        return ++it != list_.end() && same(it);
    }

 private:
    using Hook = boost::intrusive::member_hook<RtNode, decltype(RtNode::hook), &RtNode::hook>;
    boost::intrusive::list<RtNode, Hook, boost::intrusive::constant_time_size<false>> list_;
};

}  // namespace wakelab::policy
