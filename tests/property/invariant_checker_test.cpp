// The checker itself: a correct story passes, each kind of broken one is noticed.
#include "property/invariant_checker.hpp"

#include <gtest/gtest.h>

namespace wakelab::property {
namespace {

using trace::EventType;
using trace::kNobody;
using trace::PrevState;
using trace::TraceRecord;

// Two CPUs, tasks "a" (anywhere) and "b" (CPU 0 only).
class Story {
 public:
    Story() {
        trace::TraceInfo info;
        info.cpus = 2;
        info.task_names = {"a", "b"};
        info.allowed = {topo::CpuMask::first_n(2), topo::CpuMask::of_word(0b01)};
        checker_.begin(info);
    }
    Story& wake(std::int64_t ns, std::uint32_t task, std::uint16_t cpu) {
        return add({ns, kNobody, task, cpu, EventType::kWakeup, 0, 0});
    }
    Story& change(std::int64_t ns, std::uint16_t cpu, std::uint32_t prev, std::uint32_t next,
                  PrevState state = PrevState::kBlocked) {
        return add({ns, prev, next, cpu, EventType::kSwitch, static_cast<std::uint32_t>(state), 0});
    }
    Story& migrate(std::int64_t ns, std::uint32_t task, std::int64_t from, std::uint16_t to) {
        return add({ns, kNobody, task, to, EventType::kMigrate, 0, from});
    }
    const InvariantChecker& told(std::int64_t end_ns) {
        checker_.finish(end_ns);
        return checker_;
    }
    std::size_t violations() { return told(1000).violations().size(); }

 private:
    Story& add(const TraceRecord& record) {
        checker_.consume({&record, 1});
        return *this;
    }
    InvariantChecker checker_;
};

// a: woken at 100, runs 110 .. 150 on CPU 0, preempted by b, pulled to CPU 1, runs there 170 ..
// 200. CPU 0: busy 110 .. 180; CPU 1: busy 170 .. 200. a waited 10 and 20 ns.
TEST(InvariantChecker, AddsUpACorrectStory) {
    Story story;
    story.wake(100, 0, 0).change(110, 0, kNobody, 0).wake(140, 1, 0);
    story.change(150, 0, 0, 1, PrevState::kPreemptedByWakeup);
    story.migrate(160, 0, 0, 1).change(170, 1, kNobody, 0).change(180, 0, 1, kNobody);
    const InvariantChecker& c = story.told(200);
    EXPECT_TRUE(c.violations().empty()) << c.violations().front();
    EXPECT_EQ(c.ran_ns(0), 40 + 30);
    EXPECT_EQ(c.ran_ns(1), 30);
    EXPECT_EQ(c.busy_ns(0), 70);
    EXPECT_EQ(c.idle_ns(0), 130);
    EXPECT_EQ(c.busy_ns(1), 30);
    EXPECT_EQ(c.longest_wait_ns(), 20);
    EXPECT_EQ(c.longest_waiter(), "a");
}

TEST(InvariantChecker, NoticesATaskOnTwoCpus) {
    EXPECT_GT(Story().wake(1, 0, 0).change(2, 0, kNobody, 0).change(3, 1, kNobody, 0).violations(),
              0u);
}

TEST(InvariantChecker, NoticesTwoTasksOnOneCpu) {
    Story story;
    story.wake(1, 0, 0).wake(1, 1, 0).change(2, 0, kNobody, 0);
    EXPECT_GT(story.change(3, 0, kNobody, 1).violations(), 0u);
}

TEST(InvariantChecker, NoticesForbiddenCpus) {
    EXPECT_GT(Story().wake(1, 1, 1).violations(), 0u);
    EXPECT_GT(Story().wake(1, 1, 0).migrate(2, 1, 0, 1).violations(), 0u);
}

TEST(InvariantChecker, NoticesASleeperThatRuns) {
    EXPECT_GT(Story().change(2, 0, kNobody, 0).violations(), 0u);
}

TEST(InvariantChecker, NoticesATaskTakenFromAnotherQueue) {
    EXPECT_GT(Story().wake(1, 0, 0).change(2, 1, kNobody, 0).violations(), 0u);
}

TEST(InvariantChecker, NoticesASecondWakeUp) {
    EXPECT_GT(Story().wake(1, 0, 0).wake(2, 0, 0).violations(), 0u);
}

// Woken at 1, never run: at 1000 it has waited 999 ns.
TEST(InvariantChecker, CountsTheWaitOfAForgottenTask) {
    EXPECT_EQ(Story().wake(1, 0, 0).told(1000).longest_wait_ns(), 999);
}

}  // namespace
}  // namespace wakelab::property
