#include "diag/diagnose.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "metrics/record_script.hpp"

namespace wakelab::diag {
namespace {

namespace script = metrics::script;
using trace::kNobody;
using trace::PrevState;
using trace::TraceInfo;
using trace::TraceRecord;

// Records of a run, with the time at which the next one happens.
struct Script {
    std::vector<TraceRecord> records;
    std::int64_t ns = 0;

    void run(std::uint16_t cpu, std::uint32_t task, std::uint32_t next,
             PrevState how = PrevState::kBlocked) {
        records.push_back(script::run(ns, cpu, task, next, how));
    }
    void wake(std::uint32_t waker, std::uint32_t wakee, std::uint16_t cpu,
              script::WakeDetail detail = {}) {
        records.push_back(script::wakeup(ns, waker, wakee, cpu, detail));
    }
    metrics::RunSummary analyse(const TraceInfo& info) const {
        metrics::RunAnalysis analysis;
        analysis.begin(info);
        analysis.consume(records);
        analysis.finish(ns);
        return analysis.take();
    }
};

Knobs knobs_of_2_6_26() {
    Knobs k;
    k.features = {{"WAKEUP_PREEMPT", 2, true},
                  {"AFFINE_WAKEUPS", 8, true},
                  {"SYNC_WAKEUPS", 32, true},
                  {"DOUBLE_TICK", 128, false}};
    k.tunables = {{"sched_migration_cost", 500'000, -1, 1'000'000'000},
                  {"sched_wakeup_granularity_ns", 20'000'000, 0, 1'000'000'000}};
    return k;
}

const Finding* find(const std::vector<Finding>& findings, std::string_view id) {
    const auto at = std::ranges::find(findings, id, &Finding::id);
    return at == findings.end() ? nullptr : &*at;
}

std::vector<std::string> arguments(const Finding& f) {
    std::vector<std::string> result;
    for (const Experiment& e : f.experiments) result.push_back(e.arguments());
    return result;
}

const TraceInfo kDriverInfo = script::info(2, {"driver", "server-0", "server-1", "server-2"});

// Rounds of 400 ns on CPU 0 of two: the driver pulls three servers to its CPU within 10 ns of its
// start, sleeps at 20, and they run 100 ns each in turn. CPU 1 idles all the time.
metrics::RunSummary stacked_run() {
    Script s;
    for (int round = 0; round < 50; ++round) {
        s.wake(kNobody, 0, 0);
        s.run(0, kNobody, 0);
        s.ns += 10;
        for (const std::uint32_t server : {1u, 2u, 3u})
            s.wake(0, server, 0, {PlaceRule::kAffineShortcut, 1, trace::kWakeSync});
        s.ns += 10;
        s.run(0, 0, 1);
        for (const std::uint32_t server : {1u, 2u, 3u}) {
            s.ns += 100;
            s.run(0, server, server == 3 ? kNobody : server + 1);
        }
        s.ns += 80;
    }
    return s.analyse(kDriverInfo);
}

TEST(Diagnose, FindsWakeesStackedOnTheirWaker) {
    const std::vector<Finding> findings = diagnose(stacked_run(), knobs_of_2_6_26());
    const Finding& f = findings.front();
    ASSERT_EQ(f.id, "stacked-wakeups");
    // Somebody waits from 10 to 220 of each 400 ns, one of two CPUs is idle: 210 / 800.
    EXPECT_NEAR(f.explains.value_or(0), 0.2625, 1e-9);
    EXPECT_EQ(f.confidence, Confidence::kHigh);
    EXPECT_EQ(f.symptom[0].find("driver wakes 3 tasks (server-*) (1:N)"), 0u) << f.symptom[0];
    EXPECT_NE(f.symptom[2].find("all by the affine shortcut"), std::string::npos) << f.symptom[2];
    EXPECT_EQ(arguments(f), (std::vector<std::string>{"--features NO_SYNC_WAKEUPS",
                                                      "--features NO_AFFINE_WAKEUPS",
                                                      "--set sched_migration_cost=0"}));
    // 2 + 8 stay on.
    EXPECT_NE(f.experiments[0].why.find("(mask 10)"), std::string::npos) << f.experiments[0].why;
}

TEST(Diagnose, ProposesOnlyWhatTheSchedulerHas) {
    Knobs only_cost;
    only_cost.tunables = {{"sched_migration_cost", 500'000, -1, 1'000'000'000}};
    only_cost.has_batch = false;
    EXPECT_EQ(arguments(diagnose(stacked_run(), only_cost).front()),
              std::vector<std::string>{"--set sched_migration_cost=0"});
    EXPECT_EQ(arguments(diagnose(stacked_run(), Knobs{}).front()),
              std::vector<std::string>{"--batch all"});
    Knobs off = knobs_of_2_6_26();
    for (FeatureKnob& f : off.features) f.on = false;
    off.tunables.clear();
    EXPECT_EQ(arguments(diagnose(stacked_run(), off).front()),
              std::vector<std::string>{"--batch all"});
}

// cfs-2.6.26-rc3 lists AFFINE_WAKEUPS and never reads it: clearing it is no experiment, but its
// bit stays in the proposed masks (2 + 8 of 42).
TEST(Diagnose, ProposesNoBitThatTheVersionDoesNotRead) {
    Knobs knobs = knobs_of_2_6_26();
    knobs.features[1].wired = false;
    const std::vector<Finding> findings = diagnose(stacked_run(), knobs);
    const Finding& f = findings.front();
    EXPECT_EQ(arguments(f), (std::vector<std::string>{"--features NO_SYNC_WAKEUPS",
                                                      "--set sched_migration_cost=0"}));
    EXPECT_NE(f.experiments[0].why.find("(mask 10)"), std::string::npos) << f.experiments[0].why;
}

TEST(Diagnose, FindsBatchesCutByWakees) {
    // Rounds of 400 ns: the driver is preempted for 100 ns by each of the first two servers.
    Script s;
    for (int round = 0; round < 50; ++round) {
        s.wake(kNobody, 0, 0);
        s.run(0, kNobody, 0);
        for (const std::uint32_t server : {1u, 2u}) {
            s.ns += 10;
            s.wake(0, server, 0);
            s.run(0, 0, server, PrevState::kPreemptedByWakeup);
            s.ns += 100;
            s.run(0, server, 0);
        }
        s.ns += 10;
        s.wake(0, 3, 0);
        s.run(0, 0, 3);
        s.ns += 100;
        s.run(0, 3, kNobody);
        s.ns += 70;
    }
    const std::vector<Finding> findings = diagnose(s.analyse(kDriverInfo), knobs_of_2_6_26());
    const Finding* f = find(findings, "cut-batches");
    ASSERT_NE(f, nullptr);
    EXPECT_NEAR(f->explains.value_or(0), 200.0 / 800, 1e-9);  // CPU 1 idles while the driver waits
    // Two of three wake-ups.
    EXPECT_EQ(f->symptom[0],
              "After 67 % of its wake-ups the wakee preempts driver although it has more to wake.");
    EXPECT_EQ(f->symptom[1], "Between two sleeps it wakes 3 tasks on average, 3 at most.");
    EXPECT_NE(f->symptom[2].find("waits 100 ns"), std::string::npos) << f->symptom[2];
    // The wakees were put on the driver's CPU while CPU 1 idled: that comes first.
    EXPECT_EQ(findings.front().id, "stacked-wakeups");
    EXPECT_NEAR(findings.front().explains.value_or(0), 200.0 / 800, 1e-9);
    EXPECT_EQ(arguments(*f), (std::vector<std::string>{"--features NO_WAKEUP_PREEMPT",
                                                       "--set sched_wakeup_granularity_ns=80000000",
                                                       "--batch all"}));
}

// Wakees that cut the driver's batch: both were there when it woke them, for CPU 1 was busy when it woke
// server-0. `mover`: what brought server-2 to CPU 0, a pull by the wake-up or a balancer afterwards.
enum class Mover : std::uint8_t { kPull, kBalancer };

metrics::RunSummary cut_run(Mover mover) {
    Script s;
    for (int round = 0; round < 50; ++round) {
        s.wake(kNobody, 0, 0);
        s.run(0, kNobody, 0);
        s.run(1, kNobody, 4);
        for (const std::uint32_t server : {1u, 2u}) {
            s.ns += 10;
            s.wake(0, server, 0);
            s.run(0, 0, server, PrevState::kPreemptedByWakeup);
            s.ns += 10;
            if (server == 1) s.run(1, 4, kNobody);
            s.ns += 90;
            s.run(0, server, 0);
        }
        s.ns += 10;
        if (mover == Mover::kPull) {
            s.wake(0, 3, 0, {.rule = PlaceRule::kAffineBalanced, .prev_cpu = 1});
        } else {
            s.wake(0, 3, 1, {.prev_cpu = 1});
            s.records.push_back(script::migrate(s.ns, 3, 1, 0));
        }
        s.run(0, 0, 3);
        s.ns += 100;
        s.run(0, 3, kNobody);
        s.ns += 70;
    }
    return s.analyse(script::info(2, {"driver", "server-0", "server-1", "server-2", "other"}));
}

// CPU 1 idles for 90 + 100 of 400 ns while the driver waits, 100 of them behind a wakee that it could have
// sent there. Wake-ups that go on pulling are the cause of both; when a balancer brings the wakees, what
// explains more comes first.
TEST(Diagnose, CutBatchesComeFirstUnlessWakeUpsKeepFillingTheCpu) {
    for (const Mover mover : {Mover::kPull, Mover::kBalancer}) {
        const std::vector<Finding> findings = diagnose(cut_run(mover), knobs_of_2_6_26());
        const Finding* stacked = find(findings, "stacked-wakeups");
        const Finding* cut = find(findings, "cut-batches");
        ASSERT_TRUE(stacked != nullptr && cut != nullptr);
        EXPECT_NEAR(stacked->explains.value_or(0), 100.0 / 800, 1e-9);
        EXPECT_NEAR(cut->explains.value_or(0), 190.0 / 800, 1e-9);
        EXPECT_EQ(&findings.front(), mover == Mover::kPull ? stacked : cut);
    }
}

TEST(Diagnose, FindsMisplacedWakeupsOfTimers) {
    // b is woken behind a on CPU 0 and waits 100 of 250 ns; CPU 1 idles.
    Script s;
    for (int round = 0; round < 20; ++round) {
        s.wake(kNobody, 0, 0);
        s.run(0, kNobody, 0);
        s.wake(kNobody, 1, 0);
        s.ns += 100;
        s.run(0, 0, 1);
        s.ns += 100;
        s.run(0, 1, kNobody);
        s.ns += 50;
    }
    const std::vector<Finding> findings =
        diagnose(s.analyse(script::info(2, {"a", "b"})), knobs_of_2_6_26());
    const Finding& f = findings.front();
    ASSERT_EQ(f.id, "misplaced-wakeups");
    EXPECT_NEAR(f.explains.value_or(0), 100.0 / 500, 1e-9);
    EXPECT_EQ(f.symptom[0].find("50 % of all wake-ups"), 0u) << f.symptom[0];
    EXPECT_NE(f.symptom[0].find("100 % of these are made by interrupts and timers, waking a, b."),
              std::string::npos)
        << f.symptom[0];
    // No sync hint was seen: taking it away would change nothing.
    EXPECT_EQ(arguments(f), (std::vector<std::string>{"--features NO_AFFINE_WAKEUPS",
                                                      "--set sched_migration_cost=0"}));
}

TEST(Diagnose, FindsWorkThatNobodyPulls) {
    // Both CPUs are busy when c is woken on CPU 0; CPU 1 goes idle at 20 of 120 ns, c runs at 100.
    Script s;
    for (int round = 0; round < 20; ++round) {
        s.wake(kNobody, 0, 0);
        s.run(0, kNobody, 0);
        s.wake(kNobody, 1, 1);
        s.run(1, kNobody, 1);
        s.ns += 10;
        s.wake(kNobody, 2, 0);
        s.ns += 10;
        s.run(1, 1, kNobody);
        s.ns += 80;
        s.run(0, 0, 2);
        s.ns += 20;
        s.run(0, 2, kNobody);
    }
    const std::vector<Finding> findings =
        diagnose(s.analyse(script::info(2, {"a", "b", "c"})), knobs_of_2_6_26());
    const Finding& f = findings.front();
    ASSERT_EQ(f.id, "late-balance");
    EXPECT_NEAR(f.explains.value_or(0), 80.0 / 240, 1e-9);
    EXPECT_EQ(f.symptom[1], "The balancer moved no task at all.");
    EXPECT_EQ(arguments(f), std::vector<std::string>{"--set sched_migration_cost=0"});
    EXPECT_EQ(find(findings, "stacked-wakeups"), nullptr);
}

TEST(Diagnose, FindsPingPongByWhatItCosts) {
    // Two runs on CPU 0, two on CPU 1, and so on: 100 ns each, 150 ns after a move.
    Script s;
    constexpr int kRuns = 240;
    for (int i = 0; i < kRuns; ++i) {
        const auto cpu = static_cast<std::uint16_t>(i / 2 % 2);
        const auto before = static_cast<std::uint32_t>((i + 3) / 2 % 2);
        const bool moved = i > 0 && i % 2 == 0;
        s.wake(kNobody, 0, cpu, {PlaceRule::kIdleSearch, before, 0});
        s.run(cpu, kNobody, 0);
        s.ns += moved ? 150 : 100;
        s.run(cpu, 0, kNobody);
    }
    TraceInfo info = script::info(2, {"a"});
    info.cache_of = {0, 1};
    const std::vector<Finding> findings = diagnose(s.analyse(info), knobs_of_2_6_26());
    ASSERT_EQ(findings.front().id, "ping-pong");
    // 119 moves cost 50 ns each, of 2 CPUs for 240 * 100 + 119 * 50 ns.
    EXPECT_NEAR(findings.front().explains.value_or(0), 119 * 50.0 / (2 * 29950.0), 1e-9);
    info.cache_of = {0, 0};  // one cache: nothing to pay
    EXPECT_EQ(diagnose(s.analyse(info), knobs_of_2_6_26()).front().id, "nothing-wrong");
}

TEST(Diagnose, FindsPairsInDifferentCaches) {
    Script s;
    for (int i = 0; i < 120; ++i) {
        s.wake(1, 0, 0);
        s.run(0, kNobody, 0);
        s.ns += 10;
        s.wake(0, 1, 1, {PlaceRule::kStayedOnPrev, 1, 0});
        s.run(0, 0, kNobody);
        s.run(1, kNobody, 1);
        s.ns += 10;
        s.run(1, 1, kNobody);
    }
    TraceInfo info = script::info(4, {"ping", "pong"});
    info.cache_of = {0, 1, 0, 1};
    const std::vector<Finding> findings = diagnose(s.analyse(info), knobs_of_2_6_26());
    const Finding& f = findings.front();
    ASSERT_EQ(f.id, "split-pairs");
    EXPECT_FALSE(f.explains.has_value());
    EXPECT_EQ(arguments(f), std::vector<std::string>{"--pin ping=0,2 --pin pong=0,2"});
}

TEST(Diagnose, KnowsWhenNothingIsWrong) {
    Script idle;
    idle.wake(kNobody, 0, 0);
    idle.run(0, kNobody, 0);
    idle.ns = 50;
    idle.run(0, 0, kNobody);
    idle.ns = 100;
    EXPECT_EQ(diagnose(idle.analyse(script::info(1, {"a"})), {}).front().id, "nothing-wrong");
    Script busy;
    busy.wake(kNobody, 0, 0);
    busy.run(0, kNobody, 0);
    busy.ns = 100;
    EXPECT_EQ(diagnose(busy.analyse(script::info(1, {"a"})), {}).front().id, "saturated");
    EXPECT_EQ(diagnose(Script{}.analyse(script::info(1, {"a"})), {}).size(), 1u);  // no time at all
}

}  // namespace
}  // namespace wakelab::diag
