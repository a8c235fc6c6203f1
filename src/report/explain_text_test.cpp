#include "report/explain_text.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "metrics/record_script.hpp"

namespace wakelab::report {
namespace {

namespace script = metrics::script;
using trace::kNobody;

// One second on two CPUs: the driver runs 0 - 250 ms on CPU 0 and wakes both servers; server-0 runs
// there until 500 ms, server-1 on CPU 1 from 100 ms to 350 ms.
metrics::RunSummary small_run() {
    constexpr std::int64_t kMs = 1'000'000;
    metrics::RunAnalysis analysis;
    trace::TraceInfo info = script::info(2, {"driver", "server-0", "server-1", "server-2"});
    info.unit = "transactions";
    analysis.begin(info);
    const std::vector<trace::TraceRecord> records = {
        script::wakeup(0, kNobody, 0, 0),
        script::run(0, 0, kNobody, 0),
        script::wakeup(50 * kMs, 0, 1, 0, {PlaceRule::kAffineShortcut, 1, trace::kWakeSync}),
        script::wakeup(100 * kMs, 0, 2, 1),
        script::run(100 * kMs, 1, kNobody, 2),
        script::wakeup(200 * kMs, 2, 3, 1),
        script::run(250 * kMs, 0, 0, 1),
        script::run(350 * kMs, 1, 2, 3),
        script::run(360 * kMs, 1, 3, kNobody),
        script::work(400 * kMs, 1, 50),
        script::run(500 * kMs, 0, 1, kNobody),
    };
    analysis.consume(records);
    analysis.finish(1000 * kMs);
    return analysis.take();
}

const RunLabels kLabels = {{"scenario", "toy"}, {"seed", "1"}};

bool has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

TEST(RunTable, ShowsMetricsCpusAndGroupedTasks) {
    const std::string text = run_text(small_run().metrics, kLabels);
    EXPECT_TRUE(has(text, "transactions             50/s (50 in 1.000 s)")) << text;
    // (500 + 260) of 2000 ms.
    EXPECT_TRUE(has(text, "CPU time                 busy 38 %, idle 62 %")) << text;
    // Latencies: 0 (driver), 200 (server-0), 0 (server-1), 150 ms (server-2).
    EXPECT_TRUE(has(text, "max 200 ms")) << text;
    EXPECT_TRUE(has(text, "0    50.0 %  50.0 %")) << text;
    EXPECT_TRUE(has(text, "server-* (3)")) << text;
    EXPECT_TRUE(has(text, "1.0 % / 25.0 % / 25.0 %")) << text;
    EXPECT_FALSE(has(text, "server-1")) << text;
}

TEST(RunTable, JsonHoldsTheSameNumbers) {
    const auto json = nlohmann::json::parse(run_json(small_run().metrics, kLabels));
    EXPECT_EQ(json["run"]["scenario"], "toy");
    EXPECT_EQ(json["metrics"]["rate_per_s"], 50.0);
    EXPECT_EQ(json["metrics"]["wakeup_latency"]["max_ns"], 200'000'000);
    EXPECT_EQ(json["cpus"][1]["busy_ns"], 260'000'000);
    EXPECT_EQ(json["tasks"][0]["name"], "driver");
    EXPECT_EQ(json["tasks"][1]["run_ns"], 250'000'000);
}

diag::Finding long_finding() {
    diag::Finding f;
    f.id = "stacked-wakeups";
    f.title = "driver and its wakees share a CPU";
    f.symptom = {
        "One sentence that is long enough, together with the next one, to need a new line.",
        "And this is the next one."};
    f.explains = 0.41;
    f.evidence = {{"stacked_share", 0.97}};
    f.experiments.emplace_back();
    f.experiments[0].features = {"NO_SYNC_WAKEUPS"};
    f.experiments[0].why = "takes the hint away";
    return f;
}

TEST(ExplainText, TellsFindingsExperimentsAndWhoWakesWhom) {
    const std::vector<diag::Finding> findings = {long_finding()};
    const std::string text = explain_text(small_run(), findings, kLabels);
    EXPECT_TRUE(has(text,
                    "1. driver and its wakees share a CPU (confidence medium, costs 41 % of the "
                    "machine)\n"))
        << text;
    EXPECT_TRUE(has(text, "   Try: --features NO_SYNC_WAKEUPS - takes the hint away\n")) << text;
    EXPECT_TRUE(has(text, "driver -> 2 tasks (server-*), 1:N: 2 a second")) << text;
    EXPECT_TRUE(has(text, "affine shortcut")) << text;
    std::size_t longest = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        longest = std::max(longest, end - at);
        at = end + 1;
    }
    EXPECT_LE(longest, 100u) << text;
}

TEST(ExplainText, JsonHoldsWhatTheCommandLineTries) {
    const std::vector<diag::Finding> findings = {long_finding()};
    const auto json = nlohmann::json::parse(explain_json(small_run(), findings, kLabels));
    EXPECT_EQ(json["findings"][0]["id"], "stacked-wakeups");
    EXPECT_EQ(json["findings"][0]["evidence"]["stacked_share"], 0.97);
    EXPECT_EQ(json["findings"][0]["experiments"][0]["features"][0], "NO_SYNC_WAKEUPS");
    EXPECT_EQ(json["wakers"][0]["name"], "driver");
    EXPECT_EQ(json["wakers"][0]["role"], "1:N");
    EXPECT_EQ(json["placement"]["wakeups"], 4);
}

}  // namespace
}  // namespace wakelab::report
