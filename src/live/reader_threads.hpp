// A thread per CPU that empties a buffer of the kernel while the recording runs.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "live/fd.hpp"

namespace wakelab::live {

class ReaderThreads {
 public:
    // False: it failed, and said so with fail(); this CPU is not read any more.
    using Copy = std::function<bool(std::size_t)>;

    ReaderThreads();
    ~ReaderThreads() { stop(); }
    ReaderThreads(const ReaderThreads&) = delete;
    ReaderThreads& operator=(const ReaderThreads&) = delete;

    // copy(i) whenever sources[i] can be read, at most kMostWakeups times a second.
    void start(const std::vector<int>& sources, Copy copy);
    void stop();
    // From any of the threads: nothing more is recorded.
    void fail() const;
    [[nodiscard]] int failure_fd() const { return failure_.get(); }  // readable after fail()
    [[nodiscard]] std::vector<std::int32_t> thread_ids() const;

 private:
    static constexpr int kMostWakeups = 100;
    struct Reader {
        std::thread thread;
        std::atomic<std::int32_t> tid{0};
    };
    void run(std::size_t i, int source);

    Copy copy_;
    std::vector<std::unique_ptr<Reader>> readers_;
    Fd stop_, failure_;
};

}  // namespace wakelab::live
