#include "metrics/run_analysis.hpp"

#include <gtest/gtest.h>

#include "metrics/record_script.hpp"

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
    // One record per chunk: chunk borders must not matter.
    for (const TraceRecord& r : records) analysis.consume({&r, 1});
    analysis.finish(end_ns);
    return analysis.take();
}

TEST(RunAnalysis, AccountsEveryNanosecondOnce) {
    // CPU 0: idle 0-10, a 10-40, b 40-70, a 70-100. CPU 1: idle.
    // a: woken at 5 (latency 5), preempted by b at 40, runs again at 70 (delay 30).
    // b: woken at 35 (latency 5).
    const RunSummary s =
        analyse(script::info(2, {"a", "b"}),
                {script::wakeup(5, kNobody, 0, 0, {PlaceRule::kStayedOnPrev, 1, 0}),
                 script::run(10, 0, kNobody, 0), script::wakeup(35, 0, 1, 0),
                 script::run(40, 0, 0, 1, PrevState::kPreemptedByWakeup),
                 script::run(70, 0, 1, 0, PrevState::kBlocked), script::work(80, 0, 3)},
                100);
    const RunMetrics& m = s.metrics;
    EXPECT_EQ(m.cpus[0].busy_ns, 90);
    EXPECT_EQ(m.cpus[0].idle_ns, 10);
    EXPECT_EQ(m.cpus[1].idle_ns, 100);
    EXPECT_EQ(m.tasks[0].run_ns, 60);
    EXPECT_EQ(m.tasks[0].runnable_ns, 5 + 30);
    EXPECT_EQ(m.tasks[1].run_ns, 30);
    EXPECT_EQ(m.tasks[0].wake_migrations, 1u);  // prev CPU 1 -> 0
    EXPECT_EQ(m.wakeup_latency.count(), 2u);
    EXPECT_EQ(m.wakeup_latency.max_ns(), 5);
    EXPECT_EQ(m.preemption_delay.max_ns(), 30);
    EXPECT_EQ(m.preemptions.by_wakeup, 1u);
    EXPECT_EQ(m.switches, 3u);
    EXPECT_EQ(m.task_switches, 2u);
    EXPECT_EQ(m.work_units, 3u);
    EXPECT_DOUBLE_EQ(m.per_second(m.work_units), 3 / 100e-9);
    // b waited 35-40 and a 40-70 behind the other while CPU 1 idled.
    EXPECT_EQ(m.idle.stuck_time_ns, 35);
    EXPECT_EQ(m.idle.stuck_wait_ns[static_cast<std::size_t>(WaitCause::kPlacement)], 5);
    EXPECT_EQ(m.idle.stuck_wait_ns[static_cast<std::size_t>(WaitCause::kPreempted)], 30);
    EXPECT_EQ(m.anomalies.total(), 0u);
}

TEST(RunAnalysis, CountsOnlyTheCountedPart) {
    TraceInfo info = script::info(1, {"a"});
    info.start_ns = 100;
    info.end_ns = 200;
    // Woken at 90, runs 95-150 (55 ns, 50 of them counted), again 160-180; the event at 250 is
    // late.
    const RunSummary s =
        analyse(info,
                {script::wakeup(90, kNobody, 0, 0), script::run(95, 0, kNobody, 0),
                 script::run(150, 0, 0, kNobody, PrevState::kBlocked),
                 script::wakeup(155, kNobody, 0, 0), script::run(160, 0, kNobody, 0),
                 script::run(180, 0, 0, kNobody, PrevState::kBlocked), script::work(250, 0, 1)},
                300);
    EXPECT_EQ(s.metrics.duration_ns(), 100);
    EXPECT_EQ(s.metrics.tasks[0].run_ns, 50 + 20);
    EXPECT_EQ(s.metrics.cpus[0].idle_ns, 10 + 20);
    EXPECT_EQ(s.metrics.wakeups, 1u);
    EXPECT_EQ(s.metrics.wakeup_latency.count(), 1u);
    EXPECT_EQ(s.metrics.work_units, 0u);
}

