#include "trace/formats/perfetto/perfetto_writer.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <protozero/pbf_reader.hpp>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "base/place_rule.hpp"
#include "support/random_run.hpp"
#include "support/trace_capture.hpp"
#include "trace/formats/format.hpp"

namespace wakelab::trace {
namespace {

std::string temporary(std::string_view name) {
    return testing::TempDir() + "wakelab-" + std::to_string(getpid()) + "-" + std::string(name);
}

std::string bytes_of_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

// What `play(sink)` says, as a Perfetto file.
template <class Play>
std::string written(Play&& play, const TraceQuality& quality = {}) {
    const std::string path = temporary("writer.pftrace");
    {
        auto writer = open_perfetto_writer(path, quality);
        EXPECT_TRUE(writer);
        play(**writer);
        EXPECT_TRUE((*writer)->close());
    }
    std::string bytes = bytes_of_file(path);
    std::filesystem::remove(path);
    return bytes;
}

test::TraceCapture read_back(const std::string& bytes, TraceQuality& quality) {
    test::TraceCapture capture;
    const auto all = std::as_bytes(std::span(bytes));
    Input input = Input::of_bytes({all.begin(), all.end()});
    const Status status = read_trace(input, capture, quality);
    EXPECT_TRUE(status) << (status ? "" : status.error().message);
    return capture;
}

// As `protoc --decode_raw` prints it; nothing if protoc is not there.
std::string decode_raw(const std::string& bytes) {
    const std::string path = temporary("raw.pftrace");
    std::ofstream(path, std::ios::binary) << bytes;
    const std::string command = "protoc --decode_raw < " + path + " 2>/dev/null";
    std::string text;
    if (FILE* pipe = popen(command.c_str(), "r")) {
        std::array<char, 4096> part;
        while (const std::size_t n = fread(part.data(), 1, part.size(), pipe)) text.append(part.data(), n);
        pclose(pipe);
    }
    std::filesystem::remove(path);
    return text;
}

// sh wakes db on CPU 1 by the affine shortcut, where it runs at once.
void play_small(TraceSink& sink) {
    TraceInfo info;
    info.cpus = 2;
    info.start_ns = 1000;
    info.task_names = {"sh", "db"};
    sink.begin(info);
    const std::int64_t from_cpu_1 = std::int64_t{1} << 32;
    const std::int64_t placed = from_cpu_1 | static_cast<std::int64_t>(PlaceRule::kAffineShortcut);
    const auto uninterruptible = static_cast<std::uint32_t>(PrevState::kUninterruptible);
    const std::array<TraceRecord, 5> records = {{
        {1000, kNobody, 0, 0, EventType::kSwitch, 0, 0},
        {2000, 0, 1, 0, EventType::kWaking, kWakeSync, 0},
        {2000, 0, 1, 1, EventType::kWakeup, kWakeSync, placed},
        {7000, kNobody, 1, 1, EventType::kSwitch, 0, 0},
        {9000, 0, kNobody, 0, EventType::kSwitch, uninterruptible, 0},
    }};
    sink.consume(records);
    sink.finish(9000);
}

// Field numbers: see perfetto_fields.hpp. Times as in play_small; 120 is the priority nobody told.
constexpr std::string_view kBundle = R"(1 {
  10: 1
  1 {
    1: 0
    2 {
      1: 1000
      2: 0
      4 {
        1: "swapper/0"
        2: 0
        3: 120
        4: 0
        5: "sh"
        6: 1
        7: 120
      }
    }
    2 {
      1: 2000
      2: 1
      20 {
        1: "db"
        2: 2
        3: 120
        4: 1
        5: 0
      }
    }
    2 {
      1: 2000
      2: 1
      17 {
        1: "db"
        2: 2
        3: 120
        4: 1
        5: 1
      }
    }
    2 {
      1: 9000
      2: 1
      4 {
        1: "sh"
        2: 1
        3: 120
        4: 2
        5: "swapper/0"
        6: 0
        7: 120
      }
    }
  }
}
)";
constexpr std::string_view kThread = R"(    2 {
      1: 2
      2: "db"
      3: 2
    }
)";
// The wake-up: on a track of the waker, the rule's name interned, from CPU 1 to CPU 1, with a flow.
constexpr std::string_view kWakeupEvent = R"(  11 {
    9: 3
    10: 1
    11: 1048576
    4 {
      1: 1
      17: 3
    }
    4 {
      1: 2
      6: "db"
    }
    4 {
      1: 3
      4: 1
    }
    4 {
      1: 4
      4: 1
    }
    4 {
      1: 5
      2: 1
    }
    47: 0x0000000000000001
  }
)";

