#include "trace/threaded_sink.hpp"

#include <gtest/gtest.h>

#include "support/trace_capture.hpp"

namespace wakelab::trace {
namespace {

// 100 chunks of 1..100 records, a task announced before each: far more than may wait at once.
void feed(TraceSink& sink) {
    TraceInfo info;
    info.cpus = 2;
    sink.begin(info);
    for (std::uint32_t chunk = 0; chunk < 100; ++chunk) {
        sink.add_task(chunk, "task");
        sink.rename_task(chunk, "renamed-" + std::to_string(chunk));
        sink.describe_task(chunk, {.pid = static_cast<std::int32_t>(chunk + 7), .tgid = -1, .allowed = {}});
        std::vector<TraceRecord> records(chunk + 1);
        for (TraceRecord& r : records)
            r = {.ns = chunk, .task = chunk, .arg = kNobody, .cpu = 0, .type = EventType::kExit,
                 .flags = 0, .payload = 0};
        sink.consume(records);
    }
    sink.add_cpus(4);
    sink.finish(100);
}

TEST(ThreadedSink, TheSinkSeesEveryCallInItsOrder) {
    test::TraceCapture direct, threaded;
    feed(direct);
    {
        ThreadedSink sink(threaded);
        feed(sink);
        EXPECT_EQ(threaded.finishes, 1);  // finish() waits for the sink
    }
    ASSERT_EQ(threaded.records.size(), 5050u);
    ASSERT_EQ(threaded.records.size(), direct.records.size());
    for (std::size_t i = 0; i < direct.records.size(); ++i)
        ASSERT_EQ(threaded.records[i].task, direct.records[i].task) << i;
    EXPECT_EQ(threaded.names, direct.names);
    EXPECT_EQ(threaded.pids, direct.pids);
    EXPECT_EQ(threaded.cpus, 4u);
    EXPECT_EQ(threaded.end_ns, 100);
    EXPECT_EQ(threaded.begins, 1);
}

TEST(ThreadedSink, AReaderThatGivesUpLeavesNothingBehind) {
    test::TraceCapture capture;
    {
        ThreadedSink sink(capture);
        sink.begin({});
        sink.consume(std::vector<TraceRecord>(3));
    }
    EXPECT_EQ(capture.records.size(), 3u);
    EXPECT_EQ(capture.finishes, 0);
}

}  // namespace
}  // namespace wakelab::trace
