// Passes computed by hand on a machine where nothing but the events of the file costs time.
#include "work/rtapp/rtapp.hpp"

#include <gtest/gtest.h>

#include "policy/registry.hpp"
#include "support/fifo_sched.hpp"

namespace wakelab::work {
namespace {

using policy::SchedPolicy;
using rtapp::PassRecord;

class RtAppTest : public ::testing::Test {
 protected:
    void build(std::string_view tasks, std::string_view global = "{}") {
        auto parsed = RtApp::parse(
            "{\"tasks\": {" + std::string(tasks) + "}, \"global\": " + std::string(global) + "}",
            "f.json");
        ASSERT_TRUE(parsed) << parsed.error().message;
        app = std::move(*parsed);
        const auto info = policy::find_scheduler("cfs-2.6.26");
        ASSERT_TRUE(info) << info.error().message;
        const auto config = policy::configure(**info, machine, {}, {});
        ASSERT_TRUE(config) << config.error().message;
        engine = std::make_unique<sim::Engine>(
            machine,
            sim::EngineOptions{.scheduler = *info, .config = *config, .seed = 1, .sink = nullptr});
        app->build(*engine, choices);
    }
    void run(std::string_view tasks, Duration length, std::string_view global = "{}") {
        build(tasks, global);
        if (engine) engine->run_until(Time{} + length);
    }
    [[nodiscard]] std::vector<PassRecord> passes(std::uint32_t thread) const {
        std::vector<PassRecord> list;
        for (const PassRecord& r : app->rtapp_log().records())
            if (r.thread == thread) list.push_back(r);
        return list;
    }
    [[nodiscard]] const sim::Task& task(std::string_view name) const {
        for (const sim::Task& t : engine->tasks())
            if (t.name == name) return t;
        ADD_FAILURE() << "no task " << name;
        return engine->tasks().front();
    }

