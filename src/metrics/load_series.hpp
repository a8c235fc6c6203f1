// How busy each CPU was and how long its queue was, over time, in a fixed number of buckets. The length
// of a recording is not known before its end, so buckets double their width when they run out.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace wakelab::metrics {

// Of one CPU.
struct LoadBucket {
    std::int64_t busy_ns = 0;
    std::int64_t unknown_ns = 0;
    std::int64_t queued_ns = 0;  // integral of the queue length: tasks that wait, without the running one
    std::uint32_t queued_max = 0;

    void add(const LoadBucket& other);
};

struct QueueLengths {
    static constexpr std::size_t kLengths = 17;        // 0 .. 15, more
    std::array<std::int64_t, kLengths> time_ns{};      // the CPU's queue had this length
    std::uint32_t max = 0;
    std::int64_t queued_ns = 0;                        // integral of the length
};

// Of the machine.
struct FlowBucket {
    std::uint32_t wakeups = 0;
    std::uint32_t switches = 0;
};

class LoadSeries {
 public:
    static constexpr std::uint32_t kBuckets = 1024;       // at most in use, at least half of them
    static constexpr std::uint32_t kFewBuckets = 256;     // beyond kManyCpus CPUs
    static constexpr std::uint32_t kManyCpus = 64;
    enum class Doing : std::uint8_t { kIdle, kBusy, kUnknown };

    LoadSeries(std::int64_t start_ns, std::uint32_t cpus);
    LoadSeries() : LoadSeries(0, 0) {}

    void add_cpus(std::uint32_t cpus);
    // From ns on the CPU does this and so many tasks wait there. In time order, of each CPU.
    void set(std::uint32_t cpu, std::int64_t ns, Doing doing, std::uint32_t queued) {
        Lane& lane = lanes_[cpu];
        if (ns > lane.since_ns) pass(cpu, lane, ns);
        lane.doing = doing;
        lane.queued = queued;
    }
    // It turns out that the CPU ran this since the latest set().
    void correct(std::uint32_t cpu, Doing doing) { lanes_[cpu].doing = doing; }
    void count_wakeup(std::int64_t ns) { ++flow_at(ns).wakeups; }
    void count_switch(std::int64_t ns) { ++flow_at(ns).switches; }
    void finish(std::int64_t end_ns);

    [[nodiscard]] std::int64_t start_ns() const { return start_ns_; }
    [[nodiscard]] std::int64_t bucket_ns() const { return std::int64_t{1} << shift_; }
    [[nodiscard]] std::uint32_t cpus() const { return static_cast<std::uint32_t>(lanes_.size()); }
    // After finish(): buckets that the run reaches into.
    [[nodiscard]] std::uint32_t size() const { return used_; }
    [[nodiscard]] const LoadBucket& at(std::uint32_t cpu, std::uint32_t bucket) const {
        return buckets_[std::size_t{cpu} * room_ + bucket];
    }
    [[nodiscard]] const FlowBucket& flow(std::uint32_t bucket) const { return flow_[bucket]; }
    [[nodiscard]] const QueueLengths& queue(std::uint32_t cpu) const { return queues_[cpu]; }
    // All CPUs together.
    [[nodiscard]] LoadBucket sum(std::uint32_t bucket) const;

 private:
    struct Lane {
        std::int64_t since_ns = 0;
        std::uint32_t queued = 0;
        Doing doing = Doing::kIdle;
    };

    void pass(std::uint32_t cpu, Lane& lane, std::int64_t ns);
    void double_width();
    FlowBucket& flow_at(std::int64_t ns) {
        while (static_cast<std::uint64_t>(ns - start_ns_) >> shift_ >= room_) double_width();
        return flow_[static_cast<std::size_t>((ns - start_ns_) >> shift_)];
    }

    std::int64_t start_ns_;
    std::uint32_t room_;
    int shift_ = 10;
    std::uint32_t used_ = 0;
    std::vector<Lane> lanes_;
    std::vector<QueueLengths> queues_;
    std::vector<LoadBucket> buckets_;  // [cpu][bucket]
    std::vector<FlowBucket> flow_;
};

}  // namespace wakelab::metrics
