// 2.5.21 and 2.5.22: the examples of o1.md 2, 5.1, 7 and 13, and the recorded original
// (o1_seq_2.5.21_hz100, o1_load_balance_2.5.21).
#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <vector>

#include "policy/core.hpp"
#include "policy/o1/conformance.hpp"
#include "policy/o1/early/early_class.hpp"

namespace wakelab::policy::o1::early {
namespace {

using test::Differ;
using test::FakeHost;
using test::json;

constexpr CpuId kCpu{0};

struct World {
    explicit World(std::uint32_t cpus, std::string_view version = "o1-2.5.21")
        : host(cpus),
          sched(version == "o1-2.5.22", config_of(version), test::private_caches(cpus), host) {}

    static SchedulerConfig config_of(std::string_view version) {
        return *configure(**find_scheduler(version), test::private_caches(1), {}, {});
    }
    SchedTask& add(std::uint32_t cpu, int prio = 120) {
        SchedTask& p = tasks.emplace_back();
        p.id = TaskId{static_cast<std::uint32_t>(tasks.size() - 1)};
        p.cpu = CpuId{cpu};
        p.allowed = topo::CpuMask::first_n(static_cast<std::uint32_t>(host.resched_marks.size()));
        sched.attach(p);
        entity_of(p).prio = prio;
        return p;
    }
    // The first one queued on a CPU runs there.
    SchedTask& add_queued(std::uint32_t cpu, int prio = 120, bool expired = false) {
        SchedTask& p = add(cpu, prio);
        RunQueue& rq = sched.state().rqs[cpu];
        (expired ? rq.expired : rq.active)->enqueue(entity_of(p));
        ++rq.nr_running;
        p.on_rq = true;
        p.state = TaskState::kRunning;
        if (rq.curr == nullptr) rq.curr = &entity_of(p);
        return p;
    }

