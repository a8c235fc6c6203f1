#include "policy/cfs/patches.hpp"

#include <gtest/gtest.h>

#include "policy/cfs/placement.hpp"
#include "policy/cfs/test_world.hpp"

namespace wakelab::policy::cfs {

namespace {

std::string error_of(std::string_view name) {
    const auto found = find_scheduler(name);
    return found ? "" : found.error().message;
}

// --- names ---

TEST(Patches, NamesAreAVersionOrItsAliasAndPatchesFromLeftToRight) {
    EXPECT_EQ((*find_scheduler("cfs-2.6.25.4+P5"))->name, "cfs-2.6.25+P5");
    EXPECT_EQ((*find_scheduler("cfs-2.6.25+P5"))->key, "V25+P5");
    EXPECT_EQ((*find_scheduler("cfs-2.6.26-rc5"))->name, "cfs-2.6.26");
    const SchedulerInfo& both = **find_scheduler("cfs-2.6.26-rc3+P1+P2");
    EXPECT_EQ(both.name, "cfs-2.6.26-rc3+P1+P2");
    EXPECT_EQ(&both, *find_scheduler("cfs-2.6.26-rc4+P1+P2")) << "made once";
    EXPECT_TRUE(find_scheduler("cfs-2.6.26-rc3+P3+P4")) << "P4 fits the wake_affine of P3";
}

// The error names those that apply; which they are grows with the table.
void expect_refused(std::string_view name, std::string_view why, std::string_view offered) {
    const std::string error = error_of(name);
    EXPECT_TRUE(error.starts_with(why)) << error;
    const std::size_t list = error.find("(those that apply: ");
    ASSERT_NE(list, std::string::npos) << error;
    EXPECT_NE(error.find(offered, list), std::string::npos) << error;
}

TEST(Patches, ThoseThatDoNotApplyAreRefusedWithThoseThatDo) {
    expect_refused("cfs-2.6.26+P5", "patch 'P5' does not apply to cfs-2.6.26 (", "P4");
    expect_refused("cfs-2.6.26-rc3+P3+P1", "patch 'P1' does not apply to cfs-2.6.26-rc3+P3 (",
                   "P4");
    expect_refused("cfs-2.6.26-rc3+P1+P1i", "patch 'P1i' does not apply to cfs-2.6.26-rc3+P1 (",
                   "P2");
    expect_refused("cfs-2.6.29+P9", "patch 'P9' is not known; did you mean ", "P8, P8b");
    EXPECT_EQ(error_of("o1-2.6.22+P1"), "'o1-2.6.22+P1': no patch is known for o1-2.6.22");
}

TEST(Patches, EveryPatchAppliesToTheVersionItWasPostedAgainst) {
    for (const std::string_view name :
         {"cfs-2.6.26-rc3+P1", "cfs-2.6.26-rc3+P2", "cfs-2.6.26-rc3+P3", "cfs-2.6.26-rc5+P4",
          "cfs-2.6.25.4+P5", "cfs-2.6.25.4+P6", "cfs-tip-20090913+P7", "cfs-2.6.29-rc7+P8"})
        EXPECT_EQ(error_of(name), "") << name;
}

TEST(Patches, OfThisListNoneChangesTheVersionItself) {
    const CfsVersion& stock = **find_version("cfs-2.6.25");
    (void)find_version("cfs-2.6.25+P5+P4");
    EXPECT_EQ(stock.affine, AffineRule::kOverlapShortcut);
    EXPECT_EQ(stock.key, "V25");
}

// --- P1: who may use the shortcut (cfs.md UT-15, load case C of UT-8: 2048 here, 1024 there) ---

struct CaseC {
    explicit CaseC(std::string_view key) : w(key, "x2") {
        w.boot();
        for (std::uint32_t cpu : {0u, 1u, 1u}) w.add_task(cpu);  // P, b1, b2
        for (std::uint32_t cpu : {0u, 1u}) {
            w.rq(cpu).load = cpu == 0 ? 2048 : 1024;
            w.rq(cpu).cpu_load.fill(w.rq(cpu).load);
            w.rq(cpu).nr_running = w.rq(cpu).cfs.nr_running = cpu == 0 ? 2 : 1;
        }
    }
    // P on CPU 0 wakes `wakee` with the sync hint: is it pulled?
    bool pulls(std::size_t wakee) {
        PlaceRule rule{};
        return w.sched->select_task_rq(
                   *w.tasks[wakee], {.this_cpu = CpuId{0}, .waker = w.tasks[0].get(), .sync = true},
                   rule) == CpuId{0};
    }

