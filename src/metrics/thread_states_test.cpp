#include "metrics/thread_states.hpp"

#include <gtest/gtest.h>

#include "metrics/record_script.hpp"

namespace wakelab::metrics {
namespace {

using trace::kNobody;
using trace::PrevState;

struct World {
    trace::TraceInfo info = script::info(2, {"a", "b", "c"});
    IdleWatch watch{info};
    ThreadStates states{info, watch};

    Step operator()(const trace::TraceRecord& record) { return states.apply(record); }
};

TEST(ThreadStates, FollowsWakeupRunPreemptionAndSleep) {
    World w;
    w(script::wakeup(10, kNobody, 0, 0));
    EXPECT_EQ(w.states.thread(0).state, ThreadState::kRunnable);
    EXPECT_EQ(w.states.cpu(0).queued, 1u);
    Step in = w(script::run(12, 0, kNobody, 0));
    EXPECT_EQ(in.queued_since_ns, 10);
    EXPECT_EQ(in.queued_by, QueuedBy::kWakeup);
    EXPECT_EQ(w.states.cpu(0).queued, 0u);
    // a wakes b onto its own CPU and is preempted by it after 8 ns.
    EXPECT_TRUE(w(script::wakeup(15, 0, 1, 0)).misplaced);  // CPU 1 was idle
    Step preempt = w(script::run(20, 0, 0, 1, PrevState::kPreemptedByWakeup));
    EXPECT_EQ(preempt.cpu_since_ns, 12);
    EXPECT_EQ(preempt.queued_since_ns, 15);
    EXPECT_EQ(w.states.thread(0).state, ThreadState::kRunnable);
    EXPECT_EQ(w.states.thread(0).queued_by, QueuedBy::kPreemption);
    Step back = w(script::run(30, 0, 1, 0, PrevState::kBlocked));
    EXPECT_EQ(back.queued_since_ns, 20);
    EXPECT_EQ(back.queued_by, QueuedBy::kPreemption);
    EXPECT_EQ(w.states.thread(1).state, ThreadState::kSleeping);
    EXPECT_EQ(w.states.anomalies().total(), 0u);
}

TEST(ThreadStates, MovesQueuedTasksWithTheBalancer) {
    World w;
    w(script::wakeup(1, kNobody, 0, 0));
    w(script::run(2, 0, kNobody, 0));
    w(script::wakeup(3, 0, 1, 0));
    w(script::migrate(9, 1, 0, 1));
    EXPECT_EQ(w.states.cpu(0).queued, 0u);
    EXPECT_EQ(w.states.cpu(1).queued, 1u);
    EXPECT_EQ(w(script::run(11, 1, kNobody, 1)).queued_since_ns, 3);
    EXPECT_EQ(w.states.anomalies().total(), 0u);
}

TEST(ThreadStates, LearnsWhoRanFromTheFirstSwitchOfACpu) {
    World w;
    const Step step = w(script::run(50, 0, 2, kNobody, PrevState::kBlocked));
    EXPECT_EQ(step.cpu_since_ns, 0);
    EXPECT_EQ(w.states.thread(2).state, ThreadState::kSleeping);
    EXPECT_EQ(w.states.anomalies().total(), 0u);
}

TEST(ThreadStates, CountsContradictionsAndBelievesTheLaterRecord) {
    World w;
    w(script::run(1, 0, kNobody, 0));  // never woken: state was unknown
    EXPECT_EQ(w.states.anomalies().total(), 0u);
    w(script::run(2, 0, 0, kNobody, PrevState::kBlocked));
    w(script::run(3, 0, kNobody, 0));  // asleep, no wake-up seen
    EXPECT_EQ(w.states.anomalies().missing_wakeup, 1u);
    EXPECT_FALSE(w(script::wakeup(4, 1, 0, 1)).accepted);  // it runs
    EXPECT_EQ(w.states.anomalies().woken_awake, 1u);
    w(script::run(5, 0, 1, 2, PrevState::kBlocked));  // 1 did not run there
    EXPECT_EQ(w.states.anomalies().wrong_current, 1u);
    EXPECT_EQ(w.states.thread(0).state, ThreadState::kUnknown);
    EXPECT_EQ(w.states.cpu(0).current, 2u);
    w(script::wakeup(6, 2, 1, 0));
    w(script::run(7, 1, kNobody, 1));  // was queued on CPU 0
    EXPECT_EQ(w.states.anomalies().missing_migration, 1u);
    EXPECT_EQ(w.states.cpu(0).queued, 0u);
}

}  // namespace
}  // namespace wakelab::metrics
