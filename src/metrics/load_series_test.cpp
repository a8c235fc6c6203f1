#include "metrics/load_series.hpp"

#include <gtest/gtest.h>

namespace wakelab::metrics {
namespace {

using enum LoadSeries::Doing;

TEST(LoadSeries, WeighsQueueLengthsByTime) {
    LoadSeries s(1000, 2);
    s.set(0, 1100, kBusy, 2);  // idle for 100 ns
    s.set(0, 1400, kBusy, 1);  // 300 ns with 2 tasks waiting
    s.set(0, 1500, kIdle, 0);  // 100 ns with 1
    s.finish(2000);
    const QueueLengths& q = s.queue(0);
    EXPECT_EQ(q.time_ns[0], 100 + 500);
    EXPECT_EQ(q.time_ns[1], 100);
    EXPECT_EQ(q.time_ns[2], 300);
    EXPECT_EQ(q.queued_ns, 300 * 2 + 100);
    EXPECT_EQ(q.max, 2u);
    EXPECT_EQ(s.at(0, 0).busy_ns, 400);
    EXPECT_EQ(s.queue(1).time_ns[0], 1000);
}

TEST(LoadSeries, SplitsATimeOverBuckets) {
    LoadSeries s(0, 1);  // buckets of 1024 ns
    s.set(0, 1000, kBusy, 1);
    s.set(0, 2100, kIdle, 0);
    s.finish(4096);
    EXPECT_EQ(s.bucket_ns(), 1024);
    EXPECT_EQ(s.size(), 4u);
    EXPECT_EQ(s.at(0, 0).busy_ns, 24);
    EXPECT_EQ(s.at(0, 1).busy_ns, 1024);
    EXPECT_EQ(s.at(0, 1).queued_max, 1u);
    EXPECT_EQ(s.at(0, 2).busy_ns, 2100 - 2048);
    EXPECT_EQ(s.at(0, 3).busy_ns, 0);
}

TEST(LoadSeries, DoublesItsWidthAndLosesNoTime) {
    // 1 ms on, 1 ms off for 10 s: 1024 buckets of 1 us do not reach.
    LoadSeries s(0, 1);
    for (std::int64_t ms = 0; ms < 10'000; ++ms) {
        s.set(0, ms * 1'000'000, ms % 2 == 0 ? kBusy : kIdle, 0);
        if (ms % 2 == 0) s.count_wakeup(ms * 1'000'000);
    }
    s.finish(10'000'000'000);
    EXPECT_LE(s.size(), LoadSeries::kBuckets);
    EXPECT_GT(s.size(), LoadSeries::kBuckets / 2);
    std::int64_t busy = 0;
    std::uint64_t wakeups = 0;
    for (std::uint32_t b = 0; b < s.size(); ++b) {
        busy += s.at(0, b).busy_ns;
        wakeups += s.flow(b).wakeups;
    }
    EXPECT_EQ(busy, 5'000'000'000);
    EXPECT_EQ(wakeups, 5000u);
}

TEST(LoadSeries, KeepsWhatItHasWhenManyCpusAppear) {
    LoadSeries s(0, 1);
    s.set(0, 0, kBusy, 0);
    s.set(0, 1'000'000, kIdle, 0);
    s.add_cpus(100);
    s.set(99, 1'000'000, kBusy, 0);
    s.finish(2'000'000);
    std::int64_t first = 0;
    std::int64_t last = 0;
    for (std::uint32_t b = 0; b < s.size(); ++b) {
        first += s.at(0, b).busy_ns;
        last += s.at(99, b).busy_ns;
    }
    EXPECT_LE(s.size(), LoadSeries::kFewBuckets);
    EXPECT_EQ(first, 1'000'000);
    EXPECT_EQ(last, 1'000'000);
}

TEST(LoadSeries, CountsUnknownTimeAsNeither) {
    LoadSeries s(0, 1);
    s.correct(0, kUnknown);
    s.set(0, 600, kBusy, 0);
    s.finish(1000);
    EXPECT_EQ(s.at(0, 0).unknown_ns, 600);
    EXPECT_EQ(s.at(0, 0).busy_ns, 400);
    EXPECT_EQ(s.queue(0).time_ns[0], 400);
}

}  // namespace
}  // namespace wakelab::metrics
