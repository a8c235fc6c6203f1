#include "work/rtapp/rtapp_model.hpp"

#include <gtest/gtest.h>

namespace wakelab::work::rtapp {
namespace {

using policy::SchedPolicy;

Model parsed(std::string_view text) {
    auto model = parse_model(text, "f.json");
    EXPECT_TRUE(model) << model.error().message;
    return model ? *model : Model{};
}

std::string error_of(std::string_view text) {
    const auto model = parse_model(text, "f.json");
    EXPECT_FALSE(model) << text;
    return model ? "" : model.error().message;
}

// A file with one task "t" of these members.
std::string task(std::string_view members) {
    return "{\"tasks\": {\"t\": {\n" + std::string(members) + "\n}}}";
}
TaskModel parsed_task(std::string_view members) {
    return parsed(task(members)).tasks.at(0);
}

TEST(RtappModel, EventsInATaskAreOnePhaseForEver) {
    const TaskModel t = parsed_task("\"run\": 20, \"sleep\": 80");
    EXPECT_EQ(t.name, "t");
    EXPECT_EQ(t.instances, 1);
    EXPECT_EQ(t.delay, 0_us);
    EXPECT_EQ(t.loop, kForever);
    ASSERT_EQ(t.phases.size(), 1u);
    EXPECT_EQ(t.phases[0].loop, 1);
    ASSERT_EQ(t.phases[0].events.size(), 2u);
    EXPECT_EQ(t.phases[0].events[0].kind, EventKind::kRun);
    EXPECT_EQ(t.phases[0].events[0].duration, 20_us);
    EXPECT_EQ(t.phases[0].events[1].kind, EventKind::kSleep);
}

TEST(RtappModel, LoopBesideEventsBoundsThePasses) {
    const TaskModel t = parsed_task("\"loop\": 5, \"run\": 20");
    EXPECT_EQ(t.loop, 1);
    EXPECT_EQ(t.phases[0].loop, 5);
    EXPECT_EQ(parsed_task("\"loop\": -1, \"run\": 20").phases[0].loop, kForever);
}

TEST(RtappModel, PhasesRunForEverUnlessTheTaskHasALoop) {
    const std::string phases =
        "\"phases\": {\"a\": {\"run\": 1}, \"b\": {\"loop\": 7, \"run\": 2}}";
    EXPECT_EQ(parsed_task(phases).loop, kForever);
    const TaskModel t = parsed_task("\"loop\": 3, " + phases);
    EXPECT_EQ(t.loop, 3);
    ASSERT_EQ(t.phases.size(), 2u);
    EXPECT_EQ(t.phases[0].loop, 1);
    EXPECT_EQ(t.phases[1].loop, 7);
}

TEST(RtappModel, EventsAreRecognisedByPrefixInOrder) {
    const TaskModel t = parsed_task(
        "\"run0\": 1, \"runtime_a\": 2, \"sleep\": 3, \"yield\", \"run0\": 4, \"yieldx\": \"any\"");
    const EventKind kinds[] = {EventKind::kRun,   EventKind::kRuntime, EventKind::kSleep,
                               EventKind::kYield, EventKind::kRun,     EventKind::kYield};
    ASSERT_EQ(t.phases[0].events.size(), 6u);
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(t.phases[0].events[i].kind, kinds[i]) << i;
}

TEST(RtappModel, UniqueTimersBelongToTheTaskOthersToAll) {
    const Model m = parsed(
        "{\"tasks\": {\"a\": {\"timer0\": {\"ref\": \"unique\", \"period\": 10},"
        "\"timer1\": {\"ref\": \"unique\", \"period\": 20},"
        "\"timer2\": {\"ref\": \"uniqueB\", \"period\": 30},"
        "\"timer3\": {\"ref\": \"tick\", \"period\": 40}},"
        "\"b\": {\"timer\": {\"ref\": \"tick\", \"period\": 50, \"mode\": \"absolute\"},"
        "\"timer_none\": {\"period\": 60}}}}");
    EXPECT_EQ(m.tasks[0].unique_timers.size(), 2u);
    EXPECT_EQ(m.tasks[1].unique_timers.size(), 0u);
    ASSERT_EQ(m.shared_timers.size(), 2u);
    EXPECT_EQ(m.shared_timers[0].ref, "tick");
    EXPECT_TRUE(m.shared_timers[0].absolute) << "one use says so";
    EXPECT_FALSE(m.shared_timers[1].absolute) << "relative is the default";
    const auto& a = m.tasks[0].phases[0].events;
    EXPECT_TRUE(a[0].unique && a[1].unique && a[2].unique && !a[3].unique);
    EXPECT_EQ(a[1].timer, a[0].timer);
    EXPECT_NE(a[2].timer, a[0].timer);
    EXPECT_EQ(a[1].duration, 20_us);
    EXPECT_EQ(m.tasks[1].phases[0].events[0].timer, a[3].timer);
}

TEST(RtappModel, PolicyAndPriorityHaveDefaultsOfTheirPolicy) {
    const Sched other{};
    const Sched fifo10{.policy = SchedPolicy::kFifo, .nice = 0, .rt_priority = 10};
    EXPECT_EQ(parsed_task("\"run\": 1").sched, other);
    EXPECT_EQ(parsed_task("\"policy\": \"SCHED_FIFO\", \"run\": 1").sched, fifo10);
    const Sched batch{.policy = SchedPolicy::kBatch, .nice = -5, .rt_priority = 0};
    EXPECT_EQ(parsed_task("\"policy\": \"SCHED_BATCH\", \"priority\": -5, \"run\": 1").sched,
              batch);
    const Model m = parsed(
        "{\"tasks\": {\"a\": {\"run\": 1}, \"b\": {\"priority\": 20, \"run\": 1}},"
        "\"global\": {\"default_policy\": \"SCHED_RR\"}}");
    EXPECT_EQ(m.tasks[0].sched, (Sched{.policy = SchedPolicy::kRr, .nice = 0, .rt_priority = 10}));
    EXPECT_EQ(m.tasks[1].sched, (Sched{.policy = SchedPolicy::kRr, .nice = 0, .rt_priority = 20}));
}

// Phase b has no policy: what was set before stays. Phase c has only a priority: policy of phase a.
TEST(RtappModel, PhasesChangePolicyOnlyWhenTheySayso) {
    const TaskModel t = parsed_task(
        "\"phases\": {\"a\": {\"policy\": \"SCHED_FIFO\", \"run\": 1}, \"b\": {\"run\": 1},"
        "\"c\": {\"priority\": 50, \"run\": 1}}");
    EXPECT_EQ(t.sched, Sched{});
    EXPECT_EQ(t.phases[0].sched,
              (Sched{.policy = SchedPolicy::kFifo, .nice = 0, .rt_priority = 10}));
    EXPECT_FALSE(t.phases[1].sched);
    EXPECT_EQ(t.phases[2].sched,
              (Sched{.policy = SchedPolicy::kFifo, .nice = 0, .rt_priority = 50}));
}

TEST(RtappModel, CpusOnTaskAndPhase) {
    const TaskModel t = parsed_task(
        "\"cpus\": [2],\n\"phases\": {\"a\": {\"cpus\": [0, 3], \"run\": 1}, \"b\": {\"run\": 1}}");
    EXPECT_EQ(t.cpus->mask, topo::CpuMask::of_word(0b100));
    EXPECT_EQ(t.cpus->line, 2);
    EXPECT_EQ(t.phases[0].cpus->mask, topo::CpuMask::of_word(0b1001));
    EXPECT_EQ(t.phases[0].cpus->line, 3);
    EXPECT_FALSE(t.phases[1].cpus);
}

TEST(RtappModel, GlobalSettings) {
    const Model m = parsed(
        "{\"tasks\": {\"t\": {\"instance\": 3, \"delay\": 1500, \"run\": 1}}, \"resources\": "
        "{\"m\": {}},"
        "\"global\": {\"duration\": 6, \"calibration\": \"CPU0\", \"cumulative_slack\": true,"
        "\"pi_enabled\": false, \"lock_pages\": false, \"logdir\": \"./\", \"log_basename\": \"x\","
        "\"log_size\": 2, \"ftrace\": \"main,task\", \"gnuplot\": true, \"io_device\": "
        "\"/dev/null\","
        "\"mem_buffer_size\": 4096}}");
    EXPECT_EQ(m.duration, 6_s);
    EXPECT_TRUE(m.cumulative_slack);
    EXPECT_EQ(m.tasks[0].instances, 3);
    EXPECT_EQ(m.tasks[0].delay, 1500_us);
    EXPECT_FALSE(parsed(task("\"run\": 1")).duration);
    EXPECT_FALSE(
        parsed("{\"tasks\": {\"t\": {\"run\": 1}}, \"global\": {\"duration\": -1}}").duration);
}

TEST(RtappModel, TasksAndPhasesMayRepeatTheirNames) {
    const Model m = parsed(
        "{\"tasks\": {\"t\": {\"run\": 1}, \"t\": {\"phases\": {\"a\": {\"run\": 2}, \"a\": "
        "{\"run\": 3}}}}}");
    ASSERT_EQ(m.tasks.size(), 2u);
    EXPECT_EQ(m.tasks[1].phases[1].events[0].duration, 3_us);
}

TEST(RtappModel, RefusesEventsThatAreNotModelled) {
    EXPECT_EQ(error_of(task("\"run\": 1,\n\"lock\": \"m\"")),
              "f.json:3: event 'lock' is not supported yet; supported: run, runtime, sleep, timer, "
              "yield");
    for (const std::string key :
         {"lock", "unlock", "wait", "signal", "broad", "sync", "suspend", "resume", "memrun",
          "mem1", "iorun", "barrier", "fork", "sem_post", "sem_wait"})
        EXPECT_EQ(error_of(task("\"" + key + "\"")),
                  "f.json:2: event '" + key +
                      "' is not supported yet; supported: run, runtime, sleep, timer, yield");
}

TEST(RtappModel, RefusesSettingsThatAreNotModelled) {
    for (const std::string key : {"dl-runtime", "dl-period", "dl-deadline", "deadline",
                                  "nodes_membind", "util_min", "util_max", "taskgroup"})
        EXPECT_EQ(error_of(task("\"run\": 1,\n\"" + key + "\": 1")),
                  "f.json:3: '" + key +
                      "' is not supported yet; supported: instance, delay, loop, phases, policy, "
                      "priority, "
                      "cpus, events");
    EXPECT_EQ(error_of(task("\"phases\": {\"p\": {\"run\": 1, \"util_max\": 1}}")),
              "f.json:2: 'util_max' is not supported yet; supported: loop, policy, priority, cpus, "
              "events");
    EXPECT_EQ(error_of(task("\"policy\": \"SCHED_DEADLINE\", \"run\": 1")),
              "f.json:2: SCHED_DEADLINE is not supported yet; supported: SCHED_OTHER, SCHED_BATCH, "
              "SCHED_IDLE, SCHED_RR, SCHED_FIFO");
}

TEST(RtappModel, UnknownNamesGetTheNearest) {
    EXPECT_EQ(error_of(task("\"run\": 1,\n\"lop\": 1")),
              "f.json:3: 't' has no 'lop'; did you mean loop, run or sleep?");
    EXPECT_EQ(error_of("{\"tasks\": {},\n\"globl\": {}}"),
              "f.json:2: unknown section 'globl'; did you mean global, tasks or resources?");
    EXPECT_EQ(error_of("{\"global\": {\n\"duraton\": 1}}"),
              "f.json:2: 'global' has no 'duraton'; did you mean duration, frag or ftrace?");
    EXPECT_EQ(
        error_of(task("\"policy\": \"SCHED_FIF\", \"run\": 1")),
        "f.json:2: 'policy': 'SCHED_FIF' is not a policy; did you mean SCHED_FIFO, SCHED_RR or "
        "SCHED_IDLE?");
    EXPECT_EQ(error_of(task("\"timer\": {\"ref\": \"unique\", \"perid\": 5}")),
              "f.json:2: a timer has no 'perid'; did you mean period, ref or mode?");
    EXPECT_EQ(error_of(task("\"phases\": {\"p\": {\"delay\": 1, \"run\": 1}}")),
              "f.json:2: 'p' has no 'delay'; did you mean policy, yield or cpus?");
}

TEST(RtappModel, RefusesWhatWouldDoNothing) {
    EXPECT_EQ(error_of("{\n\"global\": {}}"), "f.json:1: there is no section 'tasks'");
    EXPECT_EQ(error_of("{\n\"tasks\": {}}"), "f.json:2: 'tasks' defines no thread to run");
    EXPECT_EQ(error_of(task("\"instance\": 0, \"run\": 1")),
              "f.json:1: 'tasks' defines no thread to run");
    EXPECT_EQ(error_of(task("\"loop\": 1")), "f.json:1: 't' has no events, so it would do nothing");
    EXPECT_EQ(error_of(task("\"phases\": {\n\"p\": {\"loop\": 2}}")),
              "f.json:3: 'p' has no events, so it would do nothing");
    EXPECT_EQ(error_of(task("\"phases\": {}")), "f.json:2: 'phases' is empty");
    EXPECT_EQ(error_of(task("\"phases\": {\"p\": {\"run\": 1}},\n\"sleep\": 1")),
              "f.json:3: event 'sleep' beside 'phases' would never run; move it into a phase");
}

TEST(RtappModel, RefusesValuesOutOfRange) {
    EXPECT_EQ(error_of(task("\"run\": -1")),
              "f.json:2: 'run': expected an integer 0 .. 2147483647 us, found -1");
    EXPECT_EQ(error_of(task("\"run\": 1.5")),
              "f.json:2: 'run': expected an integer 0 .. 2147483647 us, found 1.5");
    EXPECT_EQ(error_of(task("\"run\"")),
              "f.json:2: 'run': expected an integer 0 .. 2147483647 us, found nothing");
    EXPECT_EQ(error_of(task("\"sleep\": 3000000000")),
              "f.json:2: 'sleep': expected an integer 0 .. 2147483647 us, found 3000000000");
    EXPECT_EQ(error_of(task("\"loop\": 0, \"run\": 1")),
              "f.json:2: 'loop': expected -1 (for ever) or an integer 1 .. 2147483647, found 0");
    EXPECT_EQ(error_of(task("\"instance\": -1, \"run\": 1")),
              "f.json:2: 'instance': expected an integer 0 .. 100000, found -1");
    EXPECT_EQ(error_of(task("\"priority\": 20, \"run\": 1")),
              "f.json:2: 'priority': expected an integer -20 .. 19, found 20");
    EXPECT_EQ(error_of(task("\"policy\": \"SCHED_RR\", \"priority\": 0, \"run\": 1")),
              "f.json:2: 'priority': expected an integer 1 .. 99, found 0");
    EXPECT_EQ(error_of(task("\"cpus\": [1024], \"run\": 1")),
              "f.json:2: 'cpus': expected an integer 0 .. 1023, found 1024");
    EXPECT_EQ(error_of(task("\"cpus\": [], \"run\": 1")),
              "f.json:2: 'cpus' is empty: nowhere to run");
    EXPECT_EQ(error_of(task("\"timer\": {\"ref\": \"unique\"}")),
              "f.json:2: 'timer' needs a period in us");
    EXPECT_EQ(error_of(task("\"timer\": {\"period\": 5, \"mode\": \"abs\"}")),
              "f.json:2: a timer's mode is \"relative\" or \"absolute\"");
}

TEST(RtappModel, BoundsTheNumberOfThreads) {
    EXPECT_EQ(error_of("{\"tasks\": {\"a\": {\"instance\": 99999, \"run\": 1},\n"
                       "\"b\": {\"instance\": 2, \"run\": 1}}}"),
              "f.json:2: more than 100000 threads");
}

TEST(RtappModel, RefusesWrongKinds) {
    EXPECT_EQ(error_of("[]"), "f.json:1: expected an object with 'tasks'");
    EXPECT_EQ(error_of("{\"tasks\": []}"),
              "f.json:1: 'tasks': expected an object in braces, found a list");
    EXPECT_EQ(error_of("{\"tasks\": {\"t\": 5}}"),
              "f.json:1: 't': expected an object in braces, found 5");
    EXPECT_EQ(error_of(task("\"timer\": 5")),
              "f.json:2: 'timer': expected an object in braces, found 5");
    EXPECT_EQ(error_of(task("\"policy\": 5, \"run\": 1")),
              "f.json:2: 'policy': expected a string, found 5");
    EXPECT_EQ(error_of("{\"global\": {\"calibration\": true}}"),
              "f.json:1: 'calibration': expected an integer or a string, found true");
    EXPECT_EQ(error_of("{\"tasks\": {\"a b\": {\"run\": 1}}}"),
              "f.json:1: a task needs a name without blanks");
}

TEST(RtappModel, RefusesSettingsGivenTwice) {
    EXPECT_EQ(error_of(task("\"loop\": 1,\n\"run\": 1,\n\"loop\": 2")),
              "f.json:4: 'loop' is given twice (before in line 2)");
    EXPECT_EQ(error_of("{\"tasks\": {},\n\"tasks\": {}}"),
              "f.json:2: 'tasks' is given twice (before in line 1)");
}

}  // namespace
}  // namespace wakelab::work::rtapp
