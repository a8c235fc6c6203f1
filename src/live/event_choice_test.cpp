#include "live/event_choice.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace wakelab::live {

TEST(EventChoice, SchedulerEventsAreAlwaysThereAndNoEventTwice) {
    const auto plain = choose_events({});
    ASSERT_TRUE(plain);
    EXPECT_EQ(plain->size(), 8u);
    EXPECT_EQ((*plain)[0], (EventName{"sched", "sched_switch", true}));
    const auto again = choose_events({"sched", "sched:sched_waking", "sched/sched_switch"});
    ASSERT_TRUE(again);
    EXPECT_EQ(*again, *plain);
}

TEST(EventChoice, AddsGroupsAndSingleEvents) {
    const auto events = choose_events({"syscalls", "sched:sched_stat_runtime"});
    ASSERT_TRUE(events);
    ASSERT_EQ(events->size(), 11u);
    EXPECT_EQ((*events)[9], (EventName{"raw_syscalls", "sys_exit", false}));
    EXPECT_EQ((*events)[10],
              (EventName{"sched", "sched_stat_runtime", true}));  // asked for by name
}

TEST(EventChoice, AnUnknownGroupNamesThoseThereAre) {
    const auto wrong = choose_events({"irqs"});
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().message,
              "--events irqs: expected sched, irq, softirq, idle, frequency, power, ipi, syscalls or "
              "SYSTEM:NAME");
    // Names become paths of tracefs.
    EXPECT_FALSE(choose_events({"..:x"}));
    EXPECT_FALSE(choose_events({"sched:../../tracing_on"}));
    EXPECT_FALSE(choose_events({"sched:"}));
}

}  // namespace wakelab::live
