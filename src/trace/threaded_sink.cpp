#include "trace/threaded_sink.hpp"

namespace wakelab::trace {

ThreadedSink::ThreadedSink(TraceSink& to) : to_(to), worker_([this] { serve(); }) {}

ThreadedSink::~ThreadedSink() {
    stop();
}

void ThreadedSink::stop() {
    if (!worker_.joinable()) return;
    send({.call = Call::kStop});
    worker_.join();
}

void ThreadedSink::send(Message message) {
    std::unique_lock lock(mutex_);
    taken_.wait(lock, [this] { return waiting_.size() < kMaxWaiting; });
    waiting_.push_back(std::move(message));
    lock.unlock();
    arrived_.notify_one();
}

void ThreadedSink::serve() {
    while (true) {
        std::unique_lock lock(mutex_);
        arrived_.wait(lock, [this] { return !waiting_.empty(); });
        Message message = std::move(waiting_.front());
        waiting_.pop_front();
        lock.unlock();
        taken_.notify_one();
        if (message.call == Call::kStop) return;
        pass_on(message);
        if (message.call != Call::kConsume) continue;
        lock.lock();
        spare_.push_back(std::move(message.records));
    }
}

void ThreadedSink::pass_on(const Message& m) {
    switch (m.call) {
        case Call::kBegin: return to_.begin(m.info);
        case Call::kAddCpus: return to_.add_cpus(m.number);
        case Call::kAddTask: return to_.add_task(m.number, m.name);
        case Call::kRenameTask: return to_.rename_task(m.number, m.name);
        case Call::kDescribeTask: return to_.describe_task(m.number, m.facts);
        case Call::kConsume: return to_.consume(m.records);
        case Call::kFinish: return to_.finish(m.end_ns);
        case Call::kStop: return;
    }
}

void ThreadedSink::begin(const TraceInfo& info) {
    send({.call = Call::kBegin, .info = info});
}

void ThreadedSink::add_cpus(std::uint32_t cpus) {
    send({.call = Call::kAddCpus, .number = cpus});
}

void ThreadedSink::add_task(std::uint32_t task, std::string_view name) {
    send({.call = Call::kAddTask, .number = task, .name = std::string(name)});
}

void ThreadedSink::rename_task(std::uint32_t task, std::string_view name) {
    send({.call = Call::kRenameTask, .number = task, .name = std::string(name)});
}

void ThreadedSink::describe_task(std::uint32_t task, const TaskFacts& facts) {
    send({.call = Call::kDescribeTask, .number = task, .facts = facts});
}

void ThreadedSink::consume(std::span<const TraceRecord> records) {
    std::vector<TraceRecord> buffer;
    {
        const std::lock_guard lock(mutex_);
        if (!spare_.empty()) {
            buffer = std::move(spare_.back());
            spare_.pop_back();
        }
    }
    buffer.assign(records.begin(), records.end());
    send({.call = Call::kConsume, .records = std::move(buffer)});
}

void ThreadedSink::finish(std::int64_t end_ns) {
    send({.call = Call::kFinish, .end_ns = end_ns});
    stop();
}

}  // namespace wakelab::trace
