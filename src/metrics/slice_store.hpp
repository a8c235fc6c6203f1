// Who ran where and when, and who woke whom, to be drawn: a sink that keeps the slices of every CPU
// and the wake-ups as arrows. Memory is bounded whatever the length of the run: beyond a limit
// short slices melt into their neighbours and arrows of quick wake-ups are dropped, and both say
// below which length. Numbers for tables come from RunAnalysis, not from here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/sink.hpp"

namespace wakelab::metrics {

// A task on a CPU from being switched in to being switched out; or several such, when merged.
struct Slice {
    std::int64_t start_ns = 0;
    std::int64_t span_ns = 0;  // start of the first to end of the last
    std::int64_t busy_ns = 0;  // of this not idle; == span_ns for a single slice
    std::uint32_t task = 0;    // of a merged one: that of its longest slice, roughly
    std::uint32_t merged = 1;  // how many
};

// A wake-up whose wakee ran afterwards.
struct WakeArrow {
    std::int64_t wake_ns = 0;
    std::int64_t latency_ns = 0;  // until the wakee ran
    std::uint32_t waker = 0;      // trace::kNobody: an interrupt
    std::uint32_t wakee = 0;
    std::uint16_t waker_cpu = 0;  // where the waker ran; of an interrupt where it came in
    std::uint16_t cpu = 0;        // where the wakee ran first
};

// The events of a CPU in this time are missing; who ran is not known.
struct LaneGap {
    std::uint32_t cpu = 0;
    std::int64_t start_ns = 0;
    std::int64_t span_ns = 0;
};

struct Lanes {
    std::int64_t start_ns = 0;
    std::int64_t end_ns = 0;
    std::vector<std::vector<Slice>> cpus;  // by CPU number, in order of time, not overlapping
    std::vector<WakeArrow> arrows;         // in order of wake_ns
    std::vector<LaneGap> gaps;
    std::uint64_t slices_seen = 0;  // before merging
    std::uint64_t arrows_seen = 0;  // before dropping
    // Slices and pauses shorter than this may have been merged; 0: every slice is there.
    std::int64_t merged_below_ns = 0;
    // Arrows of a shorter latency are not there; 0: every arrow is.
    std::int64_t arrows_from_ns = 0;

    [[nodiscard]] std::size_t slices() const;
};

class SliceStore final : public trace::TraceSink {
 public:
    struct Limits {
        std::size_t slices = 1'000'000;  // at least 2 per CPU
        std::size_t arrows = 1'000'000;
        std::size_t gaps = 10'000;
    };
    // Tasks and CPUs beyond these are taken for damage; their records are not looked at.
    static constexpr std::uint32_t kMaxTasks = 1u << 22;
    static constexpr std::uint32_t kMaxCpus = 1u << 14;

    SliceStore() = default;
    explicit SliceStore(Limits limits) : limits_(limits) {}

    void begin(const trace::TraceInfo& info) override;
    void add_cpus(std::uint32_t cpus) override;
    void consume(std::span<const trace::TraceRecord> records) override;
    void finish(std::int64_t end_ns) override;

    // After finish(); once.
    [[nodiscard]] Lanes take();

 private:
    struct Cpu {
        std::uint32_t current = trace::kNobody;
        std::int64_t since_ns = 0;
        bool seen = false;  // a switch or a gap told of it
    };
    struct Task {
        std::uint32_t cpu = trace::kNobody;  // runs there
        std::uint32_t waker = trace::kNobody;
        std::uint16_t waker_cpu = 0;
        bool waking = false;  // waker_cpu is of a kWaking that announced the wake-up
        bool woken = false;   // since wake_ns, has not run yet
        std::int64_t wake_ns = 0;
    };

    void add(const trace::TraceRecord& record);
    void on_switch(const trace::TraceRecord& record);
    void on_wakeup(const trace::TraceRecord& record);
    void on_lost(const trace::TraceRecord& record);
    void close_slice(std::uint32_t cpu, std::int64_t end_ns);
    void close_arrow(std::uint32_t task, std::uint16_t cpu, std::int64_t now_ns);
    Task* task_of(std::uint32_t task);
    void merge_slices();
    void drop_arrows();

    Limits limits_;
    std::vector<Cpu> cpus_;
    std::vector<Task> tasks_;
    std::size_t kept_ = 0;  // slices in lanes_
    std::int64_t from_ns_ = INT64_MIN;
    std::int64_t until_ns_ = INT64_MAX;
    std::int64_t last_ns_ = INT64_MIN;
    Lanes lanes_;
};

}  // namespace wakelab::metrics