TEST(PerfettoWriter, PacketsDecodeToTheExpectedFields) {
    TraceQuality quality;
    quality.kernel = "6.1.0";
    const std::string text = decode_raw(written(play_small, quality));
    if (text.empty()) GTEST_SKIP() << "protoc is not installed (protobuf-compiler)";
    for (const std::string_view expected : {kBundle, kThread, kWakeupEvent})
        EXPECT_NE(text.find(expected), std::string::npos) << expected << "expected in\n" << text;
    EXPECT_NE(text.find("    48: 0x0000000000000001\n"), std::string::npos) << "the flow's end";
    // One task waits on CPU 1 from 2000 to 7000 (track 0x101), two, one, no CPUs are idle (track 1).
    const auto counter = [&](std::uint64_t track, int value, int ns) {
        const std::string packet =
            fmt::format("1 {{\n  11 {{\n    9: 4\n    11: {}\n    30: {}\n  }}\n  8: {}\n", track, value, ns);
        return text.find(packet) != std::string::npos;
    };
    EXPECT_TRUE(counter(0x101, 1, 2000));
    EXPECT_TRUE(counter(0x101, 0, 7000));
    EXPECT_TRUE(counter(1, 1, 1000));
    EXPECT_TRUE(counter(1, 0, 7000));
    EXPECT_TRUE(counter(1, 1, 9000));
}

using Slice = std::tuple<std::uint32_t, std::int64_t, std::int64_t, std::string>;  // cpu, start, ns, task

// What a viewer draws: per CPU from each switch to the next, from the file's bytes alone.
std::multiset<Slice> slices_of(const std::string& bytes) {
    std::map<std::uint32_t, std::map<std::int64_t, std::vector<std::string>>> switches;
    protozero::pbf_reader trace{bytes};
    while (trace.next(1)) {
        protozero::pbf_reader packet = trace.get_message();
        if (!packet.next(1)) continue;
        protozero::pbf_reader bundle = packet.get_message();
        std::uint32_t cpu = 0;
        while (bundle.next()) {
            if (bundle.tag() == 1) {
                cpu = bundle.get_uint32();
                continue;
            }
            protozero::pbf_reader event = bundle.get_message();
            std::int64_t ns = 0;
            while (event.next()) {
                if (event.tag() == 1) {
                    ns = event.get_int64();
                } else if (event.tag() == 4) {
                    protozero::pbf_reader s = event.get_message();
                    if (s.next(5)) switches[cpu][ns].push_back(s.get_string());
                } else {
                    event.skip();
                }
            }
        }
    }
    std::multiset<Slice> slices;
    for (const auto& [cpu, by_time] : switches) {
        std::string running;
        std::int64_t since = 0;
        for (const auto& [ns, names] : by_time)
            for (const std::string& name : names) {
                if (!running.empty() && !running.starts_with("swapper"))
                    slices.insert({cpu, since, ns - since, running});
                running = name;
                since = ns;
            }
    }
    return slices;
}

TEST(PerfettoWriter, EverySliceOfTheRunIsInTheFile) {
    test::TraceCapture run;
    const test::RandomRun::Spec spec{.seed = 7, .cpus = 8, .tasks = 30, .steps = 20000};
    test::RandomRun(spec).play(run);
    std::multiset<Slice> expected;
    std::map<std::uint32_t, std::pair<std::uint32_t, std::int64_t>> current;  // by CPU: task, since
    for (const TraceRecord& r : run.records) {
        if (r.type != EventType::kSwitch) continue;
        if (r.task != kNobody)
            expected.insert({r.cpu, current[r.cpu].second, r.ns - current[r.cpu].second, run.names[r.task]});
        current[r.cpu] = {r.arg, r.ns};
    }
    const std::string bytes = written([&](TraceSink& sink) { test::RandomRun(spec).play(sink); });
    EXPECT_GT(expected.size(), 3000u);
    EXPECT_EQ(slices_of(bytes), expected);
}

// What one run says about tasks by name; pids and dense numbers may differ.
std::vector<std::string> told(const test::TraceCapture& run) {
    std::vector<std::string> out;
    const auto name = [&](std::uint32_t t) { return t == kNobody ? std::string("-") : run.names.at(t); };
    for (const TraceRecord& r : run.records)
        out.push_back(fmt::format("{} {} {} {} {} {:x} {}", r.ns, r.cpu, static_cast<int>(r.type),
                                  name(r.task), name(r.arg), r.flags, r.payload));
    return out;
}

// How an idle thread left, and who pushed a task aside: recordings do not tell the one, and guess the other.
bool is_untold(const TraceRecord& change) {
    return change.task == kNobody || static_cast<PrevState>(change.flags) == PrevState::kPreemptedOther;
}

// Simultaneous records of several CPUs, which are a quarter here, keep their order, too.
TEST(PerfettoWriter, ReadingBackGivesTheSameRecords) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const test::RandomRun::Spec spec{.seed = seed, .cpus = 1 + static_cast<std::uint32_t>(seed % 5),
                                         .steps = 5000};
        test::TraceCapture run;
        test::RandomRun(spec).play(run);
        TraceQuality quality;
        const test::TraceCapture again =
            read_back(written([&](TraceSink& sink) { test::RandomRun(spec).play(sink); }), quality);
        ASSERT_EQ(run.records.size(), again.records.size()) << seed;
        test::TraceCapture expected = run;
        for (std::size_t i = 0; i < run.records.size(); ++i) {
            TraceRecord& e = expected.records[i];
            if (e.type == EventType::kSwitch && is_untold(e)) e.flags = again.records[i].flags;
        }
        // Where a task was before its first wakeup is not told.
        expected.records[1].payload = again.records[1].payload;
        ASSERT_EQ(told(expected), told(again)) << seed;
        EXPECT_EQ(quality.out_of_order, 0u);
        EXPECT_EQ(quality.damaged, 0u);
        EXPECT_EQ(quality.inferred_migrations, 0u);
    }
}

