// Pipes of both ages (o1.md 11.1): the one-page ring up to 2.6.10, 16 page buffers from 2.6.11 on.
// Readers and writers share one wait queue. A call copies what it can, wakes the other side, and sleeps
// when it is not done; which of its wake-ups are sync depends on the kernel (policy::IpcRules).
#pragma once

#include <array>
#include <cstdint>

#include "sim/wait_queue.hpp"

namespace wakelab::sim {

class Pipe {
 public:
    static constexpr std::int64_t kPageBytes = 4096;   // also PIPE_BUF
    static constexpr std::uint32_t kMaxSlots = 16;

    // Effects of read(pipe, bytes) and write(pipe, bytes): task.call = the pipe, call_arg = bytes.
    static void read(Engine& engine, Task& task);
    static void write(Engine& engine, Task& task);

    [[nodiscard]] std::int64_t queued_bytes() const { return bytes_; }

 private:
    static void read_copied(Engine& engine, Task& task);
    static void write_copied(Engine& engine, Task& task);
    static void sleep(Engine& engine, Task& task, Effect retry);
    static void finish(Engine& engine, Task& task);
    [[nodiscard]] std::int64_t writable(std::int64_t remaining, std::int64_t length,
                                        std::uint32_t slots) const;
    void append(std::int64_t bytes, std::uint32_t slots);
    bool consume(std::int64_t bytes);

    WaitQueue waiters_;
    std::uint32_t waiting_writers_ = 0;
    std::array<std::int64_t, kMaxSlots> page_{};       // bytes in each buffer, oldest at first_
    std::uint32_t first_ = 0;
    std::uint32_t used_ = 0;
    std::int64_t bytes_ = 0;
    CpuId writer_;                                     // where the dirty pages are
};

}  // namespace wakelab::sim