TEST(RunAnalysis, TellsMovesAndReturnsApart) {
    // a runs on CPU 0, 1, 0, 0: two moves, the second back to where it was before.
    std::vector<TraceRecord> records;
    std::int64_t ns = 0;
    for (const std::uint16_t cpu : std::initializer_list<std::uint16_t>{0, 1, 0, 0}) {
        records.push_back(script::wakeup(ns += 10, kNobody, 0, cpu));
        records.push_back(script::run(ns += 10, cpu, kNobody, 0));
        records.push_back(script::run(ns += 10, cpu, 0, kNobody, PrevState::kBlocked));
    }
    TraceInfo info = script::info(2, {"a"});
    info.cache_of = {0, 0};
    const RunMetrics same_cache = analyse(info, records, 200).metrics;
    EXPECT_EQ(same_cache.tasks[0].moves, 2u);
    EXPECT_EQ(same_cache.tasks[0].returns, 1u);
    EXPECT_EQ(same_cache.tasks[0].far_periods.periods, 0u);
    EXPECT_EQ(same_cache.tasks[0].near_periods.periods, 4u);
    info.cache_of = {0, 1};
    EXPECT_EQ(analyse(info, records, 200).metrics.tasks[0].far_periods.periods, 2u);
}

TEST(RunAnalysis, MeasuresWhatMovingCosts) {
    // 20 periods of 100 ns at home, 20 of 130 ns after a move: 20 * 30 ns more.
    TraceInfo info = script::info(2, {"a"});
    info.cache_of = {0, 1};
    std::vector<TraceRecord> records;
    std::int64_t ns = 0;
    for (int i = 0; i < 41; ++i) {
        const auto cpu = static_cast<std::uint16_t>((i / 2) % 2);  // 0 0 1 1 0 0 ...
        const bool moved = i > 0 && i % 2 == 0;
        records.push_back(script::wakeup(ns += 10, kNobody, 0, cpu));
        records.push_back(script::run(ns += 10, cpu, kNobody, 0));
        ns += moved ? 130 : 100;
        records.push_back(script::run(ns, cpu, 0, kNobody, PrevState::kBlocked));
    }
    EXPECT_DOUBLE_EQ(analyse(info, records, ns).metrics.move_cost_ns(), 600.0);
}

TEST(RunAnalysis, TakesTasksThatAreForkedLater) {
    RunAnalysis analysis;
    analysis.begin(script::info(1, {"make"}));
    analysis.add_task(1, "cc1-0");
    analysis.add_task(2, "cc1-1");
    const std::vector<TraceRecord> records = {{10, 0, 1, 0, trace::EventType::kWakeupNew, 0, 0},
                                              script::run(20, 0, kNobody, 1),
                                              script::run(50, 0, 1, kNobody, PrevState::kDead)};
    analysis.consume(records);
    analysis.finish(100);
    const RunMetrics m = analysis.take().metrics;
    const std::uint32_t group = m.groups.group_of(2);
    EXPECT_EQ(m.groups.name(group), "cc1-*");
    EXPECT_EQ(m.group_run_ns[group][0], 30);
    EXPECT_EQ(m.forks, 1u);
    EXPECT_EQ(m.wakeup_latency.count(), 0u);  // a first run is no wake-up
}

TEST(RunAnalysis, SurvivesDamage) {
    const std::vector<TraceRecord> records = {
        script::run(10, 9, kNobody, 0),                        // no such CPU
        script::wakeup(20, kNobody, 4'000'000'000u, 0),        // no such task
        script::wakeup(30, kNobody, 5, 0),                     // a task that appeared later
        script::run(25, 0, kNobody, 5),                        // backwards
        {40, 0, kNobody, 0, trace::EventType::kWakeup, 0, 0},  // wakes nobody
        {41, 0, 0, 0, static_cast<trace::EventType>(99), 0, 0},
        script::run(50, 0, 5, kNobody, PrevState::kBlocked),
    };
    const RunSummary s = analyse(script::info(1, {"a"}), records, 60);
    EXPECT_EQ(s.metrics.anomalies.bad_record, 4u);
    EXPECT_EQ(s.metrics.anomalies.time_backwards, 1u);
    ASSERT_GE(s.metrics.tasks.size(), 6u);
    EXPECT_EQ(s.metrics.tasks[5].run_ns, 20);  // 30 (clamped) .. 50
    EXPECT_EQ(s.metrics.cpus[0].idle_ns, 30 + 10);
}

}  // namespace
}  // namespace wakelab::metrics
