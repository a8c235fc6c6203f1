#include "metrics/idle_watch.hpp"

#include <gtest/gtest.h>

namespace wakelab::metrics {
namespace {

constexpr auto kPlacement = static_cast<std::size_t>(WaitCause::kPlacement);
constexpr auto kAllBusy = static_cast<std::size_t>(WaitCause::kAllBusy);

trace::TraceInfo two_cpus() {
    trace::TraceInfo info;
    info.cpus = 2;
    info.task_names = {"a", "b", "c"};
    return info;
}

TEST(IdleWatch, CountsWaitsBehindARunningTaskOnly) {
    IdleWatch watch{two_cpus()};
    // CPU 0 wakes from idle with task 0 for 10 ns: it has work, nothing is lost.
    watch.wait_begin(0, 0, WaitCause::kAllBusy);
    watch.advance(10);
    watch.set_running(0, true);
    watch.wait_end(0, 0);
    // Tasks 1 and 2 wait behind task 0 for 100 ns while CPU 1 idles.
    watch.wait_begin(1, 0, WaitCause::kPlacement);
    watch.wait_begin(2, 0, WaitCause::kAllBusy);
    watch.advance(110);
    const IdleWatchTotals& t = watch.totals();
    EXPECT_EQ(t.stuck_time_ns, 100);
    EXPECT_EQ(t.stuck_wait_ns[kPlacement], 100);
    EXPECT_EQ(t.stuck_wait_ns[kAllBusy], 100);
    EXPECT_EQ(t.lost_cpu_ns, 100);       // two tasks, but one idle CPU
    EXPECT_EQ(t.idle_cpu_ns, 10 + 100);  // CPU 1 all the time, CPU 0 never
}

TEST(IdleWatch, StopsCountingWhenTheIdleCpuGetsWork) {
    IdleWatch watch{two_cpus()};
    watch.set_running(0, true);
    watch.wait_begin(1, 0, WaitCause::kPlacement);
    watch.advance(50);
    watch.set_running(1, true);
    watch.advance(80);
    watch.set_running(1, false);
    watch.advance(100);
    watch.wait_end(1, 0);
    watch.advance(200);
    EXPECT_EQ(watch.totals().stuck_time_ns, 50 + 20);
    EXPECT_EQ(watch.totals().idle_cpu_ns, 50 + 20 + 100);
}

TEST(IdleWatch, RespectsAffinity) {
    trace::TraceInfo info = two_cpus();
    info.cpus = 4;
    // a: CPU 0 only; b: CPUs 0 and 1; c: everywhere.
    info.allowed = {topo::CpuMask::of_word(0b0001), topo::CpuMask::of_word(0b0011),
                    topo::CpuMask::of_word(0b1111)};
    IdleWatch watch{info};
    watch.set_running(0, true);
    watch.set_running(1, true);
    EXPECT_FALSE(watch.idle_cpu_for(0));
    EXPECT_FALSE(watch.idle_cpu_for(1));
    EXPECT_TRUE(watch.idle_cpu_for(2));
    watch.wait_begin(0, 0, WaitCause::kAllBusy);
    watch.wait_begin(1, 0, WaitCause::kAllBusy);
    watch.advance(10);
    EXPECT_EQ(watch.totals().stuck_time_ns, 0);  // CPUs 2 and 3 are no help to a and b
    watch.set_running(1, false);
    watch.advance(15);
    EXPECT_EQ(watch.totals().stuck_time_ns, 5);  // b could use CPU 1
    EXPECT_EQ(watch.totals().stuck_wait_ns[kAllBusy], 5);
}

TEST(IdleWatch, CountsNothingBeforeTheStart) {
    trace::TraceInfo info = two_cpus();
    info.start_ns = 1000;
    IdleWatch watch{info};
    watch.set_running(0, true);
    watch.wait_begin(1, 0, WaitCause::kPlacement);
    watch.advance(900);
    EXPECT_EQ(watch.totals().stuck_time_ns, 0);
    watch.advance(1010);
    EXPECT_EQ(watch.totals().stuck_time_ns, 10);
}

}  // namespace
}  // namespace wakelab::metrics
