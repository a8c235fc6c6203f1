// AF_UNIX stream sockets and select() over them, as Linux 2.4 .. 2.6.32 have them.
//
// Reader and writer side of one end sleep on the same wait queue. When a receiver has consumed a message,
// the freed buffer calls the sender's write-space callback, which wakes whatever sleeps on the sender's
// end, also a task that waits there for data: the hidden second wake-up of cfs.md 7.2.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/wait_queue.hpp"

namespace wakelab::sim {

class SelectSet;

struct SocketEnd {
    SocketEnd* peer = nullptr;
    WaitQueue waiters;                 // tasks blocked in recv() or send() on this end
    SelectSet* set = nullptr;          // the one select() set that watches this end, or null
    std::uint32_t set_index = 0;
    std::uint32_t queued = 0;          // messages waiting to be received here
    std::int64_t message_bytes = 0;    // size of the last one
    CpuId writer;                      // CPU of its sender: where its dirty lines are
    std::int64_t wmem = 0;             // true size of what this end sent and the peer has not received
};

// The ends one task watches with select(); an end belongs to at most one set.
class SelectSet {
 public:
    SelectSet(Task& owner, std::size_t expected);
    // Adds an end; its index is the order of adding.
    void add(SocketEnd& end);
    [[nodiscard]] std::uint32_t size() const { return size_; }
    // Ends that were readable when the last select() returned, in index order.
    [[nodiscard]] bool was_ready(std::uint32_t index) const {
        return (snapshot_[index / 64] >> (index % 64)) & 1;
    }

 private:
    friend struct UnixSocketCalls;
    Task* owner_;
    std::uint32_t size_ = 0;
    std::uint32_t ready_count_ = 0;
    std::vector<std::uint64_t> ready_;
    std::vector<std::uint64_t> snapshot_;
};

// A connected pair of ends. Not movable: the ends point at each other.
struct SocketPair {
    SocketPair() {
        a.peer = &b;
        b.peer = &a;
    }
    SocketPair(const SocketPair&) = delete;
    SocketPair& operator=(const SocketPair&) = delete;
    SocketEnd a, b;
};

// The effects of the system calls; sim/sys.hpp offers them to programs.
struct UnixSocketCalls {
    static void send(Engine& engine, Task& task);
    static void recv(Engine& engine, Task& task);
    static void select(Engine& engine, Task& task);
    static std::int64_t select_cost(const Engine& engine, const SelectSet& set);

 private:
    static void recv_again(Engine& engine, Task& task);
    static void receive(Engine& engine, Task& task, SocketEnd& end);
    static void select_again(Engine& engine, Task& task);
    friend class SelectSet;
    static void scan(Engine& engine, Task& task, bool after_wakeup);
    static void wake_sleepers(Engine& engine, SocketEnd& end, bool sync);
    static void mark_ready(SocketEnd& end, bool ready);
};

}  // namespace wakelab::sim
