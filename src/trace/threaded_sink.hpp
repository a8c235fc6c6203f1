// Hands a stream to a sink that works in a thread of its own, so that reading a file and judging it
// take place at once. The sink sees every call in its order; nothing about the result depends on how the
// threads run.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "trace/sink.hpp"

namespace wakelab::trace {

class ThreadedSink final : public TraceSink {
 public:
    // `to` must outlive this and may be looked at again once finish() has returned.
    explicit ThreadedSink(TraceSink& to);
    // Without finish(): what is on its way still arrives.
    ~ThreadedSink() override;
    ThreadedSink(const ThreadedSink&) = delete;
    ThreadedSink& operator=(const ThreadedSink&) = delete;

    void begin(const TraceInfo& info) override;
    void add_cpus(std::uint32_t cpus) override;
    void add_task(std::uint32_t task, std::string_view name) override;
    void rename_task(std::uint32_t task, std::string_view name) override;
    void describe_task(std::uint32_t task, const TaskFacts& facts) override;
    void consume(std::span<const TraceRecord> records) override;
    void finish(std::int64_t end_ns) override;

 private:
    // So many calls may wait: at 4096 records each, 2 MB. The reader then waits, too.
    static constexpr std::size_t kMaxWaiting = 16;

    enum class Call : std::uint8_t {
        kBegin, kAddCpus, kAddTask, kRenameTask, kDescribeTask, kConsume, kFinish, kStop };
    struct Message {
        Call call = Call::kStop;
        std::uint32_t number = 0;  // of a task, of CPUs
        std::int64_t end_ns = 0;
        std::string name{};
        TaskFacts facts{};
        TraceInfo info{};
        std::vector<TraceRecord> records{};
    };

    void send(Message message);
    void serve();
    void pass_on(const Message& message);
    void stop();

    TraceSink& to_;
    std::mutex mutex_;
    std::condition_variable arrived_, taken_;
    std::deque<Message> waiting_;
    std::vector<std::vector<TraceRecord>> spare_;  // buffers to fill again
    std::thread worker_;
};

}  // namespace wakelab::trace
