// Rules that recordings need, on hand-made records; and their experiments in words of a live system.
#include <gtest/gtest.h>

#include <algorithm>

#include "diag/diagnose.hpp"
#include "diag/rules.hpp"
#include "metrics/record_script.hpp"

namespace wakelab::diag {
namespace {

namespace script = metrics::script;
using trace::kNobody;
using trace::PrevState;
using trace::TraceInfo;
using trace::TraceRecord;

constexpr std::int64_t kMs = 1'000'000;

struct Script {
    std::vector<TraceRecord> records;
    std::int64_t ns = 0;

    void run(std::uint16_t cpu, std::uint32_t task, std::uint32_t next,
             PrevState how = PrevState::kBlocked) {
        records.push_back(script::run(ns, cpu, task, next, how));
    }
    void wake(std::uint32_t waker, std::uint32_t wakee, std::uint16_t cpu) {
        records.push_back(script::wakeup(ns, waker, wakee, cpu));
    }
    metrics::RunSummary analyse(TraceInfo info) const {
        info.recorded = true;
        metrics::RunAnalysis analysis;
        analysis.begin(info);
        for (std::uint32_t t = 0; t < info.task_names.size(); ++t)
            analysis.describe_task(t, {.pid = static_cast<std::int32_t>(100 + t), .tgid = -1,
                                       .allowed = {}});
        analysis.consume(records);
        analysis.finish(ns);
        return analysis.take();
    }
};

const Finding* find(const std::vector<Finding>& findings, std::string_view id) {
    const auto at = std::ranges::find(findings, id, &Finding::id);
    return at == findings.end() ? nullptr : &*at;
}

Knobs live(std::string_view release) {
    Knobs k;
    k.live = LiveSystem::of_release(release);
    return k;
}

// CPU 0: the second task runs for 5 ms, the first waits 4 of them and runs 0.1 ms; 40 times.
Script one_behind_the_other() {
    Script s;
    s.run(1, 2, kNobody);
    s.run(0, kNobody, 1);
    for (int i = 0; i < 40; ++i) {
        s.ns += kMs;
        s.wake(kNobody, 0, 0);
        s.ns += 4 * kMs;
        s.run(0, 1, 0, PrevState::kPreemptedOther);
        s.ns += kMs / 10;
        s.run(0, 0, 1);
    }
    return s;
}

TEST(RecordingRules, FindAHog) {
    TraceInfo info = script::info(2, {"ui", "hog", "x"});
    info.allowed = {topo::CpuMask::of_word(1), topo::CpuMask::of_word(1), topo::CpuMask::of_word(3)};
    const std::vector<Finding> findings =
        diagnose(one_behind_the_other().analyse(info), live("6.1.0-18-amd64"));
    const Finding* f = find(findings, "hog");
    ASSERT_NE(f, nullptr);
    EXPECT_EQ(f->title, "hog keeps ui waiting");
    EXPECT_NE(f->symptom[0].find("40 of 40 waits"), std::string::npos) << f->symptom[0];
    ASSERT_FALSE(f->cases.empty());
    EXPECT_EQ(f->cases[0].words, "ui waited 4.0 ms on CPU 0; hog ran there for 4.0 ms");
    EXPECT_EQ(f->experiments[0].arguments(), "chrt -i -p 0 101");
    // CPU 1 was no help to either: that is the first thing to say.
    EXPECT_EQ(findings.front().id, "pinned");
    EXPECT_NEAR(findings.front().explains.value_or(0), 4.1 / 5.1 / 2, 0.01);
    EXPECT_EQ(findings.front().experiments[0].arguments(), "taskset -apc 0-1 100");
}

TEST(RecordingRules, FindKernelThreadsThatWait) {
    const std::vector<Finding> findings = diagnose(
        one_behind_the_other().analyse(script::info(1, {"kworker/0:1", "hog", "x"})), live("6.1"));
    const Finding* f = find(findings, "kernel-thread");
    ASSERT_NE(f, nullptr);
    EXPECT_EQ(f->title, "hog keeps the per-CPU kernel threads kworker/0:1 waiting");
    EXPECT_EQ(find(findings, "hog"), nullptr);
}

// Wake-ups alone: no CPU is seen to idle, and that is no sign that all are busy.
TEST(RecordingRules, ConcludeNothingWithoutSwitches) {
    Script s;
    for (int i = 0; i < 50; ++i) {
        s.wake(0, 1, 1);
        s.ns += kMs;
    }
    const std::vector<Finding> findings = diagnose(s.analyse(script::info(2, {"a", "b"})), live(""));
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_EQ(findings.front().id, "no-switches");
}

TEST(RecordingRules, TellWhenARunCollapses) {
    // Four CPUs. For 50 ms each runs a task; then 0 does all the work, 1 to 3 wait there for 150 ms.
    Script s;
    for (std::uint16_t cpu = 0; cpu < 4; ++cpu) s.run(cpu, kNobody, cpu);
    s.ns = 50 * kMs;
    for (std::uint16_t cpu = 1; cpu < 4; ++cpu) s.run(cpu, cpu, kNobody);
    for (std::uint32_t task = 1; task < 4; ++task) s.wake(0, task, 0);
    s.ns = 200 * kMs;
    const std::vector<Finding> findings =
        diagnose(s.analyse(script::info(4, {"a-0", "a-1", "a-2", "a-3"})), live(""));
    const Finding* f = find(findings, "serialised");
    ASSERT_NE(f, nullptr);
    EXPECT_NEAR(f->evidence[0].value, 0.050, 0.005);  // onset_s
    EXPECT_NEAR(f->evidence[2].value, 4.0, 0.3);      // CPUs busy before
    EXPECT_NEAR(f->evidence[3].value, 1.0, 0.1);
    EXPECT_NEAR(f->evidence[4].value, 3.0, 0.1);      // waiting
}

TEST(RecordingRules, APauseDoesNotMakeALaterCollapse) {
    // Two CPUs: a works on CPU 0 and b, c wait there, but for 50 .. 70 ms, when a is alone: what comes after
    // has not begun there.
    Script s;
    s.run(1, 1, kNobody);
    s.run(0, kNobody, 0);
    for (const std::int64_t end : {50 * kMs, 200 * kMs}) {
        s.wake(0, 1, 0);
        s.wake(0, 2, 0);
        s.ns = end - 2'000;
        s.run(0, 0, 1, PrevState::kPreemptedByWakeup);
        s.ns += 500;
        s.run(0, 1, 2);
        s.ns += 500;
        s.run(0, 2, 0);
        s.ns = end == 50 * kMs ? 70 * kMs : end;
    }
    const std::vector<Finding> findings = diagnose(s.analyse(script::info(2, {"a", "b", "c"})), live(""));
    const Finding* f = find(findings, "serialised");
    ASSERT_NE(f, nullptr);
    EXPECT_EQ(f->evidence[0].value, 0);  // onset_s
    EXPECT_EQ(f->symptom[0],
              "From the start on 1 CPU was busy while 1.8 tasks waited on average.");
}

TEST(RecordingRules, FindWakeesBesideABusyThread) {
    // Cores {0, 1} and {2, 3}: a runs on CPU 0 and wakes b onto CPU 1 again and again.
    Script s;
    for (std::uint16_t cpu = 1; cpu < 4; ++cpu) s.run(cpu, 2, kNobody);
    s.run(0, kNobody, 0);
    for (int i = 0; i < 120; ++i) {
        s.wake(0, 1, 1);
        s.ns += 10'000;
        s.run(1, kNobody, 1);
        s.ns += 50'000;
        s.run(1, 1, kNobody);
    }
    TraceInfo info = script::info(4, {"a", "b", "x"});
    info.core_of = {0, 0, 1, 1};
    const std::vector<Finding> findings = diagnose(s.analyse(info), live("6.12"));
    const Finding* f = find(findings, "busy-sibling");
    ASSERT_NE(f, nullptr);
    EXPECT_NE(f->symptom[0].find("100 % of all wake-ups"), std::string::npos) << f->symptom[0];
    EXPECT_EQ(f->experiments[0].arguments(), "echo off > /sys/devices/system/cpu/smt/control");
}

// The driver is preempted by a wakee of this batch; records of a kernel say no more than the switch.
TEST(RecordingRules, FindCutBatchesWithoutResched) {
    Script s;
    s.run(1, 4, kNobody);
    for (int round = 0; round < 50; ++round) {
        s.wake(kNobody, 0, 0);
        s.run(0, kNobody, 0);
        for (const std::uint32_t server : {1u, 2u}) {
            s.ns += 10'000;
            s.wake(0, server, 0);
            s.run(0, 0, server, PrevState::kPreemptedByWakeup);
            s.ns += 100'000;
            s.run(0, server, 0);
        }
        s.ns += 10'000;
        s.wake(0, 3, 0);
        s.run(0, 0, 3);
        s.ns += 100'000;
        s.run(0, 3, kNobody);
        s.ns += 70'000;
    }
    const TraceInfo info =
        script::info(2, {"driver", "server-0", "server-1", "server-2", "x"});
    const Finding* f = nullptr;
    const std::vector<Finding> old = diagnose(s.analyse(info), live("5.10.0"));
    f = find(old, "cut-batches");
    ASSERT_NE(f, nullptr);
    EXPECT_NEAR(f->explains.value_or(0), 0.25, 0.01);
    EXPECT_EQ(f->experiments[0].arguments(), "for p in 101 102 103; do chrt -b -p 0 $p; done");
    EXPECT_EQ(f->experiments[1].arguments(),
              "echo NO_WAKEUP_PREEMPTION > /sys/kernel/debug/sched_features");
    EXPECT_EQ(f->experiments[2].arguments(), "sysctl -w kernel.sched_wakeup_granularity_ns=20000000");
    ASSERT_FALSE(f->cases.empty());
    EXPECT_NE(f->cases[0].words.find("driver waited 100 µs on CPU 0 to go on; server-"),
              std::string::npos)
        << f->cases[0].words;
    const std::vector<Finding> eevdf = diagnose(s.analyse(info), live("6.12.1"));
    f = find(eevdf, "cut-batches");
    ASSERT_NE(f, nullptr);
    ASSERT_EQ(f->experiments.size(), 2u);  // no granularity any more
    EXPECT_EQ(f->experiments[1].arguments(),
              "echo NO_WAKEUP_PREEMPTION > /sys/kernel/debug/sched/features");
}

TEST(RecordingRules, LetAPairHandOver) {
    // Each wakes the other on its own CPU and sleeps 5 us later: CPU 1 would not have been faster.
    Script s;
    s.run(1, 2, kNobody);
    s.run(0, kNobody, 0);
    for (std::uint32_t i = 0; i < 200; ++i) {
        s.ns += 10'000;
        s.wake(i % 2, 1 - i % 2, 0);
        s.ns += 5'000;
        s.run(0, i % 2, 1 - i % 2);
    }
    const std::vector<Finding> findings =
        diagnose(s.analyse(script::info(2, {"ping", "pong", "x"})), live("6.1"));
    EXPECT_EQ(findings.front().id, "nothing-wrong");
}

TEST(LiveSystem, ReadsReleases) {
    const LiveSystem s = LiveSystem::of_release("6.12.1-amd64");
    EXPECT_EQ(s.major, 6);
    EXPECT_EQ(s.minor, 12);
    EXPECT_TRUE(s.at_least(6, 6));
    EXPECT_FALSE(s.at_least(6, 13));
    EXPECT_EQ(LiveSystem::of_release("nonsense").major, 0);
    EXPECT_EQ(LiveSystem::of_release("").major, 0);
    EXPECT_TRUE(LiveSystem{}.at_least(9, 0));  // not known: taken for recent
}

}  // namespace
}  // namespace wakelab::diag
