// perf.data and perf script text, against perf script on the same recording.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>

#include "metrics/run_analysis.hpp"
#include "support/trace_capture.hpp"
#include "trace/formats/format.hpp"

namespace wakelab {
namespace {

using trace::KernelEventType;

const char* const kEvents =
    "sched:sched_switch,sched:sched_waking,sched:sched_wakeup,sched:sched_wakeup_new,"
    "sched:sched_migrate_task,sched:sched_process_fork,sched:sched_process_exec,sched:sched_process_exit";
// Two processes that wake each other.
const char* const kPingPong = " -- perf bench sched pipe -l 500";

// Of this process only: tests run beside each other.
std::string path(const std::string& name) {
    return testing::TempDir() + "wakelab_recording_" + std::to_string(getpid()) + "_" + name;
}

bool run(const std::string& command, const std::string& output = path("log")) {
    return std::system((command + " >> " + output + " 2>> " + path("log")).c_str()) == 0;
}

std::string log() {
    std::ifstream in(path("log"));
    return {std::istreambuf_iterator<char>(in), {}};
}

struct Counts {
    std::map<std::string, std::uint64_t> events;      // "sched_switch"
    std::map<std::int32_t, std::uint64_t> switched_in;  // by pid

    bool operator==(const Counts&) const = default;
};

// By looking for words only: shares no code with the readers.
Counts count_script(const std::string& file) {
    Counts counts;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        const std::size_t at = line.find(" sched:sched_");
        const std::size_t end = line.find(": ", at == line.npos ? 0 : at);
        if (at == line.npos || end == line.npos) continue;
        const std::string event = line.substr(at + 7, end - at - 7);
        if (event == "sched_stat_runtime") continue;
        ++counts.events[event];
        const std::size_t next = line.find(" next_pid=");
        if (event == "sched_switch" && next != line.npos)
            ++counts.switched_in[std::atoi(line.c_str() + next + 10)];
    }
    return counts;
}

struct Read {
    test::TraceCapture capture;
    trace::TraceQuality quality;
    metrics::RunMetrics metrics;
    std::string error;

    explicit Read(const std::string& file) {
        if (Status s = trace::read_trace(file, capture, quality); !s) error = s.error().message;
        metrics::RunAnalysis analysis;
        trace::TraceQuality unused;
        if (Status s = trace::read_trace(file, analysis, unused); s) metrics = analysis.take().metrics;
    }
    [[nodiscard]] std::int64_t lost_with_time() const {
        std::int64_t lost = 0;
        for (const trace::TraceRecord& r : capture.records)
            if (r.type == trace::EventType::kLost) lost += r.payload;
        return lost;
    }
    // Of the events in `wanted`: perf's own records tell of forks and exits that were not asked for.
    [[nodiscard]] Counts counts(const Counts& wanted) const {
        Counts c;
        for (std::size_t t = 0; t < trace::kKernelEventTypeCount; ++t) {
            const auto type = static_cast<KernelEventType>(t);
            const std::string name(to_string(type));
            if (wanted.events.contains(name)) c.events[name] = quality.count(type);
        }
        for (const trace::TraceRecord& r : capture.records)
            if (r.type == trace::EventType::kSwitch)
                ++c.switched_in[r.arg == trace::kNobody ? 0 : capture.pids.at(r.arg)];
        return c;
    }
};

class PerfPipe : public testing::Test {
 protected:
    void SetUp() override {
        if (std::system("command -v perf > /dev/null 2>&1") != 0)
            GTEST_SKIP() << "SKIPPED: perf is not installed (package linux-perf)";
    }
    void TearDown() override {
        for (const char* name : {"log", "perf.data", "perf.data.old", "perf.txt", "pipe.data", "pipe.txt"})
            std::remove(path(name).c_str());
    }
};

class PerfRecording : public PerfPipe, public testing::WithParamInterface<const char*> {};

TEST_P(PerfRecording, HasTheCountsOfPerfScript) {
    const std::string data = path("perf.data"), text = path("perf.txt");
    const std::string how = GetParam();
    const std::string command = how.find("sched record") != how.npos
                                    ? how + " -o " + data + kPingPong
                                    : how + " -a -e " + kEvents + " -o " + data + kPingPong;
    if (!run(command)) GTEST_SKIP() << "SKIPPED: perf cannot record here: " << log();
    std::remove(text.c_str());
    ASSERT_TRUE(run("perf script --ns --show-lost-events -F comm,tid,cpu,time,event,trace -i " + data, text))
        << log();

    const Counts expected = count_script(text);
    ASSERT_GT(expected.events.at("sched_switch"), 500u) << log();
    const Read from_data(data), from_text(text);
    ASSERT_EQ(from_data.error, "");
    ASSERT_EQ(from_text.error, "");
    EXPECT_EQ(from_data.counts(expected).events, expected.events);
    EXPECT_EQ(from_data.counts(expected).switched_in, expected.switched_in);
    EXPECT_EQ(from_text.counts(expected).events, expected.events);
    EXPECT_EQ(from_text.counts(expected).switched_in, expected.switched_in);
    EXPECT_EQ(from_data.quality.damaged, 0u);
    EXPECT_EQ(from_text.quality.damaged, 0u);
    EXPECT_EQ(from_data.quality.out_of_order, 0u);
    // perf.data may know of more: totals at its end, of losses that no later event of the CPU tells.
    EXPECT_EQ(from_data.lost_with_time(), from_text.lost_with_time());
    EXPECT_GE(from_data.quality.lost_events, from_text.quality.lost_events);
    EXPECT_EQ(from_text.quality.resolution_ns, 1);

    const metrics::RunMetrics &d = from_data.metrics, &t = from_text.metrics;
    EXPECT_EQ(d.switches, t.switches);
    EXPECT_EQ(d.wakeups, t.wakeups);
    EXPECT_EQ(d.wake_migrations, t.wake_migrations);
    EXPECT_EQ(d.balance_migrations, t.balance_migrations);
    EXPECT_EQ(d.preemptions.total(), t.preemptions.total());
    EXPECT_EQ(d.wakeup_latency.count(), t.wakeup_latency.count());
    for (const double q : {0.5, 0.9, 0.99, 1.0})
        EXPECT_EQ(d.wakeup_latency.quantile_ns(q), t.wakeup_latency.quantile_ns(q)) << q;
    EXPECT_EQ(d.preemption_delay.count(), t.preemption_delay.count());
}

INSTANTIATE_TEST_SUITE_P(Modes, PerfRecording,
                         testing::Values("perf record -q", "perf record -q -z", "perf record -q -g",
                                         "perf record -q -k mono -m 16", "perf sched record -q"));

TEST_F(PerfPipe, HasTheCountsOfPerfScript) {
    const std::string data = path("pipe.data"), text = path("pipe.txt");
    for (const std::string& file : {data, text}) std::remove(file.c_str());
    if (!run("perf record -q -a -e sched:sched_switch,sched:sched_waking -o - -- sleep 0.2", data))
        GTEST_SKIP() << "SKIPPED: perf cannot record here: " << log();
    ASSERT_TRUE(run("perf script --ns -F comm,tid,cpu,time,event,trace -i - < " + data, text)) << log();
    const Counts expected = count_script(text);
    const Read r(data);
    ASSERT_EQ(r.error, "");
    EXPECT_EQ(r.counts(expected), expected);
}

}  // namespace
}  // namespace wakelab
