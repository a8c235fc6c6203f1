#include "report/html/lanes_data.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace wakelab::report::html {
namespace {

std::string base64_of(const std::vector<std::uint8_t>& bytes) {
    std::string text;
    const HtmlSink sink = [&](std::string_view t) { text += t; };
    Base64Writer out(sink);
    for (const std::uint8_t b : bytes) out.byte(b);
    out.finish();
    return text;
}

// RFC 4648, section 10.
TEST(Base64Writer, TheVectorsOfTheRfc) {
    EXPECT_EQ(base64_of({}), "");
    EXPECT_EQ(base64_of({'f'}), "Zg==");
    EXPECT_EQ(base64_of({'f', 'o'}), "Zm8=");
    EXPECT_EQ(base64_of({'f', 'o', 'o'}), "Zm9v");
    EXPECT_EQ(base64_of({'f', 'o', 'o', 'b', 'a', 'r'}), "Zm9vYmFy");
}

// 300 = 0b10'0101100: low seven bits first, 0xac 0x02.
TEST(Base64Writer, NumbersAreLeb128) {
    std::string text;
    const HtmlSink sink = [&](std::string_view t) { text += t; };
    Base64Writer out(sink);
    out.number(300);
    out.number(5);
    out.finish();
    EXPECT_EQ(text, base64_of({0xac, 0x02, 5}));
}

struct Made {
    metrics::Lanes lanes;
    metrics::TaskGroups groups;
    std::vector<std::string> names = {"quiet", "db-0", "db-1", "</script>"};
};

// db-0 1000..1300, pause, db-1 1400..1500; the last task wakes db-1 at 1350.
Made made() {
    Made m;
    for (std::uint32_t t = 0; t < m.names.size(); ++t) m.groups.add(t, m.names[t]);
    m.lanes.start_ns = 1000;
    m.lanes.end_ns = 2000;
    m.lanes.cpus = {{{.start_ns = 1000, .span_ns = 300, .busy_ns = 300, .task = 1, .merged = 1},
                     {.start_ns = 1400, .span_ns = 100, .busy_ns = 80, .task = 2, .merged = 3}},
                    {}};
    m.lanes.arrows = {
        {.wake_ns = 1350, .latency_ns = 50, .waker = 3, .wakee = 2, .waker_cpu = 1, .cpu = 0}};
    return m;
}

TEST(LanesData, OnlyTasksThatAreDrawnAreNamed) {
    const Made m = made();
    const LaneTasks tasks = lane_tasks(m.lanes, m.groups);
    EXPECT_EQ(tasks.order, (std::vector<std::uint32_t>{1, 2, 3}))
        << "the group with most CPU time first";
    EXPECT_EQ(tasks.group_names.front(), "db-*");
}

// Slices: gap 0, span 300, task 0 single -> 0, 0xac 0x02, 0; gap 100, span 100, task 1 merged ->
// 100, 100, 3, busy 80, 3 slices. Arrow: 350 = 0xde 0x02, 50, CPU 1, CPU 0, wakee 1, waker 2 + 1.
TEST(LanesData, WhatTheScriptReads) {
    const Made m = made();
    std::string text;
    write_lanes_data(m.lanes, lane_tasks(m.lanes, m.groups), m.names,
                     [&](std::string_view t) { text += t; });
    EXPECT_NE(text.find("id=\"lanes-slices\">\n" +
                        base64_of({0, 0xac, 0x02, 0, 100, 100, 3, 80, 3}) + "<"),
              std::string::npos);
    EXPECT_NE(text.find("id=\"lanes-arrows\">\n" + base64_of({0xde, 0x02, 50, 1, 0, 1, 3}) + "<"),
              std::string::npos);
    const std::size_t begin = text.find('{'), end = text.find("</script>");
    const auto info = nlohmann::json::parse(text.substr(begin, end - begin));
    EXPECT_EQ(info["slices"], (std::vector<int>{2, 0}));
    EXPECT_EQ(info["tasks"][2][0], "</script>");
    EXPECT_DOUBLE_EQ(info["busy"][0], 0.38);
}

}  // namespace
}  // namespace wakelab::report::html
