#include "report/trace_text.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "diag/diagnose.hpp"
#include "metrics/record_script.hpp"
#include "report/timeline_text.hpp"
#include "report/trace_json.hpp"
#include "report/wait_text.hpp"

namespace wakelab::report {
namespace {

namespace script = metrics::script;
using trace::kNobody;

// A recording of two CPUs: the task "a\x01b" waits 60 us behind "hog" on CPU 0 while CPU 1 idles for
// 40 of them; then CPU 0 loses events for 100 us.
metrics::RunSummary run() {
    trace::TraceInfo info = script::info(2, {"a\x01" "b", "hog", "c"});
    info.recorded = true;
    const std::vector<trace::TraceRecord> records = {
        script::run(0, 0, kNobody, 1),        script::run(0, 1, kNobody, 2),
        script::wakeup(10'000, 2, 0, 0),      script::run(30'000, 1, 2, kNobody),
        script::run(70'000, 0, 1, 0),         script::run(100'000, 0, 0, kNobody),
        {200'000, kNobody, kNobody, 0, trace::EventType::kLost, 0, 7},
        script::run(300'000, 0, 1, kNobody)};
    metrics::RunAnalysis analysis;
    analysis.begin(info);
    analysis.consume(records);
    analysis.finish(400'000);
    return analysis.take();
}

trace::TraceQuality quality() {
    trace::TraceQuality q;
    q.format = "ftrace text";
    q.clock = "mono";
    q.resolution_ns = 1000;
    q.gaps = 1;
    q.lost_events = 7;
    q.inferred_migrations = 2;
    q.skip("odd\nname", 3);
    return q;
}

bool has(const std::string& text, std::string_view words) {
    return text.find(words) != std::string::npos;
}

TEST(TraceText, PutsTheQualityFirst) {
    const std::string text = quality_text(run().metrics, quality(), "x\ny.txt");
    EXPECT_TRUE(text.starts_with("x\\x0ay.txt: ftrace text, 2 CPUs, 400 µs.")) << text;
    EXPECT_TRUE(has(text, "multiples of 1.0 µs, and so is every latency")) << text;
    EXPECT_TRUE(has(text, "At least 7 events were lost in 1 gap")) << text;
    // CPU 0 from its last word at 100 us to 200 us, of 2 x 400 us.
    EXPECT_TRUE(has(text, "12 % of the CPU time is unknown")) << text;
    EXPECT_TRUE(has(text, "Repairs: 2 migrations inferred")) << text;
    EXPECT_TRUE(has(text, "odd\\x0aname 3")) << text;
}

TEST(TraceText, ShowsTablesWithEscapedNames) {
    const metrics::RunSummary s = run();
    const auto findings = diag::diagnose(s, {});
    const std::string text = trace_text(s, findings, quality(), "f");
    EXPECT_TRUE(has(text, "a\\x01b")) << text;
    EXPECT_FALSE(has(text, "\x01")) << text;
    EXPECT_TRUE(has(text, "Longest waits")) << text;
    EXPECT_TRUE(has(text, "60.000")) << text;  // us, the only latency
}

TEST(TraceText, TopNamesWhoRanAndWhatIdled) {
    const std::string text = top_text(run().metrics, quality(), "f", 10);
    EXPECT_TRUE(has(text, "0.000010 s  a\\x01b  60.0 µs  0    c         CPU 1 40.0 µs   hog 60.0 µs"))
        << text;
}

TEST(TraceJson, IsValidAndTellsTheSame) {
    const metrics::RunSummary s = run();
    const auto findings = diag::diagnose(s, {});
    const auto json = nlohmann::json::parse(trace_json(s, findings, quality(), "f\xff"));
    EXPECT_EQ(json["quality"]["lost_events"], 7);
    EXPECT_EQ(json["wakeup_latency"]["max_ns"], 60'000);
    EXPECT_EQ(json["worst"][0]["ran_instead"][0]["task"], "hog");
    EXPECT_EQ(json["worst"][0]["idle_cpu"], 1);
    EXPECT_EQ(json["cpus"][0]["unknown_ns"], 100'000);
    EXPECT_EQ(json["idle_while_waiting"]["longest"][0]["length_ns"], 40'000);
}

TEST(TimelineText, DrawsALanePerCpu) {
    metrics::Timeline t;
    t.to_ns = 40;
    t.task_names = {"ping", "pong"};
    t.lanes = {{{0, 20, 0, 0, true}, {20, 40, 1, 2, true}},
               {{0, 10, kNobody, 0, false}, {10, 40, kNobody, 0, true}}};
    const std::string text = timeline_text(t, 47);  // 40 columns of 1 ns beside "CPU 0  "
    EXPECT_TRUE(has(text, "CPU 0  AAAAAAAAAAAAAAAAAAAABBBBBBBBBBBBBBBBBBBB\n"
                          "                           22222222222222222222\n"
                          "CPU 1  ??????????..............................\n"))
        << text;
    EXPECT_TRUE(has(text, "A  ping  20 ns")) << text;
}

TEST(TimelineText, OfNothingSaysSo) {
    EXPECT_EQ(timeline_text({}, 80), "nothing in this window\n");
    EXPECT_EQ(nlohmann::json::parse(timeline_json({}))["lanes"].size(), 0u);
}

}  // namespace
}  // namespace wakelab::report
