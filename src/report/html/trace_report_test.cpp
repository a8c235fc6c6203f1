#include "report/html/trace_report.hpp"

#include <gtest/gtest.h>

#include "metrics/record_script.hpp"
#include "report/html/web_assets.hpp"

namespace wakelab::report {
namespace {

namespace script = metrics::script;

struct Made {
    metrics::RunSummary run;
    metrics::Lanes lanes;
};

// Two CPUs, 1 ms: driver wakes two servers, which run on CPU 1 one after the other.
Made made(const std::string& server) {
    const trace::TraceInfo info = script::info(2, {"driver", server, server + "-1"});
    const std::vector<trace::TraceRecord> records = {script::run(0, 0, trace::kNobody, 0),
                                                     script::wakeup(100'000, 0, 1, 1),
                                                     script::run(120'000, 1, trace::kNobody, 1),
                                                     script::wakeup(150'000, 0, 2, 1),
                                                     script::run(400'000, 1, 1, 2),
                                                     script::run(900'000, 1, 2, trace::kNobody)};
    metrics::RunAnalysis analysis;
    metrics::SliceStore store;
    for (trace::TraceSink* sink :
         {static_cast<trace::TraceSink*>(&analysis), static_cast<trace::TraceSink*>(&store)}) {
        sink->begin(info);
        sink->consume(records);
        sink->finish(1'000'000);
    }
    return {analysis.take(), store.take()};
}

std::string page_of(const TraceReportInput& input) {
    std::string page;
    write_trace_page(input, [&](std::string_view text) { page += text; });
    return page;
}

bool has(const std::string& page, std::string_view text) {
    return page.find(text) != std::string::npos;
}

// Wake-ups: 2 in 1 ms. Waits: 20 us and 250 us. CPU 1 is busy 780 us of 1000.
TEST(TraceReport, VerdictsFirstThenNumbersDelaysLanesAndTables) {
    const Made m = made("db");
    const diag::Finding finding{.id = "late-balance",
                                .title = "Too late",
                                .symptom = {"It waits."},
                                .evidence = {},
                                .confidence = diag::Confidence::kLow,
                                .explains = 0.25,
                                .experiments = {}};
    const std::string page = page_of({.title = "t",
                                      .facts = {{"file", "a<b"}},
                                      .run = &m.run,
                                      .findings = {&finding, 1},
                                      .lanes = &m.lanes,
                                      .load = {}});
    EXPECT_LT(page.find("Too late"), page.find("id=\"numbers\""));
    EXPECT_LT(page.find("id=\"numbers\""), page.find("id=\"delays\""));
    EXPECT_LT(page.find("id=\"delays\""), page.find("id=\"timeline\""));
    EXPECT_LT(page.find("id=\"timeline\""), page.find("id=\"wakers\""));
    EXPECT_TRUE(has(page, "<dd>a&lt;b</dd>"));
    EXPECT_TRUE(has(page, "<dd data-v=\"2\">2<small>2000 a second</small>")) << "wake-ups";
    EXPECT_TRUE(has(page, "CPU 1 over time, 78.0\u00a0% busy"));
    EXPECT_TRUE(has(page, "250\u00a0µs"));
    EXPECT_FALSE(has(page, "id=\"recording\"")) << "nothing is missing of a simulated run";
}

TEST(TraceReport, HostileNamesStayText) {
    const Made m = made("</script><img src=x onerror=alert(1)>");
    const std::string page = page_of({.title = "</title>",
                                      .facts = {},
                                      .run = &m.run,
                                      .findings = {},
                                      .lanes = &m.lanes,
                                      .load = {}});
    EXPECT_FALSE(has(page, "<img"));
    EXPECT_TRUE(has(page, "<h1>&lt;/title&gt;</h1>"));
    EXPECT_TRUE(has(page, "\\u003c/script>\\u003cimg src=x onerror=alert(1)>"))
        << "in the data of the lanes";
}

TEST(TraceReport, LossesStandAboveEverything) {
    const Made m = made("db");
    trace::TraceQuality quality;
    quality.format = "ftrace text";
    quality.gaps = 2;
    quality.lost_events = 1500;
    quality.truncated = true;
    quality.notes = {"a <note>"};
    quality.skip("sys_enter_<x>", 7);
    const std::string page = page_of({.title = "t",
                                      .facts = {},
                                      .run = &m.run,
                                      .findings = {},
                                      .quality = &quality,
                                      .lanes = nullptr,
                                      .load = {}});
    EXPECT_LT(page.find("2 gaps, 1500 events lost"), page.find("id=\"verdicts\""));
    EXPECT_TRUE(has(page, "a &lt;note&gt;"));
    EXPECT_TRUE(has(page, "sys_enter_&lt;x&gt;"));
    EXPECT_FALSE(has(page, "id=\"lanes\"")) << "no lanes were given";
}

struct FakeSeries {
    struct Bucket {
        std::int64_t busy_ns, unknown_ns, queued_ns;
        std::uint32_t queued_max;
    };
    [[nodiscard]] std::uint32_t size() const { return 4; }
    [[nodiscard]] std::uint32_t cpus() const { return 2; }
    [[nodiscard]] std::int64_t bucket_ns() const { return 100; }
    [[nodiscard]] Bucket at(std::uint32_t cpu, std::uint32_t b) const {
        return cpu == 0 ? Bucket{100, 0, 100 * b, b} : Bucket{0, 0, 0, 0};
    }
};

// Buckets of 100 ns joined by two. Queue of CPU 0: 0, 1 and 2, 3.
TEST(TraceReport, LoadIsJoinedIntoFewerBuckets) {
    const html::LoadOverTime load = html::load_over_time(FakeSeries{}, 400, 2);
    EXPECT_EQ(load.bucket_ns, 200);
    EXPECT_EQ(load.queued[0], (std::vector<double>{0.5, 2.5}));
    EXPECT_EQ(load.queued_max[0], 3u);
    EXPECT_EQ(load.idle, (std::vector<double>{1, 1}));
    EXPECT_TRUE(has(html::load_html(load), "Queue of CPU 0: 1.5 tasks on average, 3 at most"));
}

// The files of web/ are compiled in whole.
TEST(TraceReport, AssetsAreThere) {
    EXPECT_TRUE(html::kReportCss.find("prefers-color-scheme: dark") != std::string_view::npos);
    EXPECT_TRUE(html::kLanesJs.find("'use strict'") != std::string_view::npos);
    EXPECT_EQ(html::kLanesJs.find("</script"), std::string_view::npos);
    EXPECT_EQ(html::kLanesDataJs.find("</script"), std::string_view::npos);
}

}  // namespace
}  // namespace wakelab::report
