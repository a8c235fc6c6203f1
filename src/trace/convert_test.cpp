#include "trace/convert.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

#include "support/source_path.hpp"
#include "support/trace_capture.hpp"
#include "trace/formats/format.hpp"
#include "trace/formats/writer.hpp"

namespace wakelab::trace {
namespace {

const std::string kSource = test::source_path("tests/data/trace/text/hostile.report");

std::string temporary(std::string_view name) {
    return testing::TempDir() + "convert_test." + std::to_string(::getpid()) + "." + std::string(name);
}

bool exists(const std::string& path) {
    struct stat info {};
    return ::stat(path.c_str(), &info) == 0;
}

TEST(Convert, EveryWriterKeepsSwitchesAndWakeups) {
    test::TraceCapture source;
    TraceQuality q;
    ASSERT_TRUE(read_trace(kSource, source, q));
    for (const std::string_view name : {"wktrace", "ftrace"}) {
        const std::string path = temporary(name);
        TraceQuality quality;
        ASSERT_TRUE(convert(kSource, path, quality, {.format = std::string(name), .window = {}}));
        EXPECT_EQ(quality.count(KernelEventType::kSwitch), 16u);
        test::TraceCapture got;
        TraceQuality after;
        ASSERT_TRUE(read_trace(path, got, after)) << name;
        for (const EventType type : {EventType::kSwitch, EventType::kWaking, EventType::kWakeup})
            EXPECT_EQ(got.count(type), source.count(type)) << name;
        std::remove(path.c_str());
    }
}

TEST(Convert, WritesOnlyTheWindow) {
    const std::string path = temporary("window.wkt");
    TraceQuality quality, after;
    // From 28444.277133882 to the end: the second part of the file, 24 events.
    const std::int64_t from = 28'444'277'133'882 - 28'444'105'162'287;
    ASSERT_TRUE(convert(kSource, path, quality,
                        {.format = {}, .window = {.from_ns = from, .to_ns = from + 10'000}}));
    test::TraceCapture got;
    ASSERT_TRUE(read_trace(path, got, after));
    // 133882, 135175, 138281, 141427, 142689 are before 143882.
    ASSERT_EQ(got.records.size(), 5u);
    EXPECT_EQ(got.records[0].ns, 28'444'277'133'882);
    EXPECT_EQ(got.info.start_ns, 28'444'277'133'882);
    std::remove(path.c_str());
}

TEST(Convert, LeavesNothingBehindWhenItFails) {
    const std::string path = temporary("fail.wkt");
    TraceQuality quality;
    const Status unreadable = convert(test::source_path("CMakeLists.txt"), path, quality);
    ASSERT_FALSE(unreadable);
    EXPECT_NE(unreadable.error().message.find("not a trace that can be read"), std::string::npos);
    EXPECT_FALSE(exists(path));
    EXPECT_FALSE(exists(path + ".tmp"));
}

TEST(Convert, SaysWhichFormatsCanBeWritten) {
    TraceQuality quality;
    const Status ending = convert(kSource, "x.unknown", quality);
    ASSERT_FALSE(ending);
    EXPECT_TRUE(ending.error().message.starts_with(
        "x.unknown: its ending names no format to write; expected one of: "));
    EXPECT_NE(ending.error().message.find("wktrace (.wkt)"), std::string::npos);
    const Status name = convert(kSource, "x.wkt", quality, {.format = "csv", .window = {}});
    ASSERT_FALSE(name);
    EXPECT_TRUE(name.error().message.starts_with("csv: no format to write; expected one of: "));
    EXPECT_EQ(std::string((*find_writer("a/b.ftrace"))->name), "ftrace");
}

}  // namespace
}  // namespace wakelab::trace
