// Queues over time as the pages draw them: how many tasks waited per CPU, and how many CPUs idled
// meanwhile.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace wakelab::report::html {

struct LoadOverTime {
    std::int64_t bucket_ns = 0;
    std::vector<std::vector<double>> queued;  // [cpu][bucket], mean number of waiting tasks
    std::vector<std::uint32_t> queued_max;    // by CPU
    std::vector<double> waiting;              // [bucket], all CPUs
    std::vector<double> idle;                 // [bucket], mean number of idle CPUs

    [[nodiscard]] bool empty() const { return waiting.empty(); }
};

// Of a metrics::LoadSeries after finish(), in at most `most` buckets. `span_ns`: length of the run;
// the last bucket may reach beyond it.
template <class Series>
[[nodiscard]] LoadOverTime load_over_time(const Series& series, std::int64_t span_ns,
                                          std::uint32_t most) {
    LoadOverTime load;
    if (series.size() == 0 || series.cpus() == 0 || span_ns <= 0) return load;
    const std::uint32_t joined = (series.size() + most - 1) / most;
    const std::uint32_t buckets = (series.size() + joined - 1) / joined;
    load.bucket_ns = series.bucket_ns() * joined;
    load.queued.assign(series.cpus(), std::vector<double>(buckets));
    load.queued_max.assign(series.cpus(), 0);
    load.waiting.assign(buckets, 0);
    load.idle.assign(buckets, 0);
    for (std::uint32_t cpu = 0; cpu < series.cpus(); ++cpu)
        for (std::uint32_t b = 0; b < buckets; ++b) {
            const std::int64_t begin = b * load.bucket_ns;
            const double ns = static_cast<double>(
                std::max<std::int64_t>(std::min(load.bucket_ns, span_ns - begin), 1));
            double queued = 0, used = 0;
            for (std::uint32_t i = b * joined; i < std::min((b + 1) * joined, series.size()); ++i) {
                const auto& at = series.at(cpu, i);
                queued += static_cast<double>(at.queued_ns);
                used += static_cast<double>(at.busy_ns + at.unknown_ns);
                load.queued_max[cpu] = std::max(load.queued_max[cpu], at.queued_max);
            }
            load.queued[cpu][b] = queued / ns;
            load.waiting[b] += queued / ns;
            load.idle[b] += std::max(0.0, 1 - used / ns);
        }
    return load;
}

// Of RunMetrics, when it keeps a series.
template <class Metrics>
[[nodiscard]] LoadOverTime load_of(const Metrics& m) {
    constexpr std::uint32_t kMostBuckets = 240;
    if constexpr (requires { m.load.bucket_ns(); })
        return load_over_time(m.load, m.duration_ns(), kMostBuckets);
    else
        return {};
}

// Machine: waiting tasks and idle CPUs over time; then the queue of every CPU. "" when empty.
[[nodiscard]] std::string load_html(const LoadOverTime& load);

}  // namespace wakelab::report::html
