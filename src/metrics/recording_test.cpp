// RunAnalysis on what only recordings have: gaps, CPUs that nobody has heard of, names and masks that
// are told late, sleeps by kind.
#include <gtest/gtest.h>

#include "metrics/record_script.hpp"
#include "metrics/run_analysis.hpp"
#include "metrics/timeline_window.hpp"

namespace wakelab::metrics {
namespace {

using trace::EventType;
using trace::kNobody;
using trace::PrevState;
using trace::TraceInfo;
using trace::TraceRecord;

TraceInfo recorded(std::uint32_t cpus, std::vector<std::string> names) {
    TraceInfo info = script::info(cpus, std::move(names));
    info.recorded = true;
    return info;
}

RunMetrics analyse(const TraceInfo& info, const std::vector<TraceRecord>& records,
                   std::int64_t end_ns) {
    RunAnalysis analysis;
    analysis.begin(info);
    analysis.consume(records);
    analysis.finish(end_ns);
    return std::move(analysis.take().metrics);
}

TraceRecord lost(std::int64_t ns, std::uint16_t cpu) {
    return {ns, kNobody, kNobody, cpu, EventType::kLost, 0, 0};
}

TraceRecord waking(std::int64_t ns, std::uint16_t cpu, std::uint32_t waker, std::uint32_t wakee) {
    return {ns, waker, wakee, cpu, EventType::kWaking, 0, 0};
}

TEST(Recording, DoesNotKnowACpuBeforeItsFirstSwitch) {
    // CPU 0: its first switch, at 40, takes a away, which ran since the start. CPU 1: no switch at all.
    const RunMetrics m =
        analyse(recorded(2, {"a"}), {script::run(40, 0, 0, kNobody)}, 100);
    EXPECT_EQ(m.cpus[0].busy_ns, 40);
    EXPECT_EQ(m.cpus[0].idle_ns, 60);
    EXPECT_EQ(m.cpus[0].unknown_ns, 0);
    EXPECT_EQ(m.cpus[1].unknown_ns, 100);
    EXPECT_EQ(m.cpus[1].idle_ns, 0);
    EXPECT_EQ(m.load.at(1, 0).unknown_ns, 100);
    EXPECT_EQ(m.load.at(0, 0).busy_ns, 40);
}

TEST(Recording, NoDurationSpansAGap) {
    // CPU 0 runs a from 10; its last word is a's waking of b at 20; events are lost until 60; then a
    // switch at 80 shows that c ran since 60 at least. On CPU 1 d waits from 30 to 90: c or others may
    // have taken it to CPU 0 meanwhile, so its latency is unknown. e waits from 70 to 95.
    const RunMetrics m = analyse(
        recorded(2, {"a", "b", "c", "d", "e", "x"}),
        {script::run(0, 1, kNobody, 5), script::run(10, 0, kNobody, 0), waking(20, 0, 0, 1),
         script::wakeup(20, 0, 1, 0), script::wakeup(30, 5, 3, 1), lost(60, 0),
         script::wakeup(70, 5, 4, 1), script::run(80, 0, 2, kNobody), script::run(90, 1, 5, 3),
         script::run(95, 1, 3, 4)},
        100);
    EXPECT_EQ(m.tasks[0].run_ns, 10);          // 10 .. 20
    EXPECT_EQ(m.cpus[0].unknown_ns, 60 - 20);
    EXPECT_EQ(m.tasks[2].run_ns, 20);          // 60 .. 80
    EXPECT_EQ(m.cpus[0].busy_ns, 10 + 20);
    EXPECT_EQ(m.cpus[0].idle_ns, 10 + 20);     // 0 .. 10, 80 .. 100
    EXPECT_EQ(m.wakeup_latency.count(), 1u);   // e only
    EXPECT_EQ(m.wakeup_latency.max_ns(), 25);
    EXPECT_EQ(m.tasks[3].runnable_ns, 0);
    EXPECT_EQ(m.gaps.gaps, 1u);
    EXPECT_EQ(m.gaps.waits, 1u);
    EXPECT_EQ(m.cpus[1].busy_ns, 100);         // CPU 1 lost nothing
    EXPECT_EQ(m.anomalies.total(), 0u);
}

TEST(Recording, BelievesAWakeupAfterAGap) {
    // a waits on CPU 1 when CPU 0 loses events: there it may have run and slept. Its wake-up at 50 is
    // the truth, no contradiction; the wait counts from there.
    const RunMetrics m =
        analyse(recorded(2, {"a", "b"}),
                {script::run(0, 1, kNobody, 1), script::wakeup(10, 1, 0, 1), lost(40, 0),
                 script::wakeup(50, 1, 0, 1), script::run(70, 1, 1, 0)},
                100);
    EXPECT_EQ(m.anomalies.total(), 0u);
    EXPECT_EQ(m.wakeup_latency.count(), 1u);
    EXPECT_EQ(m.wakeup_latency.max_ns(), 20);
    EXPECT_EQ(m.tasks[0].runnable_ns, 20);
    EXPECT_EQ(m.load.queue(1).max, 1u);
}

TEST(Recording, SplitsSleepByKind) {
    // Sleeps of a: 10-30 interruptible, 40-70 uninterruptible, 80-120 for I/O, 130-180 stopped.
    std::vector<TraceRecord> records = {script::run(0, 0, kNobody, 0)};
    const auto sleep = [&](std::int64_t from, std::int64_t to, PrevState how, bool io) {
        records.push_back(script::run(from, 0, 0, kNobody, how));
        if (io) records.push_back({to, kNobody, 0, 0, EventType::kBlockedReason, 1, 0});
        records.push_back(script::wakeup(to, kNobody, 0, 0));
        records.push_back(script::run(to, 0, kNobody, 0));
    };
    sleep(10, 30, PrevState::kBlocked, false);
    sleep(40, 70, PrevState::kUninterruptible, false);
    sleep(80, 120, PrevState::kUninterruptible, true);
    sleep(130, 180, PrevState::kStopped, false);
    const RunMetrics m = analyse(recorded(1, {"a"}), records, 200);
    EXPECT_EQ(m.tasks[0].sleep_ns, (std::array<std::int64_t, kSleepKinds>{20, 30, 40, 50}));
    EXPECT_EQ(m.tasks[0].run_ns, 200 - 20 - 30 - 40 - 50);
    EXPECT_EQ(m.tasks[0].near_periods.periods, 4u);  // every kind of sleep ends a period
}

TEST(Recording, TellsWhoRanInsteadAndWhichCpuIdled) {
    // b is woken at 100 on CPU 0, where a runs until 160 and c until 190. CPU 1 runs d until 120 and
    // idles then, so 70 of the 90 ns; CPU 2 idles from 150: 40.
    const RunMetrics m = analyse(
        recorded(3, {"a", "b", "c", "d", "e"}),
        {script::run(0, 0, kNobody, 0), script::run(0, 1, kNobody, 3), script::run(0, 2, kNobody, 4),
         script::wakeup(100, 3, 1, 0), script::run(120, 1, 3, kNobody),
         script::run(150, 2, 4, kNobody), script::run(160, 0, 0, 2), script::run(190, 0, 2, 1)},
        200);
    ASSERT_EQ(m.worst_wakeups.size(), 1u);
    const WaitCase& w = m.worst_wakeups[0];
    EXPECT_EQ(w.task, 1u);
    EXPECT_EQ(w.wait_ns, 90);
    EXPECT_EQ(w.waker, 3u);
    EXPECT_EQ(w.instead[0].task, 0u);
    EXPECT_EQ(w.instead[0].ns, 60);
    EXPECT_EQ(w.instead[1].task, 2u);
    EXPECT_EQ(w.instead[1].ns, 30);
    EXPECT_EQ(w.idle_cpu, 1u);
    EXPECT_EQ(w.idle_ns, 70);
    EXPECT_EQ(w.not_kept_ns, 0);
    // The same as a violation: from 120, when CPU 1 went idle, to 190.
    EXPECT_EQ(m.idle.violations, 1u);
    ASSERT_EQ(m.idle.longest.size(), 1u);
    EXPECT_EQ(m.idle.longest[0].from_ns, 120);
    EXPECT_EQ(m.idle.longest[0].length_ns, 70);
    EXPECT_EQ(m.idle.longest[0].idle_cpu, 1u);
    EXPECT_EQ(m.idle.longest[0].task, 1u);
    EXPECT_EQ(m.idle.violations_by_length[7], 1u);  // 64 .. 127 ns
}

TEST(Recording, CountsMigrationsByDistance) {
    TraceInfo info = recorded(8, {"a"});
    info.core_of = {0, 0, 1, 1, 2, 2, 3, 3};
    info.cache_of = {0, 0, 0, 0, 1, 1, 2, 2};
    info.node_of = {0, 0, 0, 0, 0, 0, 1, 1};
    const std::vector<TraceRecord> records = {
        script::wakeup(1, kNobody, 0, 1, {PlaceRule::kNotRecorded, 0, 0}),  // same core
        script::migrate(2, 0, 1, 2),                                         // same cache
        script::migrate(3, 0, 2, 4),                                         // other cache
        script::migrate(4, 0, 4, 6)};                                        // other node
    EXPECT_EQ(analyse(info, records, 10).migrations,
              (std::array<std::uint64_t, kDistances>{1, 1, 1, 1, 0}));
    EXPECT_EQ(analyse(recorded(8, {"a"}), records, 10).migrations,
              (std::array<std::uint64_t, kDistances>{0, 0, 0, 0, 4}));
}

TEST(Recording, GroupsByTheLatestName) {
    RunAnalysis analysis;
    analysis.begin(recorded(1, {}));
    analysis.add_task(0, "bash");
    analysis.add_task(1, "bash");
    analysis.rename_task(0, "pgbench");
    const std::vector<TraceRecord> records = {script::run(0, 0, kNobody, 0),
                                              script::run(60, 0, 0, kNobody)};
    analysis.consume(records);
    analysis.finish(100);
    const RunMetrics m = std::move(analysis.take().metrics);
    EXPECT_EQ(m.task_name(0), "pgbench");
    EXPECT_EQ(m.groups.name(m.groups.group_of(0)), "pgbench");
    EXPECT_EQ(m.groups.size(m.groups.group_of(1)), 1u);
    EXPECT_EQ(m.group_totals()[m.groups.group_of(0)].run_ns, 60);
}

// a waits behind b on CPU 0 while CPU 1 idles.
std::int64_t stuck_ns(RunAnalysis& analysis) {
    const std::vector<TraceRecord> records = {
        script::run(0, 1, 1, kNobody), script::run(0, 0, kNobody, 1),
        script::wakeup(10, 1, 0, 0), script::run(60, 0, 1, 0)};
    analysis.consume(records);
    analysis.finish(100);
    return analysis.take().metrics.idle.stuck_time_ns;
}

TEST(Recording, GuessesThatKernelThreadsAreBound) {
    RunAnalysis bound;
    bound.begin(recorded(2, {}));
    bound.add_task(0, "kworker/0:1");
    bound.add_task(1, "b");
    EXPECT_EQ(stuck_ns(bound), 0);
    RunAnalysis free;
    free.begin(recorded(2, {}));
    free.add_task(0, "kworker/u4:1");
    free.add_task(1, "b");
    EXPECT_EQ(stuck_ns(free), 50);
    RunAnalysis told;  // a mask that is told beats the guess
    told.begin(recorded(2, {}));
    told.add_task(0, "kworker/0:1");
    told.describe_task(0, {.pid = 7, .tgid = 7, .allowed = topo::CpuMask::first_n(2)});
    told.add_task(1, "b");
    EXPECT_EQ(stuck_ns(told), 50);
}

TEST(Recording, GivesUpAMaskThatIsContradicted) {
    RunAnalysis analysis;
    analysis.begin(recorded(2, {}));
    analysis.add_task(0, "fake/0");
    const std::vector<TraceRecord> records = {script::run(10, 1, kNobody, 0)};
    analysis.consume(records);
    analysis.finish(20);
    const RunMetrics m = std::move(analysis.take().metrics);
    EXPECT_EQ(m.affinity_changes, 1u);
    EXPECT_FALSE(m.notes[0].restricted);
}

TEST(Recording, CountsWaitsThatAffinityCauses) {
    // a and b share CPU 0 by their masks; CPU 1 idles for the 50 ns that a waits.
    TraceInfo info = recorded(2, {"a", "b"});
    info.allowed = {topo::CpuMask::of_word(1), topo::CpuMask::of_word(1)};
    const RunMetrics m = analyse(info,
                                 {script::run(0, 1, kNobody, 1), script::run(0, 1, 1, kNobody),
                                  script::run(0, 0, kNobody, 1), script::wakeup(10, 1, 0, 0),
                                  script::run(60, 0, 1, 0)},
                                 100);
    EXPECT_EQ(m.idle.excluded_wait_ns, 50);
    EXPECT_EQ(m.idle.excluded_cpu_ns, 50);
    EXPECT_EQ(m.idle.stuck_time_ns, 0);
}

TEST(Recording, TakesCpusThatAppearLater) {
    RunAnalysis analysis;
    analysis.begin(recorded(1, {"a", "b"}));
    std::vector<TraceRecord> records = {script::run(10, 0, kNobody, 0)};
    analysis.consume(records);
    analysis.add_cpus(3);
    records = {script::wakeup(20, 0, 1, 2), script::run(25, 2, kNobody, 1)};
    analysis.consume(records);
    analysis.finish(100);
    const RunMetrics m = std::move(analysis.take().metrics);
    ASSERT_EQ(m.cpus.size(), 3u);
    EXPECT_EQ(m.cpus[2].busy_ns, 75);
    EXPECT_EQ(m.cpus[2].idle_ns, 25);  // its first switch says that it idled until then
    EXPECT_EQ(m.cpus[1].unknown_ns, 100);
    EXPECT_EQ(m.anomalies.total(), 0u);
}

TEST(Recording, SeesWakeesBesideABusyThread) {
    // Cores {0, 1} and {2, 3}. CPU 0 runs a; b is woken onto CPU 1 while core {2, 3} idles.
    TraceInfo info = script::info(4, {"a", "b"});
    info.core_of = {0, 0, 1, 1};
    RunAnalysis analysis;
    analysis.begin(info);
    const std::vector<TraceRecord> records = {
        script::run(0, 0, kNobody, 0), script::wakeup(10, 0, 1, 1), script::run(11, 1, kNobody, 1),
        script::run(20, 1, 1, kNobody), script::wakeup(30, 0, 1, 2)};
    analysis.consume(records);
    analysis.finish(100);
    EXPECT_EQ(analysis.take().graph.total.beside_busy, 1u);
}

TEST(TimelineWindow, KeepsSlicesOfTheWindow) {
    TimelineWindow window;
    TraceInfo info = recorded(1, {"a", "b"});
    info.start_ns = 100;
    info.end_ns = 200;
    window.begin(info);
    const std::vector<TraceRecord> records = {
        script::run(50, 0, kNobody, 0), script::wakeup(120, 0, 1, 0), script::run(150, 0, 0, 1),
        script::run(190, 0, 1, kNobody), script::run(250, 0, kNobody, 0)};
    window.consume(records);
    window.finish(300);
    const Timeline t = window.take();
    ASSERT_EQ(t.lanes[0].size(), 4u);
    EXPECT_EQ(t.lanes[0][0].from_ns, 100);  // a since before the window
    EXPECT_EQ(t.lanes[0][0].task, 0u);
    EXPECT_EQ(t.lanes[0][1].from_ns, 120);  // b waits
    EXPECT_EQ(t.lanes[0][1].queued, 1u);
    EXPECT_EQ(t.lanes[0][2].task, 1u);
    EXPECT_EQ(t.lanes[0][3].task, kNobody);
    EXPECT_EQ(t.lanes[0][3].to_ns, 200);
    EXPECT_FALSE(t.cut);
}

TEST(TimelineWindow, EndsEarlyWhenThereIsTooMuch) {
    TimelineWindow window(3);
    window.begin(recorded(1, {"a", "b"}));
    std::vector<TraceRecord> records;
    for (std::int64_t i = 1; i < 100; ++i)
        records.push_back(script::run(10 * i, 0, i % 2 == 0 ? 0 : 1, i % 2 == 0 ? 1 : 0));
    window.consume(records);
    window.finish(1000);
    const Timeline t = window.take();
    EXPECT_TRUE(t.cut);
    EXPECT_LT(t.to_ns, 100);
}

}  // namespace
}  // namespace wakelab::metrics
