#include "report/quickstart.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "metrics/record_script.hpp"
#include "report/fit_json.hpp"

namespace wakelab::report {
namespace {

using nlohmann::json;
namespace script = metrics::script;

bool has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

metrics::RunSummary empty_run() {
    metrics::RunAnalysis analysis;
    trace::TraceInfo info = script::info(2, {"driver"});
    info.unit = "transactions";
    analysis.begin(info);
    analysis.finish(1'000'000'000);
    return analysis.take();
}

Trials small_trials() {
    Trials t{.unit = "transactions", .seeds = 3, .before = {10'000, 9'000, 11'000}, .trials = {}};
    t.trials.push_back({{.features = {"NO_SYNC_WAKEUPS"},
                         .tunables = {},
                         .batch = {},
                         .pins = {},
                         .why = "no hint"},
                        {25'000, 24'000, 26'000}});
    return t;
}

// Two loads and two columns; the second column is explained at the second load.
Quickstart small_story() {
    using judge::Role;
    Quickstart s;
    s.machine = "toy machine";
    s.clients = {1, 8};
    s.seeds = 3;
    s.columns = {
        {"old", "o1-old", "E05", {{10'000, Role::kPredict, 11'000, false}, {{}, {}, 40'000, true}}},
        {"new", "cfs-new", "", {{10'000, Role::kFit, 10'000, false}, {{}, {}, 10'000, false}}}};
    s.column = 1;
    s.load = 1;
    s.labels = {{"scheduler", "cfs-new"}};
    s.run = empty_run();
    s.trials = small_trials();
    return s;
}

// 25 000 / 10 000 - 1 = 150 %.
TEST(Trials, TextShowsBeforeAfterAndChange) {
    const std::string text = trials_text(small_trials());
    EXPECT_TRUE(has(text, "--features NO_SYNC_WAKEUPS   10000  25000  +150.0%  24000 .. 26000"))
        << text;
    EXPECT_TRUE(has(text, "transactions/s, median of 3 seeds (before: 9000 .. 11000)")) << text;
}

TEST(Trials, NothingTriedIsNothingSaid) {
    EXPECT_EQ(trials_text({}), "");
}

TEST(Trials, AreAddedToAnObject) {
    const json all = json::parse(with_trials(R"({"a": 1})", small_trials()));
    EXPECT_EQ(all["a"], 1);
    EXPECT_EQ(all["tried"]["before"]["median"], 10'000);
    EXPECT_EQ(all["tried"]["trials"][0]["change"], 1.5);
    EXPECT_EQ(all["tried"]["trials"][0]["arguments"], "--features NO_SYNC_WAKEUPS");
}

TEST(Trials, NoChangeIsClaimedAgainstARateOfZero) {
    Trials t = small_trials();
    t.before = {};
    EXPECT_EQ(change_of(t, t.trials[0]), 0);
}

TEST(Quickstart, TextPutsPrintBesideSimulation) {
    const std::string text = quickstart_text(small_story());
    EXPECT_TRUE(has(text, "clients  print    sim  print   sim\n")) << text;
    EXPECT_TRUE(has(text, "      1   10.0   11.0  10.0f  10.0\n")) << text;
    EXPECT_TRUE(has(text, "      8      -  40.0~      -  10.0\n")) << text;
    EXPECT_TRUE(has(text, "cfs-new, never published on this machine")) << text;
    EXPECT_TRUE(has(text,
                    "With 8 clients old does 40.0 thousand transactions a second, new does "
                    "10.0 thousand: 25 % of it."))
        << text;
    // |ln(11/10)| = 9.5 %
    EXPECT_TRUE(has(text, "of the 1 cells that nothing was fitted on: 9.5 %")) << text;
    EXPECT_TRUE(has(text, "== Why new collapses with 8 clients ==")) << text;
    EXPECT_TRUE(has(text, "(NO_SYNC_WAKEUPS) 10.0 thousand become 25.0 thousand: +150.0%."))
        << text;
    EXPECT_TRUE(has(text, "--features NO_SYNC_WAKEUPS")) << text;
}

TEST(Quickstart, MarkdownHasTheSameNumbersInATable) {
    const std::string page = quickstart_markdown(small_story());
    EXPECT_TRUE(page.starts_with("# ")) << page;
    EXPECT_TRUE(has(page,
                    "| clients | old print | old sim | new print | new sim |\n"
                    "| --: | --: | --: | --: | --: |\n"
                    "| 1 | 10.0 | 11.0 | 10.0f | 10.0 |\n"
                    "| 8 | - | 40.0~ | - | 10.0 |\n"))
        << page;
    EXPECT_TRUE(has(page, "- old: `o1-old`, published as E05\n")) << page;
}

TEST(Quickstart, JsonHoldsTableAndExplanation) {
    const json all = json::parse(quickstart_json(small_story()));
    EXPECT_EQ(all["columns"][0]["cells"][1]["published"], nullptr);
    EXPECT_EQ(all["columns"][0]["cells"][1]["simulated"], 40'000);
    EXPECT_EQ(all["columns"][1]["experiment"], nullptr);
    EXPECT_EQ(all["explained"]["tried"]["trials"].size(), 1u);
}

TEST(FitJson, HoldsParametersAndCells) {
    judge::FitRecord record;
    record.objective_before = 0.25;
    record.objective_after = 0.125;
    record.parameters.push_back(
        {{judge::FitParameter::Kind::kMachine, "q6600", "costs.line_far", 120, 80, 160, "netperf"},
         160});
    record.cells.push_back({"E02", "default", 8, 9567, 12000, 9600});
    const json all = json::parse(fit_json(record));
    EXPECT_EQ(all["objective_after"], 0.125);
    EXPECT_EQ(all["parameters"][0]["file"], "machine q6600");
    EXPECT_EQ(all["parameters"][0]["at_bound"], true);
    EXPECT_EQ(all["cells"][0]["after"], 9600);
}

}  // namespace
}  // namespace wakelab::report
