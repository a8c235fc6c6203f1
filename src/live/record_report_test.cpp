#include <gtest/gtest.h>

#include "live/record.hpp"

namespace wakelab::live {

// 2 s on 4 CPUs are 8 s of machine: 0.04 s of recorder are 0.5 %, 1 000 000 events of 200 ns 2.5 %.
TEST(RecordReport, PutsLossesAndOverheadNextToTheCount) {
    RecordReport r;
    r.output = "t.dat";
    r.ended_by = "the command ended";
    r.has_command = true;
    r.command_end = "exit 0";
    r.duration_ns = r.kept_ns = 2'000'000'000;
    r.events = 1'000'000;
    r.file_bytes = 54'000'000;
    r.lost = {0, 12};
    r.cpus = 4;
    r.recorder_cpu_ns = 40'000'000;
    r.ns_per_event = 200;
    EXPECT_EQ(report_text(r),
              "t.dat: 1000000 events in 2.000 s (500000 per second), 54 MB, 54 bytes each\n"
              "12 events lost, CPU 1: 12; a larger --buffer loses fewer\n"
              "overhead: recorder 0.040 s of CPU, 0.50 % of the machine; events 0.200 s, 2.50 % "
              "(200 ns each, "
              "measured by --calibrate)\n"
              "ended by the command ended; command: exit 0\n");
}

TEST(RecordReport, RefusesTimesThatEndBeforeTheyBegin) {
    RecordOptions options;
    options.duration = Duration{0};
    const auto r = record(options);
    ASSERT_FALSE(r);
    EXPECT_EQ(r.error().message, "--duration: expected more than 0");
    EXPECT_FALSE(parse_backend("ftrace"));
    EXPECT_TRUE(parse_backend("tracefs"));
}

}  // namespace wakelab::live
