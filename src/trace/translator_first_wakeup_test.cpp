#include <gtest/gtest.h>

#include "support/trace_capture.hpp"
#include "trace/translator.hpp"

namespace wakelab::trace {
namespace {

// The first waking of a recording could be all there will ever be, so it implies a wakeup on the task's old
// CPU 0. The wakeup that follows says CPU 1: the record tells that, and is inferred no more. Without it the
// switch on CPU 1 would imply a migration that never was.
TEST(Translator, FirstWakeupCorrectsTheCpuOfTheInferredOne) {
    test::TraceCapture capture;
    TraceQuality quality;
    Translator translator(capture, quality);
    translator.set_cpus(2);
    translator.add({.ns = 10, .cpu = 0, .type = KernelEventType::kWaking, .other_pid = 7, .target_cpu = 0});
    translator.add({.ns = 12, .cpu = 1, .type = KernelEventType::kWakeup, .other_pid = 7, .target_cpu = 1});
    translator.add({.ns = 20, .cpu = 1, .type = KernelEventType::kSwitch, .other_pid = 7});
    translator.finish();
    ASSERT_EQ(capture.records.size(), 3u);
    EXPECT_EQ(capture.records[1].type, EventType::kWakeup);
    EXPECT_EQ(capture.records[1].cpu, 1);
    EXPECT_EQ(capture.records[1].flags & kInferred, 0u);
    EXPECT_EQ(quality.inferred_migrations, 0u);
    EXPECT_EQ(quality.inferred_wakeups, 0u);
}

}  // namespace
}  // namespace wakelab::trace
