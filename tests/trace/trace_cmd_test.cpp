// What trace-cmd says of a file against what read_trace() says of it, for every form in which
// trace-cmd writes it, and of what the trace.dat writer writes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <map>

#include "support/trace_capture.hpp"
#include "trace/formats/format.hpp"
#include "trace/formats/trace_dat/trace_dat_writer.hpp"
#include "trace/tracefs_recording.hpp"

namespace wakelab::trace {

namespace {

namespace fs = std::filesystem;
using Counts = std::map<std::string, std::uint64_t>;

constexpr std::array kTypes = {KernelEventType::kSwitch,  KernelEventType::kWaking,
                               KernelEventType::kWakeup,  KernelEventType::kWakeupNew,
                               KernelEventType::kMigrate, KernelEventType::kFork,
                               KernelEventType::kExit,    KernelEventType::kExec};

std::optional<std::string> output_of(const std::string& command) {
    std::FILE* pipe = ::popen((command + " 2>/dev/null").c_str(), "r");
    if (pipe == nullptr) return std::nullopt;
    std::string text;
    std::array<char, 65536> piece;
    for (std::size_t n; (n = std::fread(piece.data(), 1, piece.size(), pipe)) > 0;)
        text.append(piece.data(), n);
    return ::pclose(pipe) == 0 ? std::optional(text) : std::nullopt;
}

// "  bash-12  [000]  1.000001: sched_switch:  ..."
Counts counts_of_report(const fs::path& file) {
    const auto text = output_of("trace-cmd report -i '" + file.string() + "'");
    EXPECT_TRUE(text) << file;
    Counts counts;
    if (!text) return counts;
    for (const KernelEventType type : kTypes) {
        const std::string word = fmt::format(": {}:", to_string(type));
        std::uint64_t n = 0;
        for (std::size_t at = text->find(word); at != text->npos; at = text->find(word, at + 1))
            ++n;
        counts[std::string(to_string(type))] = n;
    }
    return counts;
}

struct Read {
    test::TraceCapture capture;
    TraceQuality quality;
    Counts counts;
};

Read read(const fs::path& path) {
    Read r;
    const Status s = read_trace(path.string(), r.capture, r.quality);
    EXPECT_TRUE(s) << s.error().message;
    for (const KernelEventType type : kTypes)
        r.counts[std::string(to_string(type))] = r.quality.count(type);
    return r;
}

std::vector<std::int64_t> times(const Read& r) {
    std::vector<std::int64_t> ns;
    for (const TraceRecord& record : r.capture.records) ns.push_back(record.ns);
    return ns;
}

// How the task that leaves does, by switch; as numbers.
std::vector<std::uint32_t> prev_states(const Read& r) {
    std::vector<std::uint32_t> states;
    for (const TraceRecord& record : r.capture.records)
        if (record.type == EventType::kSwitch) states.push_back(record.flags);
    return states;
}

class TraceCmd : public testing::Test {
 protected:
    void SetUp() override {
        if (!output_of("trace-cmd --version") && !output_of("command -v trace-cmd"))
            GTEST_SKIP() << "trace-cmd is not installed";
        if (const auto why_not = test::record_ping_pong(raw_, 2000)) GTEST_SKIP() << *why_not;
        std::string cpus;
        for (int cpu = 0; fs::exists(raw_ / fmt::format("cpu{}.raw", cpu)); ++cpu)
            cpus += fmt::format(" '{}/cpu{}.raw'", raw_.string(), cpu);
        std::FILE* symbols = std::fopen((raw_ / "kallsyms").c_str(), "w");
        std::fputs("0000000000000000 t none\n", symbols);
        std::fclose(symbols);
        const std::string dir = raw_.string();
        ASSERT_TRUE(output_of(
            fmt::format("trace-cmd restore -c -t '{0}' -k '{0}/kallsyms' -o '{0}/head.dat'", dir)));
        ASSERT_TRUE(output_of(fmt::format(
            "trace-cmd restore -i '{0}/head.dat' -o '{0}/restored.dat' {1}", dir, cpus)));
    }
    fs::path converted(const std::string& name, const std::string& options) const {
        const fs::path out = raw_ / name;
        EXPECT_TRUE(
            output_of(fmt::format("trace-cmd convert -i '{}' -o '{}' {}",
                                  (raw_ / "restored.dat").string(), out.string(), options)));
        return out;
    }
    fs::path raw_ = fs::path(testing::TempDir()) / "wakelab_trace_cmd";
};

}  // namespace

TEST_F(TraceCmd, EveryFormOfAFileHoldsWhatItsReportSays) {
    const Read raw = read(raw_);
    // 2000 rounds: two wake-ups each, but for those that found the other still running.
    EXPECT_GT(raw.counts.at("sched_switch"), 1000u);
    EXPECT_GT(raw.counts.at("sched_waking"), 1000u);
    for (const fs::path& file : {raw_ / "restored.dat", converted("v6.dat", "--file-version 6"),
                                 converted("v7.dat", "--file-version 7 --compression none"),
                                 converted("zstd.dat", "--file-version 7 --compression zstd")}) {
        const Read r = read(file);
        EXPECT_EQ(r.counts, counts_of_report(file)) << file;
        EXPECT_EQ(r.counts, raw.counts) << file;
        EXPECT_EQ(times(r), times(raw)) << file;
        EXPECT_EQ(r.quality.damaged, 0u);
        EXPECT_EQ(r.quality.out_of_order, 0u);
    }
}

// Text, with the fields as they are (-R), in full nanoseconds (-t), with flags (-l): nothing is left over.
TEST_F(TraceCmd, EveryFormOfAReportIsRead) {
    const Read raw = read(raw_);
    for (const std::string option : {"", "-R", "-t", "-l"}) {
        const fs::path text = raw_ / "report.txt";
        ASSERT_TRUE(output_of(fmt::format("trace-cmd report {} -i '{}' > '{}'", option,
                                          (raw_ / "restored.dat").string(), text.string())));
        const Read r = read(text);
        EXPECT_EQ(r.counts, raw.counts) << option;
        EXPECT_EQ(r.quality.damaged, 0u) << option;
        EXPECT_EQ(prev_states(r), prev_states(raw)) << option;
    }
}

TEST_F(TraceCmd, ReadsWhatTheWriterWrites) {
    const Read raw = read(raw_);
    const fs::path out = raw_ / "written.dat";
    auto writer = TraceDatWriter::open(out.string());
    ASSERT_TRUE(writer);
    TraceQuality quality;
    ASSERT_TRUE(read_trace(raw_.string(), **writer, quality));
    ASSERT_TRUE((*writer)->close());
    const Read again = read(out);
    EXPECT_EQ(times(again), times(raw));
    EXPECT_EQ(counts_of_report(out), again.counts);
    EXPECT_EQ(again.counts.at("sched_switch"), raw.counts.at("sched_switch"));
    EXPECT_EQ(again.counts.at("sched_waking"), raw.counts.at("sched_waking"));
}

}  // namespace wakelab::trace