    topo::Machine machine = test::free_machine(4);
    TaskChoices choices;
    std::unique_ptr<RtApp> app;
    std::unique_ptr<sim::Engine> engine;
};

void expect_pass(const PassRecord& r, Time start, Time end, Duration run, Duration slack) {
    EXPECT_EQ(r.start, start);
    EXPECT_EQ(r.end, end);
    EXPECT_EQ(r.run, run);
    EXPECT_EQ(r.slack, slack);
}

// Pass k of a runs from 10k to 10k + 3 ms and waits for 10(k + 1): slack 7. b runs 7 of every 20:
// slack 13. Until 95 ms a ends 9 passes and b 4.
TEST_F(RtAppTest, TwoPinnedPeriodicTasksKeepTheirPeriods) {
    run("\"a\": {\"cpus\": [0], \"run\": 3000, \"timer\": {\"ref\": \"unique\", \"period\": "
        "10000}},"
        "\"b\": {\"cpus\": [1], \"run\": 7000, \"timer\": {\"ref\": \"unique\", \"period\": "
        "20000}}",
        95_ms);
    ASSERT_EQ(passes(0).size(), 9u);
    ASSERT_EQ(passes(1).size(), 4u);
    for (int k = 0; k < 9; ++k) {
        const PassRecord r = passes(0)[static_cast<std::size_t>(k)];
        expect_pass(r, Time{} + 10_ms * k, Time{} + 10_ms * (k + 1), 3_ms, 7_ms);
        EXPECT_EQ(r.period(), 10_ms);
        EXPECT_EQ(r.wu_lat, 0_us);
    }
    for (int k = 0; k < 4; ++k)
        expect_pass(passes(1)[static_cast<std::size_t>(k)], Time{} + 20_ms * k,
                    Time{} + 20_ms * (k + 1), 7_ms, 13_ms);
    EXPECT_EQ(task("a-0").cpu, CpuId{0});
    EXPECT_EQ(task("b-1").cpu, CpuId{1});
    engine->settle_times();
    EXPECT_EQ(task("a-0").stats.cpu_ns, 30'000'000);  // 9 whole passes and the tenth's 3 ms
    EXPECT_EQ(engine->counters().work_units, 13u);
}

// hi arrives at 1 ms and preempts: it runs 1..3, lo 0..1 and 3..7. lo: wall time of its run 7,
// slack 3. hi's timer counts from the end of its delay: expiry 11, slack 8. The next periods repeat
// it.
TEST_F(RtAppTest, HigherFifoPriorityPreempts) {
    run("\"lo\": {\"cpus\": [0], \"policy\": \"SCHED_FIFO\", \"priority\": 10, \"run\": 5000,"
        " \"timer\": {\"ref\": \"unique\", \"period\": 10000}},"
        "\"hi\": {\"cpus\": [0], \"policy\": \"SCHED_FIFO\", \"priority\": 20, \"delay\": 1000,"
        " \"run\": 2000, \"timer\": {\"ref\": \"unique\", \"period\": 10000}}",
        35_ms);
    ASSERT_EQ(passes(0).size(), 3u);
    ASSERT_EQ(passes(1).size(), 3u);
    for (int k = 0; k < 3; ++k) {
        const auto i = static_cast<std::size_t>(k);
        expect_pass(passes(0)[i], Time{} + 10_ms * k, Time{} + 10_ms * (k + 1), 7_ms, 3_ms);
        expect_pass(passes(1)[i], Time{} + 1_ms + 10_ms * k, Time{} + 1_ms + 10_ms * (k + 1), 2_ms,
                    8_ms);
        EXPECT_EQ(passes(1)[i].wu_lat, 0_us);
    }
}

// Of equal priority, the second waits: it wakes at 1 but starts at 5, runs to 7; its timer expires
// at 11 (slack 4), the first runs 10..15, so it wakes 4 ms late. Its second pass: 15..17,
// expiry 21.
TEST_F(RtAppTest, EqualFifoPrioritiesRunToTheEnd) {
    run("\"first\": {\"cpus\": [0], \"policy\": \"SCHED_FIFO\", \"run\": 5000,"
        " \"timer\": {\"ref\": \"unique\", \"period\": 10000}},"
        "\"second\": {\"cpus\": [0], \"policy\": \"SCHED_FIFO\", \"delay\": 1000, \"run\": 2000,"
        " \"timer\": {\"ref\": \"unique\", \"period\": 10000}}",
        29_ms);
    ASSERT_EQ(passes(0).size(), 2u);
    expect_pass(passes(0)[1], Time{} + 10_ms, Time{} + 20_ms, 5_ms, 5_ms);
    ASSERT_EQ(passes(1).size(), 2u);
    expect_pass(passes(1)[0], Time{} + 5_ms, Time{} + 15_ms, 2_ms, 4_ms);
    EXPECT_EQ(passes(1)[0].wu_lat, 4_ms);
    expect_pass(passes(1)[1], Time{} + 15_ms, Time{} + 25_ms, 2_ms, 4_ms);
}

constexpr std::string_view kLate =
    "\"phases\": {\"long\": {\"run\": 25000, \"timer\": {\"ref\": \"unique\", \"period\": 10000}},"
    "\"short\": {\"loop\": 3, \"run\": 3000, \"timer\": {\"ref\": \"unique\", \"period\": 10000";

// The first pass ends at 25, 15 ms late. The timer starts anew there: 35, 45.
TEST_F(RtAppTest, ARelativeTimerStartsAnewAfterAMiss) {
    run("\"t\": {\"loop\": 1, " + std::string(kLate) + "}}}}", 100_ms);
    ASSERT_EQ(passes(0).size(), 4u);
    expect_pass(passes(0)[0], Time{}, Time{} + 25_ms, 25_ms, Duration{} - 15_ms);
    expect_pass(passes(0)[1], Time{} + 25_ms, Time{} + 35_ms, 3_ms, 7_ms);
    expect_pass(passes(0)[2], Time{} + 35_ms, Time{} + 45_ms, 3_ms, 7_ms);
}

// The grid stays 10, 20, 30, 40: at 28 the second pass is 8 late, at 31 the third 1 late; the
// fourth waits from 34 to 40.
TEST_F(RtAppTest, AnAbsoluteTimerCatchesUp) {
    run("\"t\": {\"loop\": 1, " + std::string(kLate) + ", \"mode\": \"absolute\"}}}}", 100_ms);
    ASSERT_EQ(passes(0).size(), 4u);
    expect_pass(passes(0)[0], Time{}, Time{} + 25_ms, 25_ms, Duration{} - 15_ms);
    expect_pass(passes(0)[1], Time{} + 25_ms, Time{} + 28_ms, 3_ms, Duration{} - 8_ms);
    expect_pass(passes(0)[2], Time{} + 28_ms, Time{} + 31_ms, 3_ms, Duration{} - 1_ms);
    expect_pass(passes(0)[3], Time{} + 31_ms, Time{} + 40_ms, 3_ms, 6_ms);
    EXPECT_EQ(engine->exit_kind(), sim::ExitKind::kAllExited);
}

// Two instances share one timer: each use takes the next expiry, 10 for thread 0, 20 for thread 1,
// then 30.
TEST_F(RtAppTest, SharedTimersHandOutExpiriesInTurn) {
    run("\"t\": {\"instance\": 2, \"sleep\": 1000, \"timer\": {\"ref\": \"tick\", \"period\": "
        "10000}}",
        31_ms);
    ASSERT_EQ(passes(0).size(), 2u);
    ASSERT_EQ(passes(1).size(), 1u);
    expect_pass(passes(0)[0], Time{}, Time{} + 10_ms, 0_ms, 9_ms);
    expect_pass(passes(1)[0], Time{}, Time{} + 20_ms, 0_ms, 19_ms);
    expect_pass(passes(0)[1], Time{} + 10_ms, Time{} + 30_ms, 0_ms, 19_ms);
}

TEST_F(RtAppTest, UniqueTimersAreOnePerInstance) {
    run("\"t\": {\"instance\": 2, \"sleep\": 1000, \"timer\": {\"ref\": \"unique\", \"period\": "
        "10000}}",
        11_ms);
    expect_pass(passes(0).at(0), Time{}, Time{} + 10_ms, 0_ms, 9_ms);
    expect_pass(passes(1).at(0), Time{}, Time{} + 10_ms, 0_ms, 9_ms);
}

// Two timers in one pass: A is asked at 1 for 10 (slack 9), B at 11 for 30 (slack 19).
constexpr std::string_view kTwoTimers =
    "\"t\": {\"loop\": 1, \"run\": 1000, \"timer0\": {\"ref\": \"uniqueA\", \"period\": 10000},"
    "\"run\": 1000, \"timer1\": {\"ref\": \"uniqueB\", \"period\": 30000}}";

TEST_F(RtAppTest, SlackIsThatOfTheLastTimer) {
    run(kTwoTimers, 100_ms);
    expect_pass(passes(0).at(0), Time{}, Time{} + 30_ms, 2_ms, 19_ms);
}

TEST_F(RtAppTest, CumulativeSlackAddsAllTimers) {
    run(kTwoTimers, 100_ms, "{\"cumulative_slack\": true}");
    expect_pass(passes(0).at(0), Time{}, Time{} + 30_ms, 2_ms, 28_ms);
}

// User code takes twice its time on this machine; runtime is time, whatever the machine.
TEST_F(RtAppTest, RunIsWorkAndRuntimeIsTime) {
    machine.user_time_permille = 2000;
    run("\"t\": {\"loop\": 1, \"phases\": {\"w\": {\"run\": 1000}, \"t\": {\"runtime\": 1010}}}",
        10_ms);
    EXPECT_EQ(passes(0).at(0).run, 2_ms);
    EXPECT_EQ(passes(0).at(1).run, 1010_us);
    EXPECT_FALSE(passes(0).at(0).timed);
    EXPECT_EQ(engine->exit_kind(), sim::ExitKind::kAllExited);
}

// lo looks at the clock every 32 us: preempted at 500 us for 5 ms within the step 480..512, it ends
// that step at 5512 us and finds its time over.
TEST_F(RtAppTest, RuntimeCountsTimeSpentPreempted) {
    run("\"lo\": {\"cpus\": [0], \"loop\": 1, \"policy\": \"SCHED_FIFO\", \"runtime\": 1000},"
        "\"hi\": {\"cpus\": [0], \"loop\": 1, \"policy\": \"SCHED_FIFO\", \"priority\": 20,"
        " \"delay\": 470, \"run\": 5000}",
        10_ms);
    EXPECT_EQ(passes(0).at(0).run, 5480_us);
    EXPECT_EQ(passes(1).at(0).run, 5_ms);
}

TEST_F(RtAppTest, SleepCountsFromNow) {
    run("\"t\": {\"run\": 1000, \"sleep\": 4000}", 11_ms);
    ASSERT_EQ(passes(0).size(), 2u);
    expect_pass(passes(0)[1], Time{} + 5_ms, Time{} + 10_ms, 1_ms, 0_ms);
}

// Two rounds of (a twice, b once); the thread then ends.
TEST_F(RtAppTest, LoopsOfPhasesAndTask) {
    run("\"t\": {\"loop\": 2, \"phases\": {\"a\": {\"loop\": 2, \"run\": 1000}, \"b\": {\"run\": "
        "3000}}}",
        50_ms);
    std::vector<std::int64_t> runs;
    for (const PassRecord& r : passes(0)) runs.push_back(r.run.ns / 1'000'000);
    EXPECT_EQ(runs, (std::vector<std::int64_t>{1, 1, 3, 1, 1, 3}));
    EXPECT_EQ(engine->exit_kind(), sim::ExitKind::kAllExited);
    EXPECT_EQ(engine->now(), Time{} + 10_ms);
}

// Each phase runs for 2 ms where it says; the last falls back to the task's CPU.
TEST_F(RtAppTest, PhasesMoveTheThread) {
    build(
        "\"t\": {\"cpus\": [2], \"loop\": 1, \"phases\": {\"a\": {\"cpus\": [1], \"run\": 2000},"
        "\"b\": {\"cpus\": [3], \"run\": 2000}, \"c\": {\"run\": 2000}}}");
    engine->run_until(Time{} + 1_ms);
    EXPECT_EQ(task("t-0").cpu, CpuId{1});
    engine->run_until(Time{} + 3_ms);
    EXPECT_EQ(task("t-0").cpu, CpuId{3});
    engine->run_until(Time{} + 5_ms);
    EXPECT_EQ(task("t-0").cpu, CpuId{2});
    EXPECT_EQ(engine->now(), Time{} + 5_ms);
}

TEST_F(RtAppTest, PhasesChangeThePolicy) {
    build(
        "\"t\": {\"priority\": 5, \"loop\": 1, \"phases\": {\"a\": {\"run\": 2000},"
        "\"b\": {\"policy\": \"SCHED_RR\", \"run\": 2000}, \"c\": {\"run\": 2000},"
        "\"d\": {\"policy\": \"SCHED_BATCH\", \"priority\": -3, \"run\": 2000}}}");
    const auto state_at = [this](Duration t) {
        engine->run_until(Time{} + t);
        const sim::Task& p = task("t-0");
        return rtapp::Sched{.policy = p.policy, .nice = p.nice, .rt_priority = p.rt_priority};
    };
    EXPECT_EQ(state_at(1_ms), (rtapp::Sched{.policy = SchedPolicy::kNormal, .nice = 5}));
    const rtapp::Sched rr = state_at(3_ms);
    EXPECT_EQ(rr.policy, SchedPolicy::kRr);
    EXPECT_EQ(rr.rt_priority, 10);
    EXPECT_EQ(state_at(5_ms), rr) << "a phase that says nothing changes nothing";
    EXPECT_EQ(state_at(7_ms), (rtapp::Sched{.policy = SchedPolicy::kBatch, .nice = -3}));
}

// The command line outranks the file, for all phases.
TEST_F(RtAppTest, ChoicesOfTheUserWin) {
    ASSERT_TRUE(choices.pin("t", "3", 4));
    ASSERT_TRUE(choices.policy("t", "batch"));
    build(
        "\"t\": {\"cpus\": [2], \"policy\": \"SCHED_FIFO\", \"phases\": {"
        "\"a\": {\"cpus\": [1], \"run\": 2000}, \"b\": {\"policy\": \"SCHED_RR\", \"run\": "
        "2000}}}");
    for (const std::int64_t ms : {1, 3, 5}) {
        engine->run_until(Time{} + 1_ms * ms);
        EXPECT_EQ(task("t-0").cpu, CpuId{3});
        EXPECT_EQ(task("t-0").policy, SchedPolicy::kBatch);
        EXPECT_EQ(task("t-0").rt_priority, 0);
    }
}

TEST_F(RtAppTest, NamesCountThroughAllTasks) {
    build(
        "\"rx\": {\"instance\": 2, \"run\": 1}, \"off\": {\"instance\": 0, \"run\": 1}, \"tx\": "
        "{\"run\": 1}");
    for (const std::string name : {"rx-0", "rx-1", "tx-2"}) EXPECT_EQ(task(name).name, name);
    EXPECT_NE(app->log_table().find("\ntx-2 "), std::string::npos);
}

TEST_F(RtAppTest, YieldLetsTheOtherRun) {
    run("\"t\": {\"cpus\": [0], \"instance\": 2, \"policy\": \"SCHED_FIFO\", \"loop\": 2, \"run\": "
        "1000,"
        " \"yield\"}",
        4_ms);
    EXPECT_EQ(passes(0).at(0).start, Time{});
    EXPECT_EQ(passes(1).at(0).start, Time{} + 1_ms);
    EXPECT_EQ(passes(0).at(0).end, Time{} + 2_ms);
}

TEST_F(RtAppTest, AThreadThatNeverLetsTimePassEndsTheRun) {
    run("\"t\": {\"run\": 0}", 1_ms);
    EXPECT_EQ(engine->exit_kind(), sim::ExitKind::kNoProgress);
}

TEST(RtApp, ChecksCpusAgainstTheMachine) {
    const auto app = RtApp::parse(
        "{\"tasks\": {\"t\": {\n\"phases\": {\"p\": {\n\"cpus\": [1, 4], \"run\": 1}}}}}",
        "f.json");
    ASSERT_TRUE(app) << app.error().message;
    EXPECT_TRUE((*app)->check(test::free_machine(6)));
    const Status s = (*app)->check(test::free_machine(4));
    ASSERT_FALSE(s);
    EXPECT_EQ(s.error().message, "f.json:3: 'cpus' names CPU 4; machine free has CPUs 0-3");
}

TEST(RtApp, DurationIsThatOfTheFile) {
    const auto app =
        RtApp::parse("{\"tasks\": {\"t\": {\"run\": 1}}, \"global\": {\"duration\": 2}}", "f.json");
    ASSERT_TRUE(app);
    EXPECT_EQ((*app)->duration(), 2_s);
}

TEST(RtApp, NamesTheFileItCannotRead) {
    const auto app = RtApp::load("no/such/file.json");
    ASSERT_FALSE(app);
    EXPECT_EQ(app.error().message, "no/such/file.json: cannot be read");
}

}  // namespace
}  // namespace wakelab::work
