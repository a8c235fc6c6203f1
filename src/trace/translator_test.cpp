#include "trace/translator.hpp"

#include <gtest/gtest.h>

#include "support/trace_capture.hpp"

namespace wakelab::trace {

namespace {

using Type = KernelEventType;

// Feeds events and keeps what comes out. Tasks get their numbers in the order in which their pids appear.
class Feed {
 public:
    explicit Feed(std::uint32_t cpus = 2) { translator.set_cpus(cpus); }

    Feed& change(std::int64_t ns, std::uint32_t cpu, std::int32_t prev, std::int32_t next,
                 PrevState state = PrevState::kBlocked) {
        return add({.ns = ns, .cpu = cpu, .type = Type::kSwitch, .pid = prev, .other_pid = next,
                    .value = static_cast<std::int64_t>(state)});
    }
    Feed& wake(Type type, std::int64_t ns, std::uint32_t cpu, std::int32_t waker, std::int32_t wakee,
               std::int32_t target) {
        return add({.ns = ns, .cpu = cpu, .type = type, .pid = waker, .other_pid = wakee,
                    .target_cpu = target});
    }
    Feed& add(const KernelEvent& e) {
        translator.add(e);
        return *this;
    }
    const std::vector<TraceRecord>& records() {
        translator.finish();
        return capture.records;
    }

