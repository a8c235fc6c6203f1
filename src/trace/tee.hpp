// Several sinks that see the same run.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "trace/sink.hpp"

namespace wakelab::trace {

class Tee final : public TraceSink {
 public:
    // They must outlive this; each call reaches them in this order.
    explicit Tee(std::vector<TraceSink*> sinks) : sinks_(std::move(sinks)) {}

    void begin(const TraceInfo& info) override {
        for (TraceSink* s : sinks_) s->begin(info);
    }
    void add_cpus(std::uint32_t cpus) override {
        for (TraceSink* s : sinks_) s->add_cpus(cpus);
    }
    void add_task(std::uint32_t task, std::string_view name) override {
        for (TraceSink* s : sinks_) s->add_task(task, name);
    }
    void rename_task(std::uint32_t task, std::string_view name) override {
        for (TraceSink* s : sinks_) s->rename_task(task, name);
    }
    void describe_task(std::uint32_t task, const TaskFacts& facts) override {
        for (TraceSink* s : sinks_) s->describe_task(task, facts);
    }
    void consume(std::span<const TraceRecord> records) override {
        for (TraceSink* s : sinks_) s->consume(records);
    }
    void finish(std::int64_t end_ns) override {
        for (TraceSink* s : sinks_) s->finish(end_ns);
    }

 private:
    std::vector<TraceSink*> sinks_;
};

}  // namespace wakelab::trace
