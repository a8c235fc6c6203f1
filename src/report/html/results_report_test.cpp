#include "report/html/results_report.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace wakelab::report {
namespace {

constexpr std::string_view kCompare = R"({
 "title": "pgbench on <q6600>", "metric": "rate", "unit": "transactions/s", "better": "higher",
 "mean": "harmonic",
 "significance": "Welch", "confidence": 0.95, "baseline": "a", "variants": ["a", "</script><img src=x>"],
 "seeds": [1, 2], "few_seeds": true, "mean_change": [null, -0.431],
 "levels": [
  {"clients": 1, "cells": [{"variant": "a", "n": 2, "median": 8412.5, "min": 8400,
    "max": 8425, "change": null},
   {"variant": "b", "n": 2, "median": 4100.25, "min": 4000, "max": 4200,
    "change": -0.5126, "significant": true, "two_humps": true}]},
  {"clients": 8, "cells": [{"variant": "a", "n": 2, "median": 31974, "min": 31000, "max": 32000},
   {"variant": "b", "n": 2, "median": 20000, "min": 19000, "max": 21000,
    "change": -0.374, "significant": false}]}]})";

std::size_t count(const std::string& text, std::string_view what) {
    std::size_t n = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
        ++n;
    return n;
}

TEST(ResultsReport, ACompareHasVerdictCurvesAndTable) {
    const auto page = results_report(kCompare, "");
    ASSERT_TRUE(page);
    EXPECT_NE(page->find("<h1>pgbench on &lt;q6600&gt;</h1>"), std::string::npos);
    EXPECT_NE(page->find("<strong data-v=\"-0.431\">43.1"), std::string::npos);
    EXPECT_EQ(count(*page, "class=\"line\""), 2u);
    EXPECT_NE(page->find("data-v=\"4100.25\""), std::string::npos);
    EXPECT_NE(page->find("31\u202f974"), std::string::npos);
    EXPECT_NE(page->find("Few seeds"), std::string::npos);
    EXPECT_LT(page->find("id=\"verdicts\""), page->find("id=\"curves\""));
    EXPECT_LT(page->find("id=\"curves\""), page->find("id=\"table\""));
}

TEST(ResultsReport, ForbidsTheNetworkAndHandlersAndEscapesNames) {
    const auto page = results_report(kCompare, "<b>mine</b>");
    ASSERT_TRUE(page);
    EXPECT_NE(page->find("default-src 'none'"), std::string::npos);
    EXPECT_NE(page->find("<h1>&lt;b&gt;mine&lt;/b&gt;</h1>"), std::string::npos);
    EXPECT_EQ(page->find("<img"), std::string::npos);
    EXPECT_EQ(page->find("<script"), std::string::npos) << "pages of results need none";
    EXPECT_EQ(count(*page, "http"), 1u) << "http-equiv of the policy; no address";
    for (const char* handler : {" onclick=", " onload=", " onerror="})
        EXPECT_EQ(page->find(handler), std::string::npos);
}

// Every opened element is closed: as many <x as </x, of those that need it.
TEST(ResultsReport, TagsAreBalanced) {
    const auto page = results_report(kCompare, "");
    ASSERT_TRUE(page);
    for (const char* tag : {"section", "table", "tr", "td", "svg", "g", "ol", "li", "figure",
                            "details", "div", "p"}) {
        const std::size_t opened =
            count(*page, std::string("<") + tag + ">") + count(*page, std::string("<") + tag + " ");
        EXPECT_EQ(opened, count(*page, std::string("</") + tag + ">")) << tag;
    }
}

TEST(ResultsReport, ExplainShowsFindingsAndTheGraph) {
    const auto page =
        results_report(R"({"run": {"scenario": "x"}, "rate_per_s": 10, "unit": "loops",
        "findings": [{"id": "stacked-wakeups", "title": "A & B share a CPU", "symptom": ["one", "two"],
          "confidence": "high", "explains": 0.4736, "evidence": {"stuck_time_share": 0.93}, "experiments":
          [{"arguments": "--features NO_SYNC", "why": "takes <it> away"}]}],
        "wakers": [{"name": "A", "wakees": {"B": 300, "A": 10}}, {"name": "B", "wakees": {"A": 290}}]})",
                       "");
    ASSERT_TRUE(page);
    EXPECT_NE(page->find("A &amp; B share a CPU"), std::string::npos);
    EXPECT_NE(page->find("data-v=\"0.4736\">47.4"), std::string::npos);
    EXPECT_NE(page->find("takes &lt;it&gt; away"), std::string::npos);
    EXPECT_EQ(count(*page, "class=\"edge "), 3u);
    EXPECT_EQ(count(*page, "class=\"node "), 2u);
}

TEST(ResultsReport, RefusesWhatItDoesNotKnow) {
    EXPECT_EQ(results_report("{", "").error().message, "results: not valid JSON");
    EXPECT_FALSE(results_report("[1, 2]", ""));
    EXPECT_FALSE(results_report("{\"levels\": 3}", ""));
    EXPECT_FALSE(results_report("", ""));
}

// Right keys, wrong types: a page with gaps, never a crash.
TEST(ResultsReport, WrongTypesDoNoHarm) {
    for (
        const char* json :
        {R"({"levels": 3, "variants": {}})", R"({"levels": [1, null], "variants": [7, null]})",
         R"({"levels": [{"clients": "x", "cells": [{"median": "y"}]}], "variants": ["a"], "seeds": 1})",
         R"({"levels": [{"clients": -1, "cells": [{"median": 1e308}]},
                {"clients": 0, "cells": [{"median": -5}]}], "variants": ["a"], "baseline": 3})",
         R"({"tables": "no", "predict": []})",
         R"({"tables": [{"cells": [{"clients": 1, "log_ratio": 1e300}]}, 5], "predict": {"cells": "x"}})",
         R"({"findings": [1, {}], "wakers": [{"wakees": {"a": "b", "c": -1}}]})",
         R"({"metrics": [], "cpus": [null, 1]})",
         R"({"metrics": {"duration_ns": 0}, "cpus": {}, "tasks": [[], "x"]})",
         R"({"singles": [{}], "base": null})"})
        EXPECT_TRUE(results_report(json, "")) << json;
}

TEST(ResultsReport, TellsResultsFromTraces) {
    EXPECT_TRUE(looks_like_results("{\n  \"title\""));
    EXPECT_FALSE(looks_like_results("# tracer: nop"));
    EXPECT_FALSE(looks_like_results("PERFILE2"));
    EXPECT_FALSE(looks_like_results(""));
}

}  // namespace
}  // namespace wakelab::report
