#include "metrics/wake_graph.hpp"

#include <gtest/gtest.h>

#include "metrics/record_script.hpp"
#include "metrics/run_analysis.hpp"

namespace wakelab::metrics {
namespace {

using trace::kNobody;
using trace::PrevState;
using trace::TraceInfo;
using trace::TraceRecord;

RunSummary analyse(const TraceInfo& info, const std::vector<TraceRecord>& records,
                   std::int64_t end_ns) {
    RunAnalysis analysis;
    analysis.begin(info);
    analysis.consume(records);
    analysis.finish(end_ns);
    return analysis.take();
}

constexpr auto kShortcut = static_cast<std::size_t>(PlaceRule::kAffineShortcut);

TEST(WakeGraph, CountsWhereTheWakeesOfADriverWent) {
    TraceInfo info = script::info(2, {"driver", "worker-0", "worker-1", "worker-2"});
    info.cache_of = {0, 1};
    // driver runs on CPU 0 and wakes 1 (pulled from CPU 1 by the shortcut, CPU 1 idle), 2 (was here
    // already, CPU 1 idle) and 3 (sent to idle CPU 1, another cache).
    const RunSummary s =
        analyse(info,
                {script::wakeup(0, kNobody, 0, 0), script::run(1, 0, kNobody, 0),
                 script::wakeup(10, 0, 1, 0, {PlaceRule::kAffineShortcut, 1, trace::kWakeSync}),
                 script::wakeup(20, 0, 2, 0, {PlaceRule::kPrevIsThis, 0, trace::kWakeSync}),
                 script::wakeup(30, 0, 3, 1, {PlaceRule::kIdleSearch, 0, 0}),
                 script::run(40, 0, 0, 1, PrevState::kBlocked)},
                100);
    const Waker* driver = s.graph.find(0);
    ASSERT_NE(driver, nullptr);
    EXPECT_EQ(driver->role, WakeRole::kOneToMany);
    EXPECT_EQ(driver->fan_out, 3u);
    const PlacementCounts& p = driver->placed;
    EXPECT_EQ(p.wakeups, 3u);
    EXPECT_EQ(p.sync, 2u);
    EXPECT_EQ(p.moved, 2u);
    EXPECT_EQ(p.onto_waker, 2u);
    EXPECT_EQ(p.pulled, 1u);
    EXPECT_EQ(p.pulled_by_rule[kShortcut], 1u);
    EXPECT_EQ(p.misplaced, 2u);
    EXPECT_EQ(p.stacked, 2u);
    EXPECT_EQ(p.far, 1u);
    ASSERT_EQ(driver->edges.size(), 3u);
    EXPECT_EQ(driver->edges[2].far, 1u);
    // The wake-up of the driver itself came from an interrupt.
    ASSERT_NE(s.graph.find(kInterruptWaker), nullptr);
    EXPECT_EQ(s.graph.total.wakeups, 4u);
}

TEST(WakeGraph, SeesBatchesAndWhatCutsThem) {
    // One CPU busy, CPU 1 idle all the time. The driver wakes 1, is preempted by it for 50 ns,
    // wakes 2, sleeps: one batch of 2, cut once. Then a batch of 1 whose preemption comes after the
    // last wake-up: not cut.
    const RunSummary s = analyse(
        script::info(2, {"driver", "w-0", "w-1"}),
        {script::wakeup(0, kNobody, 0, 0), script::run(0, 0, kNobody, 0),
         script::wakeup(10, 0, 1, 0), script::run(20, 0, 0, 1, PrevState::kPreemptedByWakeup),
         script::run(70, 0, 1, 0, PrevState::kBlocked), script::wakeup(75, 0, 2, 0),
         script::run(80, 0, 0, 2, PrevState::kBlocked), script::wakeup(90, 2, 0, 0),
         script::run(95, 0, 2, 0, PrevState::kBlocked), script::wakeup(100, 0, 1, 0),
         script::run(105, 0, 0, 1, PrevState::kPreemptedByWakeup),
         script::run(120, 0, 1, 0, PrevState::kBlocked),
         script::run(125, 0, 0, kNobody, PrevState::kBlocked)},
        200);
    const BatchCounts& b = s.graph.find(0)->batch;
    EXPECT_EQ(b.batches, 2u);
    EXPECT_EQ(b.by_size[2], 1u);  // size 2
    EXPECT_EQ(b.by_size[1], 1u);  // size 1
    EXPECT_EQ(b.largest, 2u);
    EXPECT_DOUBLE_EQ(b.mean_size(), 1.5);
    EXPECT_EQ(b.cut.cuts, 1u);
    EXPECT_EQ(b.cut.wait_ns, 50);
    EXPECT_EQ(b.cut.idle_ns, 50);          // CPU 1
    EXPECT_EQ(b.cut.stacked_idle_ns, 50);  // which the wakee could have had
}

TEST(WakeGraph, PreemptionByATickDoesNotCutABatch) {
    const RunSummary s =
        analyse(script::info(1, {"driver", "w-0", "w-1"}),
                {script::wakeup(0, kNobody, 0, 0), script::run(0, 0, kNobody, 0),
                 script::wakeup(10, 0, 1, 0), script::run(20, 0, 0, 1, PrevState::kPreemptedByTick),
                 script::run(70, 0, 1, 0, PrevState::kBlocked), script::wakeup(75, 0, 2, 0),
                 script::run(80, 0, 0, 2, PrevState::kBlocked)},
                100);
    EXPECT_EQ(s.graph.find(0)->batch.cut.cuts, 0u);
}

// Wake-ups only, on one CPU each; nothing needs to run.
WakeRole role_of(std::uint32_t task,
                 const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs) {
    std::vector<TraceRecord> records;
    std::int64_t ns = 0;
    for (const auto& [waker, wakee] : pairs) {
        records.push_back(script::wakeup(++ns, waker, wakee, 0));
        records.push_back(script::run(++ns, 0, kNobody, wakee));
        records.push_back(script::run(++ns, 0, wakee, kNobody, PrevState::kBlocked));
    }
    const RunSummary s = analyse(script::info(1, {"a", "b", "c", "d"}), records, 1000);
    const Waker* waker = s.graph.find(task);
    return waker == nullptr ? WakeRole::kNone : waker->role;
}

TEST(WakeGraph, NamesTheShapes) {
    EXPECT_EQ(role_of(0, {{0, 1}, {1, 0}}), WakeRole::kOneToOne);
    EXPECT_EQ(role_of(0, {{0, 1}, {0, 2}, {1, 0}, {2, 0}}), WakeRole::kOneToMany);
    EXPECT_EQ(role_of(1, {{0, 1}, {0, 2}, {1, 0}, {2, 0}}), WakeRole::kManyToOne);
    EXPECT_EQ(role_of(0, {{0, 1}, {1, 2}, {2, 3}}), WakeRole::kPipeline);
    EXPECT_EQ(role_of(3, {{0, 1}}), WakeRole::kNone);
}

TEST(WakeGraph, RareWakeupsDoNotChangeTheShape) {
    // 20 wake-ups of 1 and one of 2: still a pair.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs(20, {0, 1});
    pairs.emplace_back(0, 2);
    pairs.emplace_back(1, 0);
    EXPECT_EQ(role_of(0, pairs), WakeRole::kOneToOne);
}

}  // namespace
}  // namespace wakelab::metrics
