// The sink that judges a run: every record once, in constant memory, into RunMetrics and WakeGraph.
#pragma once

#include <memory>
#include <vector>

#include "metrics/idle_watch.hpp"
#include "metrics/run_metrics.hpp"
#include "metrics/thread_states.hpp"
#include "metrics/wake_graph.hpp"
#include "trace/sink.hpp"

namespace wakelab::metrics {

struct RunSummary {
    RunMetrics metrics;
    WakeGraph graph;
    std::vector<std::uint32_t> cache_of;  // by CPU number; empty: not known
    std::vector<std::uint32_t> core_of;   // by CPU number; empty: not known
};

class RunAnalysis final : public trace::TraceSink {
 public:
    // Task numbers beyond this are taken for damage.
    static constexpr std::uint32_t kMaxTasks = 1u << 22;

    void begin(const trace::TraceInfo& info) override;
    void add_cpus(std::uint32_t cpus) override;
    void add_task(std::uint32_t task, std::string_view name) override;
    void rename_task(std::uint32_t task, std::string_view name) override;
    void describe_task(std::uint32_t task, const trace::TaskFacts& facts) override;
    // Records after TraceInfo.end_ns (when that is set) are not looked at.
    void consume(std::span<const trace::TraceRecord> records) override;
    void finish(std::int64_t end_ns) override;

    // After finish(); once.
    [[nodiscard]] RunSummary take();

 private:
    struct Parts {
        explicit Parts(const trace::TraceInfo& info)
            : topology(info),
              watch(info),
              states(info, watch),
              metrics(info, topology),
              graph(info, topology) {}

        Topology topology;
        IdleWatch watch;
        ThreadStates states;
        RunMetricsCollector metrics;
        WakeGraphCollector graph;
    };

    void make_room(std::uint32_t tasks);
    void guess_affinity(std::uint32_t task, std::string_view name);
    [[nodiscard]] bool is_sound(const trace::TraceRecord& record);
    void add(const trace::TraceRecord& record);

    std::unique_ptr<Parts> parts_;
    bool recorded_ = false;
    std::vector<bool> told_;   // by task: its affinity mask was told, no need to guess
    std::uint32_t tasks_ = 0;  // known so far
    std::int64_t last_ns_ = 0;
    std::int64_t end_ns_ = 0;
    RunSummary summary_;
};

}  // namespace wakelab::metrics