    TestWorld w;
};

TEST(PatchP1, PullsOnlyTasksThatLastWokeTheSameThird) {
    CaseC c("V26A+P1");
    EXPECT_TRUE(c.pulls(2)) << "neither has woken anybody: equal";
    c.w.se(0).waker = &c.w.se(1);
    c.w.se(2).waker = &c.w.se(0);
    EXPECT_FALSE(c.pulls(2)) << "P holds b1, b2 holds P: only the load test is left";
    c.w.se(2).waker = &c.w.se(1);
    EXPECT_TRUE(c.pulls(2));
}

TEST(PatchP1, TheTaskRunningWhereTheWakeeLandsRemembersIt) {
    TestWorld w("V26A+P1", "one");
    w.boot();
    w.add_task(0);
    w.add_task(0);
    w.queue(0);
    w.run(0);
    w.queue(1);
    check_preempt_curr(w.state(), *w.tasks[1], {});
    EXPECT_EQ(w.se(0).waker, &w.se(1));
    EXPECT_EQ(w.se(1).waker, nullptr);
    SchedTask child;
    child.allowed = topo::CpuMask::first_n(1);
    w.sched->fork(w.tasks[0].get(), child, CpuId{0});
    EXPECT_EQ(entity_of(child).waker, &w.se(1)) << "fork copies the pointer";
}

TEST(PatchP1, AsIntendedPullsTasksThatWakeEachOther) {
    CaseC c("V26A+P1i");
    EXPECT_FALSE(c.pulls(2));
    c.w.se(0).woke = &c.w.se(2);
    EXPECT_FALSE(c.pulls(2));
    c.w.se(2).woken_by = &c.w.se(0);
    EXPECT_TRUE(c.pulls(2));
    EXPECT_FALSE(c.pulls(1));
}

TEST(PatchP1, AsIntendedRemembersTheWakeup) {
    TestWorld w("V26A+P1i", "x2");
    w.boot();
    w.add_task(0);
    w.add_task(1);
    w.queue(0);
    w.run(0);
    try_to_wake_up(*w.sched, *w.tasks[1],
                   {.this_cpu = CpuId{0}, .waker = w.tasks[0].get(), .sync = true});
    EXPECT_EQ(w.se(0).woke, &w.se(1));
    EXPECT_EQ(w.se(1).woken_by, &w.se(0));
}

// --- P4 ---

// P runs on CPU 0 of an X2 and has been preempted by b1; b2 sleeps on CPU 1.
struct Preempted {
    Preempted() : w("V26+P4", "x2") {
        w.boot();
        for (std::uint32_t cpu : {0u, 0u, 1u}) w.add_task(cpu);
        w.queue(0);
        w.run(0);
        w.rq(0).cpu_load.fill(1024);
        w.se(0).last_preempter = &w.se(1);
    }
    // P has run `ns` since it was picked.
    void ran(std::uint64_t ns) { w.se(0).sum_exec = w.se(0).prev_sum + ns; }
    CpuId woken() {
        PlaceRule rule{};
        return w.sched->select_task_rq(
            *w.tasks[2], {.this_cpu = CpuId{0}, .waker = w.tasks[0].get(), .sync = true}, rule);
    }
    // b2 on P's queue, far enough ahead to preempt (granularity 20 ms).
    bool preempts() {
        if (!w.tasks[2]->on_rq) {
            set_task_cpu(w.state(), *w.tasks[2], CpuId{0});
            w.se(2).vruntime = w.se(0).vruntime - 21 * kMs;
            w.queue(2);
        }
        w.host.marked[0] = false;
        check_preempt_curr(w.state(), *w.tasks[2], {});
        return w.host.marked[0];
    }