    test::TraceCapture capture;
    TraceQuality quality;
    Translator translator{capture, quality};
};

constexpr std::uint32_t kFirst = 0, kSecond = 1;

}  // namespace

// The wakeup is recorded on the wakee's CPU 1, where idle runs; who woke stands in the waking on CPU 0.
TEST(Translator, WakerIsTheOneOfTheWaking) {
    Feed feed;
    feed.change(1, 0, 0, 10).change(2, 1, 20, 0);
    feed.wake(Type::kWaking, 5, 0, 10, 20, 1).wake(Type::kWakeup, 6, 1, 0, 20, 1);
    const auto& r = feed.records();
    ASSERT_EQ(r.size(), 4u);
    EXPECT_EQ(r[3].type, EventType::kWakeup);
    EXPECT_EQ(r[3].task, kFirst);
    EXPECT_EQ(r[3].arg, kSecond);
    EXPECT_EQ(r[3].payload >> 32, 1);  // its CPU before
}

// Kernels before 4.3 have no sched_waking: the current task of the wakeup is the waker.
TEST(Translator, WithoutWakingsTheCurrentTaskIsTheWaker) {
    Feed feed;
    feed.change(1, 0, 0, 10).change(2, 1, 20, 0).wake(Type::kWakeup, 6, 0, 10, 20, 1);
    EXPECT_EQ(feed.records()[2].task, kFirst);
}

// Woken between setting its state and leaving the CPU: nothing is placed.
TEST(Translator, WakeupOfARunningTaskIsEarly) {
    Feed feed;
    feed.change(1, 0, 0, 10).change(2, 1, 0, 20);
    feed.wake(Type::kWaking, 5, 0, 10, 20, 1).wake(Type::kWakeup, 6, 0, 10, 20, 1);
    const auto& r = feed.records();
    ASSERT_EQ(r.size(), 4u);
    EXPECT_EQ(r[3].type, EventType::kWakeupEarly);
}

// Queued on CPU 0, comes on CPU 1, and no migration was recorded.
TEST(Translator, SwitchOnAnotherCpuImpliesAMigration) {
    Feed feed;
    feed.change(1, 0, 20, 10).change(2, 1, 10, 0);
    feed.wake(Type::kWakeup, 5, 0, 10, 20, 0).change(7, 1, 0, 20);
    const auto& r = feed.records();
    ASSERT_EQ(r.size(), 5u);
    EXPECT_EQ(r[3].type, EventType::kMigrate);
    EXPECT_EQ(r[3].flags, kInferred);
    EXPECT_EQ(r[3].cpu, 1);
    EXPECT_EQ(r[3].payload, 0);
    EXPECT_EQ(feed.quality.inferred_migrations, 1u);
}

// The kernel tells no reason for a preemption: a task woken onto this CPU while the other ran, and that comes
// next, is it.
TEST(Translator, PreemptionByAWokenTaskIsRecognised) {
    Feed feed;
    feed.change(1, 0, 20, 10).wake(Type::kWakeup, 5, 0, 10, 20, 0);
    feed.change(7, 0, 10, 20, PrevState::kPreemptedOther);
    EXPECT_EQ(feed.records()[2].flags, static_cast<std::uint32_t>(PrevState::kPreemptedByWakeup));
    // 10 was not woken but preempted; when it comes back, that was for another reason.
    feed.capture.records.clear();
    feed.change(9, 0, 20, 10, PrevState::kPreemptedOther);
    EXPECT_EQ(feed.records()[0].flags, static_cast<std::uint32_t>(PrevState::kPreemptedOther));
}

// `perf sched record` records sched_waking and sched_migrate_task, no sched_wakeup: each waking implies a
// wakeup on the CPU where the task was, which the migration that follows corrects to CPU 1.
TEST(Translator, WakingsAloneImplyWakeups) {
    Feed feed;
    feed.change(1, 0, 20, 10);
    feed.wake(Type::kWaking, 5, 0, 10, 20, 0);
    feed.add({.ns = 6, .cpu = 0, .type = Type::kMigrate, .pid = 10, .other_pid = 20, .from_cpu = 0,
              .target_cpu = 1});
    feed.change(9, 1, 0, 20);
    const auto& r = feed.records();
    ASSERT_EQ(r.size(), 4u);
    EXPECT_EQ(r[2].type, EventType::kWakeup);
    EXPECT_EQ(r[2].flags & kInferred, kInferred);
    EXPECT_EQ(r[2].cpu, 1);
    EXPECT_EQ(r[2].payload >> 32, 0);
    EXPECT_EQ(feed.quality.inferred_wakeups, 1u);
    EXPECT_EQ(feed.quality.inferred_migrations, 0u);
}

// The migration comes when the record of the wakeup has gone to the sink: it stays a migration.
TEST(Translator, ALateMigrationIsOneOfItsOwn) {
    Feed feed;
    feed.change(1, 0, 20, 10).wake(Type::kWaking, 5, 0, 10, 20, 0);
    for (int i = 0; i < 5000; ++i) feed.add({.ns = 6, .cpu = 0, .type = Type::kIrqEntry, .pid = 10});
    feed.add({.ns = 7, .cpu = 0, .type = Type::kMigrate, .pid = 10, .other_pid = 20, .target_cpu = 1});
    EXPECT_EQ(feed.records().back().type, EventType::kMigrate);
    EXPECT_EQ(feed.records().back().payload, 0);
}

// The first waking was recorded before sched_wakeup was switched on, so it implied a wakeup. Task 20 has run
// since; the wakeup of its next waking is its own.
TEST(Translator, AWakeupBelongsToTheLatestWaking) {
    Feed feed;
    feed.change(1, 0, 20, 10).wake(Type::kWaking, 5, 0, 10, 20, 0);
    feed.change(6, 0, 10, 20).change(7, 0, 20, 10);
    feed.wake(Type::kWaking, 8, 0, 10, 20, 0).wake(Type::kWakeup, 9, 0, 10, 20, 1);
    const auto& r = feed.records();
    EXPECT_EQ(feed.capture.count(EventType::kWakeup), 2u);
    EXPECT_EQ(r.back().type, EventType::kWakeup);
    EXPECT_EQ(r.back().ns, 9);
    EXPECT_EQ(r.back().cpu, 1);
    EXPECT_EQ(r.back().flags & kInferred, 0u);
}

// A pid that is used again after its task has died is another task.
TEST(Translator, APidIsReusedAfterExit) {
    Feed feed;
    feed.change(1, 0, 0, 20).change(2, 0, 20, 10, PrevState::kDead);
    feed.add({.ns = 3, .cpu = 0, .type = Type::kFork, .pid = 10, .other_pid = 20,
              .other_comm = Comm("child")});
    feed.wake(Type::kWakeupNew, 4, 0, 10, 20, 1);
    const auto& r = feed.records();
    ASSERT_EQ(r.size(), 4u);
    EXPECT_EQ(r[0].arg, kFirst);
    EXPECT_EQ(r[2].arg, 2u);
    EXPECT_EQ(r[3].arg, 2u);
    EXPECT_EQ(feed.capture.names[2], "child");
    EXPECT_EQ(feed.capture.pids[2], 20);
}

// Without the fork event the wakeup of a new task tells the same.
TEST(Translator, AWakeupNewOfADeadPidIsANewTask) {
    Feed feed;
    feed.change(1, 0, 0, 20).change(2, 0, 20, 10, PrevState::kDead);
    feed.wake(Type::kWakeupNew, 4, 0, 10, 20, 1);
    EXPECT_EQ(feed.records()[2].arg, 2u);
}

// After a loss nobody knows what is queued on that CPU: no migration is implied, no preemption explained.
TEST(Translator, NothingIsImpliedAcrossALoss) {
    Feed feed;
    feed.change(1, 0, 20, 10).wake(Type::kWakeup, 5, 0, 10, 20, 0);
    feed.add({.ns = 6, .cpu = 0, .type = Type::kLost, .value = 40});
    feed.change(9, 1, 0, 20);
    const auto& r = feed.records();
    ASSERT_EQ(r.size(), 4u);
    EXPECT_EQ(r[2].type, EventType::kLost);
    EXPECT_EQ(r[2].payload, 40);
    EXPECT_EQ(r[3].type, EventType::kSwitch);
    EXPECT_EQ(feed.quality.lost_events, 40u);
    EXPECT_EQ(feed.quality.gaps, 1u);
    EXPECT_EQ(feed.quality.inferred_migrations, 0u);
}

TEST(Translator, TasksAreRenamed) {
    Feed feed;
    KernelEvent e{.ns = 1, .cpu = 0, .type = Type::kSwitch, .other_pid = 20, .other_comm = Comm("bash")};
    feed.add(e);
    e = {.ns = 2, .cpu = 0, .type = Type::kSwitch, .pid = 20, .comm = Comm("make")};
    feed.add(e);
    feed.records();
    EXPECT_EQ(feed.capture.names[kFirst], "make");
}

// Names that the recorder saw at its end serve only where no event tells one.
TEST(Translator, FallbackNamesAreReplacedByThoseOfEvents) {
    Feed feed;
    feed.translator.set_fallback_name(10, "late");
    feed.translator.set_fallback_name(20, "late");
    feed.translator.set_fallback_name(30, "never seen");
    feed.add({.ns = 1, .cpu = 0, .type = Type::kIrqEntry, .pid = 10});
    feed.add({.ns = 2, .cpu = 0, .type = Type::kSwitch, .pid = 10, .other_pid = 20,
              .other_comm = Comm("event")});
    feed.records();
    EXPECT_EQ(feed.capture.names[kFirst], "late");
    EXPECT_EQ(feed.capture.names[kSecond], "event");
    EXPECT_EQ(feed.capture.names.size(), 2u);
}

TEST(Translator, CpusGrowWithTheEvents) {
    Feed feed(1);
    feed.change(1, 0, 0, 10).change(2, 5, 0, 20);
    feed.wake(Type::kWakeup, 3, 0, 10, 30, 8).wake(Type::kWakeup, 3, 5000, 10, 30, 8);
    feed.records();
    EXPECT_EQ(feed.capture.info.cpus, 1u);
    EXPECT_EQ(feed.capture.cpus, 9u);
    EXPECT_EQ(feed.quality.bad_cpu, 1u);
}

TEST(Translator, EventsThatComeLateAreSimultaneous) {
    Feed feed;
    feed.change(10, 0, 0, 10).change(4, 1, 0, 20).change(11, 0, 10, 0);
    const auto& r = feed.records();
    EXPECT_EQ(r[1].ns, 10);
    EXPECT_EQ(r[2].ns, 11);
    EXPECT_EQ(feed.quality.out_of_order, 1u);
}

// More than a chunk of 4096 records: all arrive, in order, once.
TEST(Translator, HeldBackRecordsArriveInOrder) {
    Feed feed;
    for (int i = 0; i < 10000; ++i) feed.change(i, 0, i % 2 == 0 ? 10 : 20, i % 2 == 0 ? 20 : 10);
    const auto& r = feed.records();
    ASSERT_EQ(r.size(), 10000u);
    for (std::size_t i = 0; i < r.size(); ++i) ASSERT_EQ(r[i].ns, static_cast<std::int64_t>(i));
    EXPECT_EQ(feed.capture.begins, 1);
    EXPECT_EQ(feed.capture.finishes, 1);
}

}  // namespace wakelab::trace
