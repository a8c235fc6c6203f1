#include "policy/cfs/groups.hpp"

#include <gtest/gtest.h>

#include "policy/cfs/balance.hpp"
#include "policy/cfs/test_world.hpp"

namespace wakelab::policy::cfs {

namespace {

struct GroupWorld : TestWorld {
    GroupWorld(std::string_view key, std::string_view machine_name, std::vector<GroupInfo> groups)
        : TestWorld(key, machine_name) {
        config.groups = std::move(groups);
        boot();
    }
    Entity& group(std::uint32_t g, std::uint32_t cpu) { return state().groups[g - 1].on_cpu[cpu]; }
    // Wakes task i, which sleeps, on its CPU.
    void wake(std::size_t i) {
        tasks[i]->state = TaskState::kRunning;
        enqueue_task(state(), *tasks[i], true);
    }
};

const std::vector<GroupInfo> kOneGroup = {{.name = "db"}};
const std::vector<GroupInfo> kTwoGroups = {{.name = "db"},
                                           {.name = "web", .parent = 0, .shares = 3072}};

TEST(Groups, ATaskIsQueuedWithItsGroup) {
    for (const std::string_view key : {"V26", "V28", "V32"}) {
        GroupWorld w(key, "one", kOneGroup);
        w.add_task(0, SchedPolicy::kNormal, 0, 1);
        w.wake(0);
        EXPECT_EQ(w.se(0).parent, &w.group(1, 0)) << key;
        EXPECT_EQ(w.se(0).cfs, w.group(1, 0).my_q) << key;
        EXPECT_EQ(w.rq(0).cfs.nr_running, 1u) << key << ": the group";
        EXPECT_EQ(w.rq(0).load, 1024u) << key << ": a task, or its group's shares";
        dequeue_task(w.state(), *w.tasks[0], true);
        EXPECT_EQ(w.rq(0).cfs.nr_running, 0u) << key;
        EXPECT_EQ(w.rq(0).load, 0u) << key;
    }
}

// 2.6.24, 2.6.25: root's tasks form a group of 2048 shares, other users' one of 1024.
TEST(Groups, UpTo2625TasksWithoutAGroupAreRoots) {
    GroupWorld w("V25", "one", kOneGroup);
    w.add_task(0);
    ASSERT_NE(w.se(0).parent, nullptr);
    EXPECT_EQ(w.se(0).parent->load.weight, 2048u);
    EXPECT_EQ(GroupWorld("V26", "one", kOneGroup).add_task(0).group, 0u);
    GroupWorld later("V26", "one", kOneGroup);
    later.add_task(0);
    EXPECT_EQ(later.se(0).parent, nullptr);
}

// CPU load: task weights up to 2.6.26 (but not in -rc3), top-level entities later. Two tasks of a
// group with 1024 shares beside one without: 3072 or 2048.
TEST(Groups, CpuLoadCountsTasksOrTopLevelEntities) {
    for (const auto& [key, load] :
         {std::pair{"V26", 3072u}, {"V26A", 2048u}, {"V27", 2048u}, {"V32", 2048u}}) {
        GroupWorld w(key, "one", kOneGroup);
        w.add_task(0, SchedPolicy::kNormal, 0, 1);
        w.add_task(0, SchedPolicy::kNormal, 0, 1);
        w.add_task(0);
        for (std::size_t i = 0; i < 3; ++i) w.wake(i);
        EXPECT_EQ(w.rq(0).load, load) << key;
        EXPECT_EQ(w.rq(0).nr_running, 3u);
    }
}

// Two groups, one task each; virtual times decide between the groups, not between the tasks: the
// tasks' own are far apart in the other direction.
TEST(Groups, PickDescendsFromGroupToTask) {
    GroupWorld w("V26", "one", kTwoGroups);
    w.add_task(0, SchedPolicy::kNormal, 0, 1);
    w.add_task(0, SchedPolicy::kNormal, 0, 2);
    for (std::size_t i = 0; i < 2; ++i) w.wake(i);
    CfsRq& top = w.rq(0).cfs;
    for (std::uint32_t g : {1u, 2u}) {
        Entity& e = w.group(g, 0);
        top.tree.erase(top.tree.iterator_to(e));
        e.vruntime = g == 1 ? 50 * kMs : 40 * kMs;
        top.tree.insert(e);
    }
    top.next = nullptr;
    EXPECT_EQ(&pick_next_entity(w.state(), w.rq(0)), &w.se(1));
    EXPECT_EQ(top.curr, &w.group(2, 0));
}

// Slice: 2.6.25 looks at the task's own queue, alone there: 20 ms. From 2.6.26 on the group's share
// counts, too: db 1024 of 4096 with one task: 20 ms / 4 = 5 ms (plain division).
TEST(Groups, SliceOfATaskIsItsShareOnEveryLevel) {
    GroupWorld own("V25", "one", kTwoGroups);
    own.add_task(0, SchedPolicy::kNormal, 0, 1);
    own.add_task(0, SchedPolicy::kNormal, 0, 2);
    for (std::size_t i = 0; i < 2; ++i) own.wake(i);
    EXPECT_EQ(sched_slice(own.state(), *own.se(0).cfs, own.se(0)), 19980483u)
        << "20480000000 >> 16 = 312500; * 4190211 >> 16";
    GroupWorld all("V26", "one", kTwoGroups);
    all.add_task(0, SchedPolicy::kNormal, 0, 1);
    all.add_task(0, SchedPolicy::kNormal, 0, 2);
    for (std::size_t i = 0; i < 2; ++i) all.wake(i);
    EXPECT_EQ(sched_slice(all.state(), *all.se(0).cfs, all.se(0)), 5 * kMs);
}

// A task of db runs; one of web wakes far ahead of it in its own group. The groups are compared:
// with db's lead over web of 21 ms (granularity 10 ms on one CPU) it preempts, with 5 ms it does
// not.
TEST(Groups, PreemptionComparesTheGroups) {
    for (const std::uint64_t lead : {21u, 5u}) {
        GroupWorld w("V26", "one", kTwoGroups);
        w.add_task(0, SchedPolicy::kNormal, 0, 1);
        w.add_task(0, SchedPolicy::kNormal, 0, 2);
        w.wake(0);
        w.rq(0).curr = w.tasks[0].get();
        (void)pick_next_entity(w.state(), w.rq(0));
        w.wake(1);
        w.group(1, 0).vruntime = w.group(2, 0).vruntime + lead * kMs;
        w.host.marked[0] = false;
        check_preempt_curr(w.state(), *w.tasks[1], {});
        EXPECT_EQ(w.host.marked[0], lead == 21) << lead;
    }
}

// cfs.md 6.8: CPU 0 has three tasks of db, CPU 1 one: 1024 * 3072 / 4097 = 767, 1024 * 1024 / 4097
// = 255. A CPU without any counts as 1024.
TEST(Groups, SharesFollowTheLoad) {
    GroupWorld w("V27", "x2", kOneGroup);
    for (const std::uint32_t cpu : {0u, 0u, 0u, 1u}) w.add_task(cpu, SchedPolicy::kNormal, 0, 1);
    for (std::size_t i = 0; i < 4; ++i) w.wake(i);
    w.host.time = 10 * static_cast<std::int64_t>(kMs);
    update_shares(w.state(), w.rq(0).domains[0]);
    EXPECT_EQ(w.group(1, 0).load.weight, 767u);
    EXPECT_EQ(w.group(1, 1).load.weight, 255u);
    EXPECT_EQ(w.rq(0).load, 767u) << "the CPU's load follows";
    EXPECT_EQ(w.rq(0).cfs.load.weight, 767u);
    dequeue_task(w.state(), *w.tasks[3], true);
    update_shares(w.state(), w.rq(0).domains[0]);
    EXPECT_EQ(w.group(1, 1).load.weight, 255u) << "too soon: at most once in 0.5 ms on two CPUs";
    w.host.time += static_cast<std::int64_t>(kMs);
    update_shares(w.state(), w.rq(0).domains[0]);
    EXPECT_EQ(w.group(1, 1).load.weight, 1024u * 1024 / 4097) << "empty: as if a nice-0 task came";
}

TEST(Groups, SharesStayFixedUpTo2626) {
    GroupWorld w("V26", "x2", kOneGroup);
    for (const std::uint32_t cpu : {0u, 0u, 1u}) w.add_task(cpu, SchedPolicy::kNormal, 0, 1);
    for (std::size_t i = 0; i < 3; ++i) w.wake(i);
    update_shares(w.state(), w.rq(0).domains[0]);
    EXPECT_EQ(w.group(1, 0).load.weight, 1024u);
}

// effective_load(): db has 2048 on CPU 0 and on CPU 1, so half of its 1024 shares on each. One more
// task of 1024 there: a = 1024 * 3072, b = 1024 * 2048 + 512 * 1024; 512 * (a - b) / b = 512 *
// 524288 / 2621440 = 102.
TEST(Groups, EffectiveLoadOfOneMoreTask) {
    GroupWorld w("V27", "x2", kOneGroup);
    SchedTask& p = w.add_task(0, SchedPolicy::kNormal, 0, 1);
    for (const std::uint32_t cpu : {0u, 1u}) {
        CfsRq& q = *w.group(1, cpu).my_q;
        q.load.weight = q.rq_weight = 2048;
        w.group(1, cpu).load.weight = 512;
    }
    EXPECT_EQ(effective_load(w.state(), p, CpuId{0}, 1024, 1024), 102);
    EXPECT_EQ(effective_load(w.state(), p, CpuId{0}, 0, 1024), 0) << "ASYM_EFF_LOAD";
    SchedTask& free = w.add_task(0);
    EXPECT_EQ(effective_load(w.state(), free, CpuId{0}, 1024, 1024), 1024) << "no group";
}

// 2.6.26: four tasks of one group on CPU 0, none on 1. The group may give half of 4096, although
// more would be needed to balance with a load from elsewhere.
TEST(Groups, BalancingTakesHalfOfAGroupsExcess) {
    GroupWorld w("V26", "x2", kOneGroup);
    for (int i = 0; i < 4; ++i) w.add_task(0, SchedPolicy::kNormal, 0, 1);
    for (std::size_t i = 0; i < 4; ++i) w.wake(i);
    w.rq(0).curr = w.tasks[0].get();
    (void)pick_next_entity(w.state(), w.rq(0));
    w.rq(0).cpu_load.fill(4096);
    w.host.time = 100 * static_cast<std::int64_t>(kMs);  // everybody is cache-cold
    bool my_job = true;
    EXPECT_TRUE(load_balance(w.state(), CpuId{1}, w.rq(1).domains[0], IdleType::kIdle, my_job));
    EXPECT_EQ(w.host.migrated.size(), 2u);
}

TEST(Groups, MigrationRebasesOnTheGroupsQueues) {
    GroupWorld w("V26", "x2", kOneGroup);
    w.add_task(0, SchedPolicy::kNormal, 0, 1);
    w.group(1, 0).my_q->min_vruntime = 100 * kMs;
    w.group(1, 1).my_q->min_vruntime = 30 * kMs;
    w.se(0).vruntime = 120 * kMs;
    set_task_cpu(w.state(), *w.tasks[0], CpuId{1});
    EXPECT_EQ(w.se(0).vruntime, 50 * kMs);
    EXPECT_EQ(w.se(0).cfs, w.group(1, 1).my_q);
}

TEST(Groups, OfAGroupComeAfterIt) {
    GroupWorld w("V27", "one", {{.name = "db"}, {.name = "db/batch", .parent = 1, .shares = 512}});
    w.add_task(0, SchedPolicy::kNormal, 0, 2);
    w.wake(0);
    EXPECT_EQ(w.se(0).parent->parent, &w.group(1, 0));
    EXPECT_EQ(w.group(1, 0).my_q->load.weight, 512u);
    EXPECT_EQ(w.rq(0).cfs.load.weight, 1024u);
    EXPECT_EQ(w.rq(0).nr_running, 1u);
}

}  // namespace

}  // namespace wakelab::policy::cfs