    TestWorld w;
};

TEST(PatchP4, DispersesTheWakeesOfATaskThatSeveralPreempt) {
    Preempted p;
    p.ran(100'000);
    EXPECT_EQ(p.woken(), CpuId{1}) << "100 us < D";
    p.ran(600'000);
    EXPECT_EQ(p.woken(), CpuId{0}) << "600 us > D: load case A pulls";
    p.ran(100'000);
    p.w.se(0).last_preempter = &p.w.se(2);
    EXPECT_EQ(p.woken(), CpuId{0}) << "one wakee alone is not dispersed";
}

TEST(PatchP4, WithoutDispersePulls) {
    Preempted p;
    p.w.set("last_preempter_disperse_ns", 0);
    p.w.boot();
    for (std::uint32_t i : {0u, 1u, 2u}) p.w.sched->attach(*p.w.tasks[i]);
    p.w.tasks[0]->state = p.w.tasks[0]->state;
    p.w.queue(0);
    p.w.run(0);
    p.w.rq(0).cpu_load.fill(1024);
    p.w.se(0).last_preempter = &p.w.se(1);
    p.ran(100'000);
    EXPECT_EQ(p.woken(), CpuId{0});
}

TEST(PatchP4, ASecondPreempterWaitsForABatchOfWork) {
    Preempted p;
    p.ran(100'000);
    EXPECT_FALSE(p.preempts()) << "another wakee than b1 and 100 us < B";
    EXPECT_EQ(p.w.se(0).last_preempter, &p.w.se(2)) << "remembered although refused";
    EXPECT_TRUE(p.preempts()) << "now it is the same one";
    p.w.se(0).last_preempter = &p.w.se(1);
    p.ran(600'000);
    EXPECT_TRUE(p.preempts());
}

TEST(PatchP4, SleepForgetsThePreempter) {
    Preempted p;
    p.w.tasks[0]->state = TaskState::kInterruptible;
    schedule(*p.w.sched, CpuId{0}, p.w.tasks[0].get());
    EXPECT_EQ(p.w.se(0).last_preempter, nullptr);
}

// --- P7: cfs.md 5 ---

TEST(PatchP7, WithoutTheFeatureNobodyBecomesNextBuddy) {
    for (const bool on : {true, false}) {
        TestWorld w("T0913+P7", "one");
        if (!on) w.config.features &= ~std::uint64_t{32768};
        w.boot();
        w.add_task(0);
        w.add_task(0);
        w.queue(0);
        w.run(0);
        w.queue(1);
        check_preempt_curr(w.state(), *w.tasks[1], {});
        EXPECT_EQ(w.rq(0).cfs.next, on ? &w.se(1) : nullptr);
        EXPECT_EQ(w.rq(0).cfs.last, &w.se(0)) << "LAST_BUDDY moved up one bit and is on";
    }
}

// --- P8: cfs.md UT-10 ---

// Overlaps after each of six preemptions of a task that ran `ns`.
std::vector<std::uint64_t> overlaps(std::string_view key, std::uint64_t ns,
                                    std::uint64_t marked_at) {
    TestWorld w(key, "one");
    w.boot();
    SchedTask& p = w.add_task(0);
    p.state = TaskState::kRunning;
    w.se(0).sum_exec = ns;
    w.se(0).last_wakeup = marked_at;
    std::vector<std::uint64_t> values;
    for (int i = 0; i < 6; ++i) {
        sample_at_switch(w.state(), p);
        values.push_back(w.se(0).avg_overlap);
    }
    return values;
}

TEST(PatchP8, PreemptionGrowsTheOverlapUpToTwoMigrationCosts) {
    const std::vector<std::uint64_t> grown = {125000, 234375, 330078, 413818, 487090, 551203};
    EXPECT_EQ(overlaps("V29+P8", 5 * kMs, 0), grown) << "1 ms sample: affine until the sixth";
    EXPECT_EQ(overlaps("V30", 5 * kMs, 0), grown) << "merged unchanged";
    EXPECT_EQ(overlaps("V29", 5 * kMs, 0).back(), 0u);
}

TEST(PatchP8, ItsPredecessorMayHaveCountedFromTheLastWakeup) {
    EXPECT_EQ(overlaps("V29+P8b", 5 * kMs, 4'920'000).front(), 10'000u) << "80 us / 8";
    EXPECT_EQ(overlaps("V29+P8b", 5 * kMs, 0).front(), 125'000u);
}

// --- SCHED_PREEMPT ---

TEST(SchedPreempt, AlwaysPreemptsItsWakerAndNobodyElse) {
    TestWorld w("V26+SCHED_PREEMPT", "one");
    w.boot();
    w.add_task(0);
    w.add_task(0, SchedPolicy::kPreempt);
    w.queue(0);
    w.run(0);
    w.se(1).vruntime = w.se(0).vruntime;  // no lead
    w.queue(1);
    check_preempt_curr(w.state(), *w.tasks[1], {});
    EXPECT_FALSE(w.host.marked[0]) << "woken by an interrupt";
    check_preempt_curr(w.state(), *w.tasks[1], {.waker = w.tasks[0].get()});
    EXPECT_TRUE(w.host.marked[0]);
}

// --- V32A against V32: buddies (cfs.md 2.6) ---

TEST(Buddies, ReleaseCandidateClearsBothAtEveryPick) {
    for (const std::string_view key : {"V32A", "V32"}) {
        TestWorld w(key, "one");
        w.boot();
        for (int i = 0; i < 3; ++i) w.add_task(0);
        for (std::size_t i = 0; i < 3; ++i) {
            w.se(i).vruntime = w.rq(0).cfs.min_vruntime;
            w.queue(i);
        }
        w.rq(0).cfs.next = &w.se(1);
        w.rq(0).cfs.last = &w.se(2);
        const Entity& picked = pick_next_entity(w.state(), w.rq(0));
        const bool rc = key == "V32A";
        EXPECT_EQ(&picked, &w.se(rc ? 1 : 2)) << "next first; 2.6.32: last wins";
        EXPECT_EQ(w.rq(0).cfs.next, rc ? nullptr : &w.se(1));
        EXPECT_EQ(w.rq(0).cfs.last, nullptr);
    }
}

TEST(Buddies, ReleaseCandidateSetsThemInShortQueuesToo) {
    TestWorld w("V32A", "one");
    w.boot();
    w.add_task(0);
    w.add_task(0);
    w.queue(0);
    w.run(0);
    w.queue(1);
    check_preempt_curr(w.state(), *w.tasks[1], {});
    EXPECT_EQ(w.rq(0).cfs.last, &w.se(0)) << "at every check, preemption or not";
    EXPECT_EQ(w.rq(0).cfs.next, nullptr) << "NEXT_BUDDY is off";
}

}  // namespace

}  // namespace wakelab::policy::cfs
