// Where canonical events go. Sinks see chunks in time order (ties in order of emission); what a sink
// does never changes a run.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "topo/cpu_mask.hpp"
#include "trace/record.hpp"

namespace wakelab::trace {

class TraceSink {
 public:
    virtual ~TraceSink() = default;
    virtual void consume(std::span<const TraceRecord> records) = 0;
};

// Names and sizes that the records refer to.
struct TraceInfo {
    std::uint32_t cpus = 0;
    std::vector<std::string> task_names;   // by task id
    std::int64_t start_ns = 0;             // of the counted part
    std::int64_t end_ns = 0;
    std::string unit = "work units";       // what kWorkUnit counts, plural
    std::vector<topo::CpuMask> allowed;    // by task id; empty: every task may use every CPU
    std::vector<std::uint32_t> cache_of;   // by CPU number; empty: not known
};

}  // namespace wakelab::trace
