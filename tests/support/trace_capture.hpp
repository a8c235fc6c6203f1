// A TraceSink that keeps everything, for tests of readers and writers.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/sink.hpp"

namespace wakelab::test {

struct TraceCapture final : trace::TraceSink {
    trace::TraceInfo info;
    std::vector<trace::TraceRecord> records;
    std::map<std::uint32_t, std::string> names;  // latest
    std::map<std::uint32_t, std::int32_t> pids;
    std::map<std::uint32_t, topo::CpuMask> masks;  // of describe_task(), latest
    std::uint32_t cpus = 0;
    std::int64_t end_ns = 0;
    int begins = 0;
    int finishes = 0;

    void begin(const trace::TraceInfo& i) override {
        info = i;
        cpus = i.cpus;
        for (std::uint32_t t = 0; t < i.task_names.size(); ++t) names[t] = i.task_names[t];
        ++begins;
    }
    void add_cpus(std::uint32_t n) override { cpus = n; }
    void add_task(std::uint32_t task, std::string_view name) override { names[task] = name; }
    void rename_task(std::uint32_t task, std::string_view name) override { names[task] = name; }
    void describe_task(std::uint32_t task, const trace::TaskFacts& facts) override {
        pids[task] = facts.pid;
        if (facts.allowed) masks[task] = *facts.allowed;
    }
    void consume(std::span<const trace::TraceRecord> chunk) override {
        records.insert(records.end(), chunk.begin(), chunk.end());
    }
    void finish(std::int64_t end) override {
        end_ns = end;
        ++finishes;
    }
    [[nodiscard]] std::size_t count(trace::EventType type) const {
        std::size_t n = 0;
        for (const trace::TraceRecord& r : records) n += r.type == type ? 1 : 0;
        return n;
    }
};

}  // namespace wakelab::test
