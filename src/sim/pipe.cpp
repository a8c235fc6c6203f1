#include "sim/pipe.hpp"

#include <algorithm>

namespace wakelab::sim {

namespace {

// Progress of the pending call, kept in the task between its effects.
std::int64_t& done(Task& task) { return task.result; }
// Bytes being copied by the current step; the top bit says that a wake-up of the other side is owed.
constexpr std::int64_t kWakeOwed = std::int64_t{1} << 62;

std::int64_t step_bytes(const Task& task) { return task.call_arg2 & ~kWakeOwed; }
bool wake_owed(const Task& task) { return (task.call_arg2 & kWakeOwed) != 0; }
void set_step(Task& task, std::int64_t bytes) {
    task.call_arg2 = (task.call_arg2 & kWakeOwed) | bytes;
}

std::int64_t copy_cost(const Engine& engine, std::int64_t bytes) {
    return engine.costs().copy_per_kib * bytes / 1024;
}

}  // namespace

// How much of the `remaining` bytes fits now. Writes of at most PIPE_BUF bytes are atomic: all or nothing
// in the single-page ring.
std::int64_t Pipe::writable(std::int64_t remaining, std::int64_t length, std::uint32_t slots) const {
    if (slots == 1) {
        const std::int64_t room = kPageBytes - bytes_;
        const bool atomic = length <= kPageBytes;
        return atomic && room < remaining ? 0 : std::min(room, remaining);
    }
    std::int64_t room = static_cast<std::int64_t>(slots - used_) * kPageBytes;
    const std::int64_t odd = remaining % kPageBytes;
    if (used_ > 0 && odd != 0) {
        const std::int64_t tail = kPageBytes - page_[(first_ + used_ - 1) % kMaxSlots];
        if (odd <= tail) room += odd;
    }
    return std::min(room, remaining);
}

void Pipe::append(std::int64_t bytes, std::uint32_t slots) {
    bytes_ += bytes;
    if (slots == 1) return;
    // The odd bytes are merged into the last buffer when they fit there entirely.
    const std::int64_t odd = bytes % kPageBytes;
    if (used_ > 0 && odd != 0) {
        std::int64_t& last = page_[(first_ + used_ - 1) % kMaxSlots];
        if (odd <= kPageBytes - last) {
            last += odd;
            bytes -= odd;
        }
    }
    for (; bytes > 0; bytes -= kPageBytes) {
        page_[(first_ + used_) % kMaxSlots] = std::min(bytes, kPageBytes);
        ++used_;
    }
}

// Returns whether a buffer became free.
bool Pipe::consume(std::int64_t bytes) {
    bytes_ -= bytes;
    bool freed = false;
    while (bytes > 0 && used_ > 0) {
        const std::int64_t n = std::min(bytes, page_[first_]);
        page_[first_] -= n;
        bytes -= n;
        if (page_[first_] > 0) break;
        first_ = (first_ + 1) % kMaxSlots;
        --used_;
        freed = true;
    }
    return freed;
}

void Pipe::sleep(Engine& engine, Task& task, Effect retry) {
    Pipe& pipe = *static_cast<Pipe*>(task.call);
    task.noninteractive_sleep = engine.ipc().pipe_noninteractive;
    pipe.waiters_.add(task);
    engine.sleep_in_call(task, policy::TaskState::kInterruptible, retry);
}

// The last wake-up of a call comes after everything is copied.
void Pipe::finish(Engine& engine, Task& task) {
    Pipe& pipe = *static_cast<Pipe*>(task.call);
    task.noninteractive_sleep = false;
    if (wake_owed(task)) pipe.waiters_.wake_all(engine, engine.ipc().pipe_end_sync);
    task.call_arg2 = 0;
    engine.finish_call(task, engine.costs().pipe_after);
}

void Pipe::write(Engine& engine, Task& task) {
    Pipe& pipe = *static_cast<Pipe*>(task.call);
    const std::int64_t remaining = task.call_arg - done(task);
    const std::int64_t n = pipe.writable(remaining, task.call_arg, engine.ipc().pipe_slots);
    if (n > 0) {
        set_step(task, n);
        engine.continue_in_kernel(task, copy_cost(engine, n), &Pipe::write_copied);
        return;
    }
    if (wake_owed(task)) {
        pipe.waiters_.wake_all(engine, engine.ipc().pipe_mid_sync);
        task.call_arg2 = 0;
    }
    ++pipe.waiting_writers_;
    sleep(engine, task, [](Engine& e, Task& t) {
        --static_cast<Pipe*>(t.call)->waiting_writers_;
        write(e, t);
    });
}

void Pipe::write_copied(Engine& engine, Task& task) {
    Pipe& pipe = *static_cast<Pipe*>(task.call);
    // Another writer may have been faster; only what still fits is published now.
    const std::int64_t n = std::min(
        step_bytes(task),
        pipe.writable(task.call_arg - done(task), task.call_arg, engine.ipc().pipe_slots));
    if (n > 0) {
        pipe.append(n, engine.ipc().pipe_slots);
        pipe.writer_ = task.cpu;
        done(task) += n;
        task.call_arg2 = kWakeOwed;
    }
    if (done(task) == task.call_arg)
        finish(engine, task);
    else
        write(engine, task);
}

void Pipe::read(Engine& engine, Task& task) {
    Pipe& pipe = *static_cast<Pipe*>(task.call);
    const std::int64_t n = std::min(task.call_arg - done(task), pipe.bytes_);
    if (n > 0) {
        set_step(task, n);
        const std::int64_t lines =
            (n + engine.costs().line_bytes - 1) / engine.costs().line_bytes;
        engine.continue_in_kernel(
            task,
            copy_cost(engine, n) + lines * engine.caches().dirty_line(pipe.writer_, task.cpu),
            &Pipe::read_copied);
        return;
    }
    if (done(task) > 0 && pipe.waiting_writers_ == 0) {    // short read
        finish(engine, task);
        return;
    }
    // do_wakeup stays set after the sync wake-up, so the plain one is repeated at the end.
    if (wake_owed(task)) pipe.waiters_.wake_all(engine, engine.ipc().pipe_mid_sync);
    sleep(engine, task, &Pipe::read);
}

void Pipe::read_copied(Engine& engine, Task& task) {
    Pipe& pipe = *static_cast<Pipe*>(task.call);
    const std::int64_t n = std::min(step_bytes(task), pipe.bytes_);
    const bool freed = pipe.consume(n);
    done(task) += n;
    const bool owed = wake_owed(task) || (engine.ipc().pipe_slots == 1 ? n > 0 : freed);
    task.call_arg2 = owed ? kWakeOwed : 0;
    if (done(task) == task.call_arg)
        finish(engine, task);
    else
        read(engine, task);
}

}  // namespace wakelab::sim
