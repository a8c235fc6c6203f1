#include "sim/unix_socket.hpp"

#include "base/check.hpp"

namespace wakelab::sim {

namespace {

// sndbuf of that age: (sizeof(sk_buff) + 256) * 256 (o1.md 11.2); a small message is charged a buffer
// head and its allocation class.
constexpr std::int64_t kSndBuf = 126'976;
constexpr std::int64_t kBufferHead = 256;
constexpr std::int64_t kSmallestClass = 256;

std::int64_t true_size(std::int64_t bytes) {
    std::int64_t c = kSmallestClass;
    while (c < bytes) c *= 2;
    return c + kBufferHead;
}

}  // namespace

SelectSet::SelectSet(Task& owner, std::size_t expected) : owner_(&owner) {
    ready_.reserve(expected / 64 + 1);
    snapshot_.reserve(expected / 64 + 1);
}

void SelectSet::add(SocketEnd& end) {
    WK_CHECK(end.set == nullptr);
    end.set = this;
    end.set_index = size_++;
    ready_.resize((size_ + 63) / 64, 0);
    snapshot_.resize(ready_.size(), 0);
    if (end.queued > 0) UnixSocketCalls::mark_ready(end, true);
}

void UnixSocketCalls::mark_ready(SocketEnd& end, bool ready) {
    if (end.set == nullptr) return;
    std::uint64_t& word = end.set->ready_[end.set_index / 64];
    const std::uint64_t bit = 1ull << (end.set_index % 64);
    if (ready == ((word & bit) != 0)) return;
    word ^= bit;
    end.set->ready_count_ += ready ? 1u : ~0u;
}

// Everything that sleeps on the end, for reading or writing.
void UnixSocketCalls::wake_sleepers(Engine& engine, SocketEnd& end, bool sync) {
    end.waiters.wake_all(engine, sync);
    if (end.set != nullptr && end.set->owner_->polling) engine.wake(*end.set->owner_, sync);
}

void UnixSocketCalls::send(Engine& engine, Task& task) {
    SocketEnd& end = *static_cast<SocketEnd*>(task.call);
    const std::int64_t size = true_size(task.call_arg);
    if (end.wmem + size > kSndBuf) {
        end.waiters.add(task);
        engine.sleep_in_call(task, policy::TaskState::kInterruptible, &UnixSocketCalls::send);
        return;
    }
    end.wmem += size;
    SocketEnd& peer = *end.peer;
    ++peer.queued;
    peer.message_bytes = task.call_arg;
    peer.writer = task.cpu;
    mark_ready(peer, true);
    wake_sleepers(engine, peer, engine.ipc().data_ready_sync);
    task.result = task.call_arg;
    engine.finish_call(task, engine.costs().send_after);
}

void UnixSocketCalls::recv(Engine& engine, Task& task) {
    SocketEnd& end = *static_cast<SocketEnd*>(task.call);
    if (end.queued > 0) {
        receive(engine, task, end);
        return;
    }
    end.waiters.add(task);
    engine.sleep_in_call(task, policy::TaskState::kInterruptible, &UnixSocketCalls::recv_again);
}

void UnixSocketCalls::recv_again(Engine& engine, Task& task) {
    if (static_cast<SocketEnd*>(task.call)->queued == 0) engine.count_spurious(task);
    recv(engine, task);
}

void UnixSocketCalls::receive(Engine& engine, Task& task, SocketEnd& end) {
    const std::int64_t after =
        engine.costs().recv_after +
        engine.costs().message_lines * engine.caches().dirty_line(end.writer, task.cpu);
    task.result = end.message_bytes;
    if (--end.queued == 0) mark_ready(end, false);
    SocketEnd& sender = *end.peer;
    sender.wmem -= true_size(end.message_bytes);
    if (sender.wmem * 4 <= kSndBuf)
        wake_sleepers(engine, sender, engine.ipc().unix_write_space_sync);
    engine.finish_call(task, after);
}

std::int64_t UnixSocketCalls::select_cost(const Engine& engine, const SelectSet& set) {
    return engine.costs().select_before + engine.costs().select_per_fd * set.size();
}

void UnixSocketCalls::select(Engine& engine, Task& task) { scan(engine, task, false); }

void UnixSocketCalls::select_again(Engine& engine, Task& task) { scan(engine, task, true); }

// End of one scan over all ends. A wake-up during the scan set the task running again, so that it scans
// once more instead of sleeping.
void UnixSocketCalls::scan(Engine& engine, Task& task, bool after_wakeup) {
    SelectSet& set = *static_cast<SelectSet*>(task.call);
    if (set.ready_count_ > 0) {
        task.polling = false;
        task.woken_early = false;
        set.snapshot_ = set.ready_;
        task.result = set.ready_count_;
        engine.count_batch();
        engine.finish_call(task, engine.costs().select_after);
        return;
    }
    if (after_wakeup) engine.count_spurious(task);
    task.polling = true;
    if (task.woken_early) {
        task.woken_early = false;
        engine.continue_in_kernel(task, select_cost(engine, set), &UnixSocketCalls::select_again);
        return;
    }
    engine.sleep_in_call(task, policy::TaskState::kInterruptible, &UnixSocketCalls::select_again,
                         select_cost(engine, set));
}

}  // namespace wakelab::sim
