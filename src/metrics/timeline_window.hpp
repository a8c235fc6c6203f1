// What every CPU did in a window of a run, slice by slice, for showing it. Keeps up to a cap of slices;
// a window that has more ends early, and says where.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "metrics/idle_watch.hpp"
#include "metrics/thread_states.hpp"
#include "trace/sink.hpp"

namespace wakelab::metrics {

struct TimelineSlice {
    std::int64_t from_ns = 0;
    std::int64_t to_ns = 0;
    std::uint32_t task = trace::kNobody;  // kNobody: idle
    std::uint32_t queued = 0;             // tasks that wait there
    bool known = true;                    // false: recordings do not tell what the CPU did
};

struct Timeline {
    std::int64_t from_ns = 0;
    std::int64_t to_ns = 0;
    bool cut = false;                                // the window was longer than what is kept
    std::vector<std::vector<TimelineSlice>> lanes;   // by CPU, in time order, without holes
    std::vector<std::string> task_names;             // by task id, bytes
};

class TimelineWindow final : public trace::TraceSink {
 public:
    static constexpr std::size_t kMaxSlices = 1u << 20;

    // The window is TraceInfo.start_ns .. end_ns. At most max_slices, all CPUs together.
    explicit TimelineWindow(std::size_t max_slices = kMaxSlices) : max_slices_(max_slices) {}

    void begin(const trace::TraceInfo& info) override;
    void add_cpus(std::uint32_t cpus) override;
    void add_task(std::uint32_t task, std::string_view name) override;
    void rename_task(std::uint32_t task, std::string_view name) override { add_task(task, name); }
    void consume(std::span<const trace::TraceRecord> records) override;
    void finish(std::int64_t end_ns) override;

    // After finish(); once.
    [[nodiscard]] Timeline take() { return std::move(timeline_); }

 private:
    struct Open {
        std::int64_t since_ns = 0;
        std::uint32_t task = trace::kNobody;
        std::uint32_t queued = 0;
        bool known = false;
    };

    void note(std::uint32_t cpu, std::int64_t ns);
    void close(std::uint32_t cpu, std::int64_t ns);

    std::size_t max_slices_;
    std::size_t slices_ = 0;
    std::int64_t end_ns_ = INT64_MAX;
    std::optional<IdleWatch> watch_;
    std::optional<ThreadStates> states_;
    std::vector<Open> open_;  // by CPU
    Timeline timeline_;
};

}  // namespace wakelab::metrics
