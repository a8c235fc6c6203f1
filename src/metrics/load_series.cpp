#include "metrics/load_series.hpp"

#include <algorithm>

namespace wakelab::metrics {

void LoadBucket::add(const LoadBucket& other) {
    busy_ns += other.busy_ns;
    unknown_ns += other.unknown_ns;
    queued_ns += other.queued_ns;
    queued_max = std::max(queued_max, other.queued_max);
}

LoadSeries::LoadSeries(std::int64_t start_ns, std::uint32_t cpus)
    : start_ns_(start_ns), room_(cpus > kManyCpus ? kFewBuckets : kBuckets), flow_(room_) {
    add_cpus(cpus);
}

void LoadSeries::add_cpus(std::uint32_t cpus) {
    if (cpus <= lanes_.size()) return;
    if (cpus > kManyCpus && room_ == kBuckets) {
        // The buckets in use must fit into the smaller room first.
        for (std::uint32_t halvings = kBuckets; halvings > kFewBuckets; halvings /= 2) double_width();
        std::vector<LoadBucket> fewer(lanes_.size() * kFewBuckets);
        for (std::size_t cpu = 0; cpu < lanes_.size(); ++cpu)
            std::copy_n(buckets_.begin() + static_cast<std::ptrdiff_t>(cpu * room_), kFewBuckets,
                        fewer.begin() + static_cast<std::ptrdiff_t>(cpu * kFewBuckets));
        buckets_ = std::move(fewer);
        flow_.resize(kFewBuckets);
        room_ = kFewBuckets;
    }
    lanes_.resize(cpus, Lane{.since_ns = start_ns_});
    queues_.resize(cpus);
    buckets_.resize(std::size_t{cpus} * room_);
}

void LoadSeries::double_width() {
    const auto halve = [this](auto* buckets) {
        for (std::uint32_t i = 0; i < room_ / 2; ++i) {
            auto merged = buckets[2 * i];
            const auto& second = buckets[2 * i + 1];
            if constexpr (requires { merged.add(second); }) {
                merged.add(second);
            } else {
                merged.wakeups += second.wakeups;
                merged.switches += second.switches;
            }
            buckets[i] = merged;
        }
        std::fill(buckets + room_ / 2, buckets + room_,
                  std::remove_reference_t<decltype(*buckets)>{});
    };
    for (std::size_t cpu = 0; cpu < lanes_.size(); ++cpu) halve(buckets_.data() + cpu * room_);
    halve(flow_.data());
    ++shift_;
}

void LoadSeries::pass(std::uint32_t cpu, Lane& lane, std::int64_t ns) {
    QueueLengths& queue = queues_[cpu];
    const std::int64_t whole_ns = ns - lane.since_ns;
    if (lane.doing != Doing::kUnknown) {
        queue.time_ns[std::min<std::size_t>(lane.queued, QueueLengths::kLengths - 1)] += whole_ns;
        queue.queued_ns += whole_ns * lane.queued;
        queue.max = std::max(queue.max, lane.queued);
    }
    std::int64_t from = lane.since_ns - start_ns_;
    const std::int64_t to = ns - start_ns_;
    lane.since_ns = ns;
    if (lane.doing == Doing::kIdle && lane.queued == 0) return;
    while (static_cast<std::uint64_t>(to - 1) >> shift_ >= room_) double_width();
    while (from < to) {
        const std::int64_t index = from >> shift_;
        const std::int64_t end = std::min(to, (index + 1) << shift_);
        const std::int64_t dt = end - from;
        LoadBucket& b = buckets_[std::size_t{cpu} * room_ + static_cast<std::size_t>(index)];
        if (lane.doing == Doing::kBusy) b.busy_ns += dt;
        if (lane.doing == Doing::kUnknown) {
            b.unknown_ns += dt;
        } else {
            b.queued_ns += dt * lane.queued;
            b.queued_max = std::max(b.queued_max, lane.queued);
        }
        from = end;
    }
}

void LoadSeries::finish(std::int64_t end_ns) {
    end_ns = std::max(end_ns, start_ns_);
    while (static_cast<std::uint64_t>(end_ns - start_ns_) >> shift_ >= room_) double_width();
    for (std::uint32_t cpu = 0; cpu < lanes_.size(); ++cpu)
        set(cpu, end_ns, lanes_[cpu].doing, lanes_[cpu].queued);
    used_ = static_cast<std::uint32_t>((end_ns - start_ns_ + bucket_ns() - 1) >> shift_);
}

LoadBucket LoadSeries::sum(std::uint32_t bucket) const {
    LoadBucket all;
    for (std::uint32_t cpu = 0; cpu < lanes_.size(); ++cpu) all.add(at(cpu, bucket));
    return all;
}

}  // namespace wakelab::metrics
