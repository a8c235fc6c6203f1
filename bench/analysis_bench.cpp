// wakelab_analysis_bench: what RunAnalysis costs per canonical record, without reading a file: simulated
// runs are kept in memory as a recorder would have seen them, and analysed again and again. CPU time, so
// that other work on the host counts less; the best pass beside the median.
//
//   wakelab_analysis_bench [passes]
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "lab/run.hpp"
#include "metrics/run_analysis.hpp"
#include "trace/as_recorded.hpp"

namespace wakelab::bench {
namespace {

class Keep final : public trace::TraceSink {
 public:
    void begin(const trace::TraceInfo& i) override { info = i; }
    void consume(std::span<const trace::TraceRecord> chunk) override {
        records.insert(records.end(), chunk.begin(), chunk.end());
    }
    void finish(std::int64_t ns) override { end_ns = ns; }

    trace::TraceInfo info;
    std::vector<trace::TraceRecord> records;
    std::int64_t end_ns = 0;
};

double cpu_ns() {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

double ns_per_record(const Keep& kept) {
    constexpr std::size_t kChunk = 4096;
    metrics::RunAnalysis analysis;
    analysis.begin(kept.info);
    const double from = cpu_ns();
    const std::span<const trace::TraceRecord> all(kept.records);
    for (std::size_t at = 0; at < all.size(); at += kChunk)
        analysis.consume(all.subspan(at, std::min(kChunk, all.size() - at)));
    const double used = cpu_ns() - from;
    analysis.finish(kept.end_ns);
    return used / static_cast<double>(all.size());
}

int measure(const char* scenario, const char* scheduler, int clients, const char* machine, int passes) {
    lab::RunSpec spec;
    spec.scenario = scenario;
    spec.scheduler = scheduler;
    spec.clients = clients;
    spec.machine = machine;
    spec.warmup = 100_ms;
    spec.duration = 2_s;
    Keep kept;
    trace::AsRecorded filter(kept);
    if (const auto run = lab::run(spec, &filter); !run) {
        fmt::print(stderr, "{}\n", run.error().message);
        return 1;
    }
    std::vector<double> costs;
    for (int i = 0; i < passes; ++i) costs.push_back(ns_per_record(kept));
    std::ranges::sort(costs);
    fmt::print("{:10} {:3} clients, {:15} {:10}  {:8} records  {:6.1f} ns best  {:6.1f} ns median\n",
               scenario, clients, scheduler, machine, kept.records.size(), costs.front(),
               costs[costs.size() / 2]);
    return 0;
}

}  // namespace
}  // namespace wakelab::bench

int main(int argc, char** argv) {
    using wakelab::bench::measure;
    const int passes = argc > 1 ? std::max(1, std::atoi(argv[1])) : 11;
    return measure("pgbench", "cfs-2.6.26-rc3", 8, "q6600", passes) |
           measure("pgbench", "cfs-2.6.32", 50, "q6600", passes) |
           measure("lat_ctx", "cfs-2.6.26", 16, "numa-4x4", passes);
}
