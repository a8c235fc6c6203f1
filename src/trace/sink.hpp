// Where canonical events go. Sinks see chunks in time order (ties in order of emission); what a sink
// does never changes a run.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topo/cpu_mask.hpp"
#include "trace/record.hpp"

namespace wakelab::trace {

// Names and sizes that the records refer to.
struct TraceInfo {
    std::uint32_t cpus = 0;
    std::vector<std::string> task_names;   // by task id
    std::int64_t start_ns = 0;             // of the counted part
    std::int64_t end_ns = 0;
    std::string unit = "work units";       // what kWorkUnit counts, plural
    std::vector<topo::CpuMask> allowed;    // by task id; empty: every task may use every CPU
    std::vector<std::uint32_t> cache_of;   // by CPU number; empty: not known
    std::vector<std::uint32_t> core_of{};  // by CPU number: which threads are one core; empty: not known
    std::vector<std::uint32_t> node_of{};  // by CPU number: memory nodes; empty: not known
    // Not simulated: what a CPU does before its first switch is not known, and nobody says why a task
    // was preempted or placed.
    bool recorded = false;
};

// What a recording tells of a task beside its name.
struct TaskFacts {
    std::int32_t pid = -1;   // -1: not known
    std::int32_t tgid = -1;
    std::optional<topo::CpuMask> allowed;  // nothing: not known
};

class TraceSink {
 public:
    virtual ~TraceSink() = default;
    // Once, before the first record. The sink keeps a copy of what it needs.
    virtual void begin(const TraceInfo& /*info*/) {}
    // There are CPUs 0 .. cpus-1, more than begin() said; before the first record that names one.
    virtual void add_cpus(std::uint32_t /*cpus*/) {}
    // A task that begin() did not list (forked since), before its first record.
    virtual void add_task(std::uint32_t /*task*/, std::string_view /*name*/) {}
    // Recordings only. Names are bytes: printable() (base/text.hpp) before showing one.
    virtual void rename_task(std::uint32_t /*task*/, std::string_view /*name*/) {}
    virtual void describe_task(std::uint32_t /*task*/, const TaskFacts& /*facts*/) {}
    virtual void consume(std::span<const TraceRecord> records) = 0;
    // Once, after the last record: when the run really ended (early, if something stopped it).
    virtual void finish(std::int64_t /*end_ns*/) {}
};

}  // namespace wakelab::trace
