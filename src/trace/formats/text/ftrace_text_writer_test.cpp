#include "trace/formats/text/ftrace_text_writer.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include "support/random_kernel_events.hpp"
#include "support/trace_capture.hpp"
#include "trace/convert.hpp"
#include "trace/formats/format.hpp"
#include "trace/formats/wktrace/wktrace_writer.hpp"

namespace wakelab::trace {
namespace {

using test::TraceCapture;

std::string temporary(std::string_view name) {
    return testing::TempDir() + "ftrace_writer_test." + std::to_string(::getpid()) + "." +
           std::string(name);
}

std::string content(const std::string& path) {
    std::ostringstream all;
    all << std::ifstream(path, std::ios::binary).rdbuf();
    return all.str();
}

// Numbers of tasks depend on which is met first; process numbers do not. Tasks of the recordings
// here have one for good.
void expect_same(const TraceCapture& a, const TraceCapture& b, std::uint64_t seed) {
    const auto pid = [](const TraceCapture& c, std::uint32_t task) {
        return task == kNobody ? -1 : c.pids.at(task);
    };
    ASSERT_EQ(a.records.size(), b.records.size()) << "seed " << seed;
    for (std::size_t i = 0; i < a.records.size(); ++i) {
        const TraceRecord &x = a.records[i], &y = b.records[i];
        ASSERT_EQ(x.type, y.type) << "seed " << seed << " record " << i;
        // The text of a loss has no time: it gets that of the next event.
        if (x.type != EventType::kLost) {
            ASSERT_EQ(x.ns, y.ns) << "seed " << seed << " record " << i;
        }
        ASSERT_EQ(x.cpu, y.cpu) << "seed " << seed << " record " << i;
        ASSERT_EQ(pid(a, x.task), pid(b, y.task)) << "seed " << seed << " record " << i;
        ASSERT_EQ(pid(a, x.arg), pid(b, y.arg)) << "seed " << seed << " record " << i;
        ASSERT_EQ(x.flags, y.flags)
            << "seed " << seed << " record " << i << " type " << static_cast<int>(x.type);
        ASSERT_EQ(x.payload, y.payload) << "seed " << seed << " record " << i;
    }
}

void round_trip(const test::RandomRecording& options) {
    const std::string own = temporary("own.wkt"), text = temporary("text.txt");
    TraceQuality quality, q;
    auto writer = open_wktrace_writer(own, quality);
    ASSERT_TRUE(writer);
    test::RandomKernelEvents(options).record(**writer, quality);
    ASSERT_TRUE((*writer)->close());
    ASSERT_TRUE(convert(own, text, q));
    TraceCapture a, b;
    TraceQuality qa, qb;
    ASSERT_TRUE(read_trace(own, a, qa));
    ASSERT_TRUE(read_trace(text, b, qb));
    EXPECT_EQ(qb.format, "ftrace text");
    EXPECT_EQ(qb.damaged, 0u);
    EXPECT_EQ(qb.resolution_ns, 1);
    EXPECT_EQ(qa.inferred_migrations, qb.inferred_migrations);
    EXPECT_EQ(qa.inferred_wakeups, qb.inferred_wakeups);
    EXPECT_EQ(qa.gaps, qb.gaps);
    expect_same(a, b, options.seed);
    std::remove(own.c_str());
    std::remove(text.c_str());
}

TEST(FtraceTextWriter, RoundTripKeepsEveryRecord) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) round_trip({.seed = seed, .events = 1500});
}

TEST(FtraceTextWriter, RoundTripOfRecordingsWithOneOfWakingAndWakeup) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        // The move of a queued task right after its waking looks like the choice of its CPU.
        round_trip({.seed = seed, .events = 800, .wakeups = false, .moves = false});
        round_trip({.seed = seed, .events = 800, .wakings = false});
    }
}

TEST(FtraceTextWriter, RoundTripKeepsLosses) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed)
        round_trip({.seed = seed, .events = 1500, .losses = true});
}

TEST(FtraceTextWriter, LooksLikeTheKernels) {
    const std::string path = temporary("look.txt");
    TraceQuality quality;
    auto writer = open_ftrace_text_writer(path, quality);
    ASSERT_TRUE(writer);
    TraceSink& sink = **writer;
    sink.begin({.cpus = 2,
                .task_names = {"a b", "a name longer than fifteen bytes"},
                .start_ns = 0,
                .end_ns = 0,
                .unit = "",
                .allowed = {},
                .cache_of = {}});
    const std::vector<TraceRecord> records = {
        {1'000'000'001, kNobody, 0, 1, EventType::kSwitch,
         static_cast<std::uint32_t>(PrevState::kBlocked), 0},
        {1'000'000'002, 0, 1, 1, EventType::kWaking, kWakeInInterrupt, 0},
        {1'000'000'003, 0, 1, 0, EventType::kWakeup, kWakeInInterrupt, std::int64_t{13}},
        {1'000'000'004, 0, kNobody, 1, EventType::kWorkUnit, 0, 1},
        {1'000'000'005, kNobody, kNobody, 0, EventType::kLost, 0, 3},
        {1'000'000'006, 0, kNobody, 1, EventType::kSwitch,
         static_cast<std::uint32_t>(PrevState::kPreemptedByTick), 0},
    };
    sink.consume(records);
    sink.finish(2'000'000'000);
    ASSERT_TRUE((*writer)->close());
    const std::string all = content(path);
    std::remove(path.c_str());
    EXPECT_EQ(all.substr(0, all.find("\n#  ") + 1),
              "# tracer: nop\n#\n# entries-in-buffer/entries-written: 0/0   #P:2\n#\n");
    EXPECT_EQ(
        all.substr(all.find("          <idle>")),
        "          <idle>-0       [001] .....     1.000000001: sched_switch: prev_comm=swapper/1 "
        "prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=a b next_pid=1 next_prio=120\n"
        "             a b-1       [001] d.h..     1.000000002: sched_waking: comm=a name longer t "
        "pid=2 prio=120 target_cpu=000\n"
        "             a b-1       [001] d.h..     1.000000003: sched_wakeup: comm=a name longer t "
        "pid=2 prio=120 target_cpu=000\n"
        "CPU:0 [LOST 3 EVENTS]\n"
        "             a b-1       [001] .....     1.000000006: sched_switch: prev_comm=a b "
        "prev_pid=1 prev_prio=120 prev_state=R+ ==> next_comm=swapper/1 next_pid=0 "
        "next_prio=120\n");
}

}  // namespace
}  // namespace wakelab::trace
