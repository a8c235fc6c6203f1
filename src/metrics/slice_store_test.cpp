#include "metrics/slice_store.hpp"

#include <gtest/gtest.h>

#include "metrics/record_script.hpp"

namespace wakelab::metrics {
namespace {

using trace::kNobody;
using trace::TraceRecord;

Lanes lanes_of(const trace::TraceInfo& info, const std::vector<TraceRecord>& records,
               std::int64_t end_ns, SliceStore::Limits limits = {}) {
    SliceStore store(limits);
    store.begin(info);
    store.consume(records);
    store.finish(end_ns);
    return store.take();
}

// CPU 0: a 100..300, b 300..450, idle; CPU 1: b 600..1000 (open at the end).
TEST(SliceStore, KeepsWhoRanWhereAndWhoWokeWhom) {
    const Lanes lanes = lanes_of(
        script::info(2, {"a", "b"}),
        {script::run(0, 0, kNobody, kNobody), script::run(100, 0, kNobody, 0),
         script::wakeup(150, 0, 1, 0), script::run(300, 0, 0, 1), script::run(450, 0, 1, kNobody),
         script::wakeup(590, kNobody, 1, 1), script::run(600, 1, kNobody, 1)},
        1000);
    ASSERT_EQ(lanes.cpus.size(), 2u);
    ASSERT_EQ(lanes.cpus[0].size(), 2u);
    EXPECT_EQ(lanes.cpus[0][0].start_ns, 100);
    EXPECT_EQ(lanes.cpus[0][0].span_ns, 200);
    EXPECT_EQ(lanes.cpus[0][0].task, 0u);
    EXPECT_EQ(lanes.cpus[0][1].busy_ns, 150);
    ASSERT_EQ(lanes.cpus[1].size(), 1u);
    EXPECT_EQ(lanes.cpus[1][0].span_ns, 400);
    ASSERT_EQ(lanes.arrows.size(), 2u);
    EXPECT_EQ(lanes.arrows[0].latency_ns, 150);
    EXPECT_EQ(lanes.arrows[0].waker_cpu, 0);
    EXPECT_EQ(lanes.arrows[1].waker, kNobody);
    EXPECT_EQ(lanes.arrows[1].latency_ns, 10);
    EXPECT_EQ(lanes.end_ns, 1000);
    EXPECT_EQ(lanes.merged_below_ns, 0);
}

TEST(SliceStore, CutsAtTheCountedPart) {
    trace::TraceInfo info = script::info(1, {"a"});
    info.start_ns = 1000;
    info.end_ns = 2000;
    const Lanes lanes =
        lanes_of(info,
                 {script::run(500, 0, kNobody, 0), script::run(1500, 0, 0, kNobody),
                  script::run(1900, 0, kNobody, 0), script::run(2500, 0, 0, kNobody)},
                 2500);
    ASSERT_EQ(lanes.cpus[0].size(), 2u);
    EXPECT_EQ(lanes.cpus[0][0].start_ns, 1000);
    EXPECT_EQ(lanes.cpus[0][0].span_ns, 500);
    EXPECT_EQ(lanes.cpus[0][1].span_ns, 100);
}

// A recording begins while task 0 runs: its first switch tells that it had the CPU.
TEST(SliceStore, TheFirstSwitchTellsWhoRanBefore) {
    const Lanes lanes =
        lanes_of(script::info(2, {"a"}),
                 {script::run(1000, 1, kNobody, kNobody), script::run(1400, 0, 0, kNobody)}, 2000);
    ASSERT_EQ(lanes.cpus[0].size(), 1u);
    EXPECT_EQ(lanes.cpus[0][0].start_ns, 1000);
    EXPECT_EQ(lanes.cpus[0][0].span_ns, 400);
}

TEST(SliceStore, NothingIsDrawnWhereEventsAreMissing) {
    TraceRecord lost = script::run(500, 0, kNobody, kNobody);
    lost.type = trace::EventType::kLost;
    const Lanes lanes =
        lanes_of(script::info(1, {"a"}),
                 {script::run(100, 0, kNobody, 0), lost, script::run(800, 0, 0, kNobody)}, 1000);
    EXPECT_TRUE(lanes.cpus[0].empty());
    ASSERT_EQ(lanes.gaps.size(), 1u);
    EXPECT_EQ(lanes.gaps[0].start_ns, 100);
    EXPECT_EQ(lanes.gaps[0].span_ns, 400);
}

// 10 000 slices of 600 ns with pauses of 400 ns and a limit of 1000: busy time stays the same, the
// number bounded, and the lanes say that slices were merged.
TEST(SliceStore, StaysBelowItsLimitAndKeepsTheBusyTime) {
    std::vector<TraceRecord> records;
    for (std::int64_t i = 0; i < 10'000; ++i) {
        records.push_back(script::wakeup(i * 1000, kNobody, 0, 0));
        records.push_back(script::run(i * 1000 + i % 90, 0, kNobody, 0));
        records.push_back(script::run(i * 1000 + i % 90 + 600, 0, 0, kNobody));
    }
    const Lanes lanes = lanes_of(script::info(1, {"a"}), records, 10'000'000,
                                 {.slices = 1000, .arrows = 1000, .gaps = 10});
    EXPECT_LE(lanes.slices(), 1000u);
    EXPECT_EQ(lanes.slices_seen, 10'000u);
    EXPECT_GE(lanes.merged_below_ns, 1000);
    std::int64_t busy = 0;
    std::uint64_t merged = 0;
    for (const Slice& s : lanes.cpus[0]) {
        busy += s.busy_ns;
        merged += s.merged;
        EXPECT_LE(s.busy_ns, s.span_ns);
    }
    EXPECT_EQ(busy, 6'000'000);
    EXPECT_EQ(merged, 10'000u);
    EXPECT_LE(lanes.arrows.size(), 1000u);
    EXPECT_GT(lanes.arrows_from_ns, 0);
    for (const WakeArrow& a : lanes.arrows) EXPECT_GE(a.latency_ns, lanes.arrows_from_ns);
}

// CPU and task numbers of a damaged file, and times that go backwards.
TEST(SliceStore, DamageDoesNoHarm) {
    const Lanes lanes =
        lanes_of(script::info(1, {"a"}),
                 {script::run(100, 7, kNobody, 0), script::run(200, 0, kNobody, 1u << 30),
                  script::run(150, 0, 1u << 30, 5), script::wakeup(100, 9, 1u << 31, 0),
                  script::run(300, 0, 5, kNobody)},
                 300);
    ASSERT_FALSE(lanes.cpus[0].empty());
    EXPECT_EQ(lanes.cpus[0].back().task, 5u);
    EXPECT_EQ(lanes.cpus[0].back().start_ns, 200);
    EXPECT_EQ(lanes.cpus[0].back().span_ns, 100);
}

}  // namespace
}  // namespace wakelab::metrics