    FakeHost host;
    EarlyClass sched;
    std::deque<SchedTask> tasks;
};

TEST(EarlyTables, SliceAndPriority) {
    const Tables t(100);
    EXPECT_EQ(t.timeslice(100), 30u);  // 1 + 29 * 39 / 39
    EXPECT_EQ(t.timeslice(110), 22u);  // 1 + 29 * 29 / 39 = 1 + 21
    EXPECT_EQ(t.timeslice(120), 15u);  // 1 + 29 * 19 / 39 = 1 + 14
    EXPECT_EQ(t.timeslice(130), 7u);
    EXPECT_EQ(t.timeslice(139), 1u);
    const std::vector<std::pair<std::uint64_t, int>> prios = {
        {0, 125}, {20, 124}, {50, 123}, {99, 121}, {100, 120}, {140, 118}, {199, 116}, {200, 115}};
    for (const auto& [sleep_avg, prio] : prios)
        EXPECT_EQ(t.normal_prio(120, sleep_avg), prio) << sleep_avg;
}

// Tasks CPU 0 pulls from CPU 1 at a busy tick or when idle; nobody moved before.
std::uint32_t pulled(std::uint32_t mine, std::uint32_t theirs, bool idle, bool one_expired) {
    World w(2);
    w.host.jiffy = 1000;
    for (std::uint32_t i = 0; i < mine; ++i) w.add_queued(0);
    for (std::uint32_t i = 0; i < theirs; ++i) w.add_queued(1, 120, one_expired && i + 1 == theirs);
    w.host.jiffy = 1001;  // everybody was switched out a jiffy ago
    for (RunQueue& rq : w.sched.state().rqs) rq.prev_nr_running = {mine, theirs};
    load_balance(w.sched.state(), kCpu, idle);
    return w.sched.nr_running(kCpu) - mine;
}

TEST(EarlyBalance, TakesAtMostTwoTasks) {
    EXPECT_EQ(pulled(1, 2, false, false), 0u);  // imbalance 0 < 1
    EXPECT_EQ(pulled(1, 3, false, false), 1u);  // 1 >= 1
    EXPECT_EQ(pulled(1, 4, false, false), 1u);
    EXPECT_EQ(pulled(1, 5, false, false), 1u);  // 2 >= 2, but the first came from `active`
    EXPECT_EQ(pulled(1, 5, false, true), 2u);
    EXPECT_EQ(pulled(0, 2, true, false), 1u);
    EXPECT_EQ(pulled(0, 1, true, false), 0u);
}

TEST(EarlyBalance, TasksThatForkOrExecStay) {
    World w(2);
    SchedTask& p = w.add_queued(0);
    w.add_queued(0);
    SchedTask child;
    child.allowed = p.allowed;
    EXPECT_EQ(w.sched.fork(&p, child, kCpu), kCpu);
    EXPECT_EQ(w.sched.exec(p), kCpu);
}

TEST(EarlyWake, SyncMovesTheReaderToTheWritersCpuFrom2_5_22) {
    // o1.md 13.6: the reader last ran on CPU 1, the writer on CPU 0 fills the pipe.
    for (const std::string_view version : {"o1-2.5.21", "o1-2.5.22"}) {
        World w(2, version);
        SchedTask& writer = w.add_queued(0, 125);
        SchedTask& reader = w.add(1, 120);
        const WakeResult r =
            try_to_wake_up(w.sched, reader, {.this_cpu = kCpu, .waker = &writer, .sync = true});
        EXPECT_EQ(r.cpu, version == "o1-2.5.22" ? kCpu : CpuId{1});
        EXPECT_TRUE(w.host.need_resched(r.cpu));  // sync does not suppress the check
    }
}

TEST(EarlyWake, PreemptionCheckOfSyncWakeesCanBeOmitted) {
    World w(2, "o1-2.5.22");
    w.sched.state().options.sync_preempt_check = false;
    SchedTask& writer = w.add_queued(0, 125);
    SchedTask& reader = w.add(1, 115);
    try_to_wake_up(w.sched, reader, {.this_cpu = kCpu, .waker = &writer, .sync = true});
    EXPECT_FALSE(w.host.need_resched(kCpu));
}

SchedTask& read_task(World& w, const json& nice, const json& policy) {
    SchedTask& p = w.tasks.emplace_back();
    p.nice = nice;
    p.policy = test::policy_of(policy);
    return p;
}

void check_sequence(const json& c, Differ& differ) {
    World w(1);
    w.host.jiffy = c["jiffies"];
    for (const json& task : c["tasks"]) {
        SchedTask& p = read_task(w, task["nice"], task["policy"]);
        p.id = TaskId{task["id"]};
        p.cpu = kCpu;
        p.rt_priority = task["rt_priority"];
        p.allowed.set(kCpu);
        w.sched.attach(p);
        Entity& e = entity_of(p);
        e.prio = task["prio"];
        e.time_slice = task["time_slice"];
        e.sleep_avg = task["sleep_avg"];
        e.timestamp = task["sleep_timestamp"];
    }
    const json& steps = c["steps"];
    for (std::size_t i = 0; i < steps.size() && differ.text().empty(); ++i) {
        const json& step = steps[i];
        const int op = step[0];
        differ.step(i, op);
        w.host.jiffy = step[1];
        SchedTask* const curr = w.sched.curr(kCpu);
        if (op == 1) try_to_wake_up(w.sched, w.tasks[step[2]], {.this_cpu = kCpu, .waker = curr});
        if (op == 2) w.sched.tick(kCpu);
        if (op == 4 && curr != nullptr) curr->state = TaskState::kInterruptible;
        if (op == 5 && curr != nullptr) w.sched.yield(kCpu);
        if (op >= 3) {
            w.host.resched_marks[0] = false;
            schedule(w.sched, kCpu, curr);
        }
        const RunQueue& rq = w.sched.state().rq(kCpu);
        const SchedTask* next = w.sched.curr(kCpu);
        differ.field("curr", step[3], next != nullptr ? static_cast<int>(next->id.v) : -1);
        differ.field("resched", step[4], w.host.need_resched(kCpu) ? 1 : 0);
        differ.field("expired_timestamp", step[5], rq.expired_timestamp);
        std::string array;
        std::vector<int> prio;
        std::vector<std::uint64_t> slice, sleep_avg;
        for (const SchedTask& p : w.tasks) {
            const Entity& e = entity_of(p);
            array += e.array == nullptr ? '-' : e.array == rq.active ? 'A' : 'E';
            prio.push_back(e.prio);
            slice.push_back(e.time_slice);
            sleep_avg.push_back(e.sleep_avg);
        }
        differ.field("array", step[6], array);
        differ.field("prio", step[7], prio);
        differ.field("time_slice", step[8], slice);
        differ.field("sleep_avg", step[9], sleep_avg);
    }
}

void check_load_balance(const json& c, Differ& differ) {
    World w(c["ncpu"]);
    State& s = w.sched.state();
    w.host.jiffy = c["jiffies"];
    s.options.cache_decay_ticks = c["cache_decay_ticks"];
    for (const json& row : c["tasks"]) {
        SchedTask& p = read_task(w, row[3], row[2]);
        p.id = TaskId{row[0]};
        p.cpu = CpuId{row[1]};
        p.allowed = topo::CpuMask::of_word(row[7]);
        w.sched.attach(p);
        entity_of(p).prio = row[5];
        entity_of(p).timestamp = row[6];
    }
    for (const json& row : c["rqs"]) {
        RunQueue& rq = s.rqs[row[0]];
        rq.nr_running = row[1];
        if (row[2] != -1) rq.curr = &entity_of(w.tasks[row[2]]);
        for (const std::size_t id : row[3]) rq.active->enqueue(entity_of(w.tasks[id]));
        for (const std::size_t id : row[4]) rq.expired->enqueue(entity_of(w.tasks[id]));
    }
    const CpuId this_cpu{c["this_cpu"]};
    RunQueue& rq = s.rq(this_cpu);
    rq.prev_nr_running = c["prev_nr"].get<std::vector<std::uint32_t>>();

    load_balance(s, this_cpu, c["idle"] == 1);

    const json& out = c["out"];
    std::vector<std::uint32_t> task_cpu;
    for (const SchedTask& p : w.tasks) task_cpu.push_back(p.cpu.v);
    differ.field("task_cpu", out["task_cpu"], task_cpu);
    differ.field("this_active", out["this_active"], test::ids_of(*rq.active));
    differ.field("this_expired", out["this_expired"], test::ids_of(*rq.expired));
    differ.field("prev_nr", out["prev_nr"], rq.prev_nr_running);
    differ.field("this_resched", out["this_resched"], w.host.need_resched(this_cpu) ? 1 : 0);
}

TEST(O1Conformance, Sequence_2_5_21_hz100) {
    test::for_each_case("o1_seq_2.5.21_hz100.jsonl", check_sequence);
}
TEST(O1Conformance, LoadBalance_2_5_21) {
    test::for_each_case("o1_load_balance_2.5.21.jsonl", check_load_balance);
}

}  // namespace
}  // namespace wakelab::policy::o1::early