// Every kind of record that the format has an event for, with a name of strange bytes and a rename.
TEST(PerfettoWriter, AllEventTypesComeBack) {
    const auto play = [](TraceSink& sink) {
        TraceInfo info;
        info.cpus = 2;
        sink.begin(info);
        sink.add_task(0, "a\xff]");
        sink.describe_task(0, {.pid = 4711, .tgid = 4700, .allowed = {}});
        sink.add_task(1, "b");
        sink.describe_task(1, {.pid = 4712, .tgid = 4700, .allowed = {}});
        const auto dead = static_cast<std::uint32_t>(PrevState::kDead);
        const std::array<TraceRecord, 17> records = {{
            {10, kNobody, 0, 0, EventType::kSwitch, 0, 0},
            {20, 0, kNobody, 0, EventType::kIrqEntry, 0, 42},
            {21, 0, kNobody, 0, EventType::kIrqExit, 0, 42},
            {22, 0, kNobody, 0, EventType::kSoftirqEntry, 0, 7},
            {23, 0, kNobody, 0, EventType::kSoftirqExit, 0, 7},
            {30, 0, kNobody, 0, EventType::kIpi, 0, 1},
            {31, 0, kNobody, 0, EventType::kIpi, 0, -1},
            {40, kNobody, kNobody, 1, EventType::kCpuIdle, 0, 3},
            {41, kNobody, kNobody, 1, EventType::kCpuIdle, 0, -1},
            {42, kNobody, kNobody, 1, EventType::kFrequency, 0, 2'400'000},
            {50, 0, kNobody, 0, EventType::kSyscallEnter, 0, 57},
            {51, 0, 1, 0, EventType::kFork, 0, 0},
            {52, 0, 1, 1, EventType::kWakeupNew, 0, 0},
            {53, 0, kNobody, 0, EventType::kSyscallExit, 0, -11},
            {54, 0, kNobody, 0, EventType::kExec, 0, 0},
            {60, 0, kNobody, 0, EventType::kExit, 0, 0},
            {61, 0, kNobody, 0, EventType::kSwitch, dead, 0},
        }};
        sink.consume(std::span(records).first(14));
        sink.rename_task(0, "c");
        sink.consume(std::span(records).subspan(14));
        sink.finish(61);
    };
    test::TraceCapture run;
    play(run);
    TraceQuality quality;
    const test::TraceCapture again = read_back(written(play), quality);
    ASSERT_EQ(again.records.size(), run.records.size());
    for (std::size_t i = 0; i < run.records.size(); ++i) {
        EXPECT_EQ(again.records[i].type, run.records[i].type) << i;
        EXPECT_EQ(again.records[i].ns, run.records[i].ns) << i;
        EXPECT_EQ(again.records[i].cpu, run.records[i].cpu) << i;
        EXPECT_EQ(again.records[i].payload, run.records[i].payload) << i;
        EXPECT_TRUE(i == 0 || again.records[i].flags == run.records[i].flags) << i;
    }
    std::set<std::int32_t> pids;
    for (const auto& [task, pid] : again.pids) pids.insert(pid);
    EXPECT_TRUE(pids.contains(4711) && pids.contains(4712));
    const auto first = again.records[0].arg;
    EXPECT_EQ(again.pids.at(first), 4711);
    EXPECT_EQ(again.names.at(first), "c");
}

TEST(PerfettoWriter, LossesStayLosses) {
    const auto play = [](TraceSink& sink) {
        TraceInfo info;
        info.cpus = 1;
        info.task_names = {"a", "b"};
        sink.begin(info);
        const auto blocked = static_cast<std::uint32_t>(PrevState::kBlocked);
        const std::array<TraceRecord, 4> records = {{
            {10, kNobody, 0, 0, EventType::kSwitch, 0, 0},
            {20, 0, kNobody, 0, EventType::kSwitch, blocked, 0},
            {30, kNobody, kNobody, 0, EventType::kLost, 0, 17},
            {40, kNobody, 1, 0, EventType::kSwitch, 0, 0},
        }};
        sink.consume(records);
        sink.finish(40);
    };
    TraceQuality quality;
    const test::TraceCapture again = read_back(written(play), quality);
    EXPECT_EQ(quality.gaps, 1u);
    ASSERT_EQ(again.records.size(), 4u);
    EXPECT_EQ(again.records[2].type, EventType::kLost);
    EXPECT_EQ(again.records[2].ns, 40);  // known to lie before the next event, not where
}

}  // namespace
}  // namespace wakelab::trace
