#include <gtest/gtest.h>

#include "support/trace_capture.hpp"
#include "trace/translator.hpp"

namespace wakelab::trace {

namespace {

KernelEvent switch_at(std::int64_t ns, std::int32_t from, std::int32_t to) {
    KernelEvent e;
    e.ns = ns;
    e.type = KernelEventType::kSwitch;
    e.pid = from;
    e.other_pid = to;
    e.value = static_cast<std::int64_t>(PrevState::kBlocked);
    return e;
}

struct FactCapture final : TraceSink {
    TraceInfo info;
    std::vector<std::int32_t> tgids;  // by task, latest
    void begin(const TraceInfo& i) override { info = i; }
    void describe_task(std::uint32_t task, const TaskFacts& facts) override {
        tgids.resize(std::max<std::size_t>(tgids.size(), task + 1), -2);
        tgids[task] = facts.tgid;
    }
    void consume(std::span<const TraceRecord>) override {}
};

}  // namespace

// Relative windows count from the first event, so names that come before it must not begin the
// stream.
TEST(TranslatorDescribe, WaitsForTheFirstEvent) {
    FactCapture sink;
    TraceQuality quality;
    Translator translator(sink, quality, {.from_ns = 5, .to_ns = {}});
    translator.describe("server", {.pid = 7, .tgid = 70, .allowed = {}});
    translator.describe("", {.pid = 7, .tgid = -1, .allowed = topo::CpuMask::first_n(2)});
    translator.add(switch_at(1000, 0, 7));
    translator.finish();
    EXPECT_EQ(sink.info.start_ns, 1005);
    EXPECT_EQ(sink.tgids, (std::vector<std::int32_t>{70}));
}

TEST(TranslatorDescribe, TellsOfTasksInAFileWithoutEvents) {
    test::TraceCapture sink;
    TraceQuality quality;
    Translator translator(sink, quality);
    translator.describe("server", {.pid = 7, .tgid = 70, .allowed = {}});
    translator.finish();
    EXPECT_EQ(sink.begins, 1);
    EXPECT_EQ(sink.names[0], "server");
}

// A fork gives its child a new task, and what was seen of that pid at the end is told of the child.
TEST(TranslatorDescribe, ExpectedFactsBelongToTheTaskThatIsForkedLater) {
    FactCapture sink;
    TraceQuality quality;
    Translator translator(sink, quality);
    translator.expect({.pid = 9, .tgid = 90, .allowed = {}});
    translator.add(switch_at(1000, 0, 7));
    KernelEvent fork;
    fork.ns = 1001;
    fork.type = KernelEventType::kFork;
    fork.pid = 7;
    fork.other_pid = 9;
    translator.add(fork);
    translator.finish();
    EXPECT_EQ(sink.tgids, (std::vector<std::int32_t>{-1, 90}));  // task 0 is pid 7: nothing known
}

}  // namespace wakelab::trace
