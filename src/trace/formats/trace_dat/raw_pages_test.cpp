#include "trace/formats/trace_dat/raw_pages.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/trace_capture.hpp"
#include "support/trace_dat_builder.hpp"
#include "trace/formats/format.hpp"

namespace wakelab::trace {

namespace {

namespace fs = std::filesystem;

class RawPages : public testing::Test {
 protected:
    void SetUp() override {
        fs::remove_all(dir_);
        put("cpu0.raw", page(5, 10, 20));
        put("cpu3", page(3, 0, 30));
        put("events/header_page", test::header_page_text(8));
        put("events/sched/sched_switch/format", std::string(test::kSwitchFormat));
    }
    static std::string page(std::uint32_t delta, std::int32_t prev, std::int32_t next, bool big = false) {
        return test::PageBuilder(big, 8, 1000)
            .event(delta, test::switch_record(big, prev, "a", 1, next, "b"))
            .page();
    }
    void put(const std::string& name, const std::string& text) {
        const fs::path path = dir_ / name;
        fs::create_directories(path.parent_path());
        std::ofstream(path, std::ios::binary) << text;
    }
    Status read() { return read_trace(dir_.string(), capture_, quality_); }

    fs::path dir_ = fs::path(testing::TempDir()) / "raw_pages";
    test::TraceCapture capture_;
    TraceQuality quality_;
};

}  // namespace

TEST_F(RawPages, AreReadFromADirectory) {
    put("trace_clock", "local global [mono] boot\n");
    const Status s = read();
    ASSERT_TRUE(s) << s.error().message;
    ASSERT_EQ(capture_.records.size(), 2u);
    EXPECT_EQ(capture_.records[0].ns, 1003);
    EXPECT_EQ(capture_.records[0].cpu, 3);
    EXPECT_EQ(capture_.records[1].ns, 1005);
    EXPECT_EQ(capture_.cpus, 4u);
    EXPECT_EQ(quality_.clock, "mono");
    EXPECT_EQ(quality_.damaged, 0u);
}

TEST_F(RawPages, OfAnotherByteOrderAreRecognised) {
    put("cpu0.raw", page(5, 10, 20, true));
    put("cpu3", page(3, 0, 30, true));
    ASSERT_TRUE(read());
    EXPECT_EQ(capture_.records.size(), 2u);
    EXPECT_EQ(capture_.records[0].ns, 1003);
}

TEST_F(RawPages, MayLieAsTracefsHasThem) {
    fs::remove(dir_ / "cpu0.raw");
    put("per_cpu/cpu0/trace_pipe_raw", page(5, 10, 20));
    ASSERT_TRUE(read());
    EXPECT_EQ(capture_.records.size(), 2u);
}

TEST_F(RawPages, SayWhatIsMissing) {
    const std::string expected =
        "; expected a copy of tracefs: cpuN.raw, events/header_page, events/sched/*/format";
    fs::remove(dir_ / "events/sched/sched_switch/format");
    EXPECT_EQ(read().error().message, dir_.string() + ": no format of sched_switch" + expected);
    fs::remove(dir_ / "events/header_page");
    EXPECT_EQ(read().error().message, dir_.string() + ": no header_page" + expected);
    fs::remove(dir_ / "cpu0.raw");
    fs::remove(dir_ / "cpu3");
    EXPECT_EQ(read().error().message, dir_.string() + ": no file cpuN or cpuN.raw with events" + expected);
}

}  // namespace wakelab::trace
