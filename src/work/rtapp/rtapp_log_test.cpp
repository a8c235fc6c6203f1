#include "work/rtapp/rtapp_log.hpp"

#include <gtest/gtest.h>

#include <array>

namespace wakelab::work::rtapp {
namespace {

PassRecord pass(std::uint32_t thread, std::int64_t run_us, std::int64_t period_us) {
    PassRecord r;
    r.thread = thread;
    r.start = Time{1'000'000};
    r.end = r.start + Duration{period_us * 1000};
    r.run = Duration{run_us * 1000};
    return r;
}

PassRecord timed(std::uint32_t thread, std::int64_t slack_ns, std::int64_t wu_lat_ns) {
    PassRecord r = pass(thread, 10, 100);
    r.timed = true;
    r.slack = Duration{slack_ns};
    r.wu_lat = Duration{wu_lat_ns};
    return r;
}

TEST(RtappLog, KeepsTheOldestAndCountsTheRest) {
    PassLog log(2);
    log.reserve();
    for (std::uint32_t i = 0; i < 5; ++i) log.add(pass(i, 1, 2));
    ASSERT_EQ(log.records().size(), 2u);
    EXPECT_EQ(log.records()[1].thread, 1u);
    EXPECT_EQ(log.dropped(), 3u);
}

// a-0: run (10 + 13) / 2, period (100 + 101) / 2, no timer. b-1: slack -2.04 and 7.0 us, mean 2.48;
// wu_lat 1, 2, 3, 9 us: half of the passes have at most 2.
TEST(RtappLog, SummarisesPerThread) {
    PassLog log(10);
    log.add(pass(0, 10, 100));
    log.add(pass(0, 13, 101));
    log.add(timed(1, 7000, 3000));
    log.add(timed(1, -2040, 1000));
    log.add(timed(1, 7000, 9000));
    log.add(timed(1, -2040, 2000));
    const std::array<std::string, 3> names = {"a-0", "b-1", "never-2"};
    EXPECT_EQ(render_pass_log(log, names),
              "thread    passes       run us    period us    slack min   slack mean   wu_lat p50   "
              "wu_lat max\n"
              "a-0            2         11.5        100.5            -            -            -   "
              "         -\n"
              "b-1            4         10.0        100.0         -2.0          2.5          2.0   "
              "       9.0\n"
              "never-2        0            -            -            -            -            -   "
              "         -\n");
}

TEST(RtappLog, SaysWhatItDoesNotShow) {
    PassLog log(1);
    log.add(pass(0, 1, 2));
    log.add(pass(0, 1, 2));
    const std::array<std::string, 1> names = {"a-0"};
    EXPECT_TRUE(render_pass_log(log, names)
                    .ends_with("the first 1 passes; 1 later ones were not logged\n"));
}

}  // namespace
}  // namespace wakelab::work::rtapp
