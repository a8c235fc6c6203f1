#include <gtest/gtest.h>

#include "policy/cfs/placement.hpp"
#include "policy/cfs/test_world.hpp"

namespace wakelab::policy::cfs {

namespace {

constexpr std::uint64_t kShort = 50'000;  // overlaps, ns
constexpr std::uint64_t kLong = 900'000;

// `nr` nice-0 tasks on a CPU, and cpu_load[] says so too.
void load_cpu(Rq& rq, std::uint64_t load) {
    rq.load = load;
    rq.nr_running = rq.cfs.nr_running = static_cast<std::uint32_t>(load / 1024);
    rq.cpu_load.fill(load);
}

// cfs.md UT-8: waker on CPU 0, wakee slept on CPU 1 of an X2; 1: pulled.
int pulled(std::string_view key, std::uint64_t this_load, std::uint64_t prev_load, bool sync,
           std::uint64_t wakee_overlap, bool hot, PlaceRule& rule) {
    TestWorld w(key, "x2");
    w.boot();
    SchedTask& waker = w.add_task(0);
    SchedTask& wakee = w.add_task(1);
    entity_of(waker).avg_overlap = kShort;
    entity_of(wakee).avg_overlap = wakee_overlap;
    load_cpu(w.rq(0), this_load);
    load_cpu(w.rq(1), prev_load);
    w.rq(1).clock = 100 * kMs;
    entity_of(wakee).exec_start = hot ? 99'900'000 : 0;
    return w.sched->select_task_rq(wakee, {.this_cpu = CpuId{0}, .waker = &waker, .sync = sync},
                                   rule) == CpuId{0};
}

// "abc": sync with both overlaps 50 us, sync with the wakee's at 0.9 ms, no sync.
std::string triple(std::string_view key, std::uint64_t this_load, std::uint64_t prev_load,
                   bool hot = false) {
    PlaceRule rule;
    std::string text;
    for (const auto& [sync, overlap] : {std::pair{true, kShort}, {true, kLong}, {false, kShort}})
        text += std::to_string(pulled(key, this_load, prev_load, sync, overlap, hot, rule));
    return text;
}

struct AffineRow {
    const char* name;
    std::uint64_t this_load, prev_load;
    std::string_view v23, v24_cold, v24_hot, v25, p1, p2, v26, v28;
};

// Case C, V26, sync: tl = 2048 - 1024; 100 * 2048 <= 112 * 1024? no; light: 1024 <= 1024, but 2048
// <= 1024? no. V25 does not even ask: sync and two small overlaps.
constexpr AffineRow kAffineRows[] = {
    {"A", 1024, 0, "110", "110", "110", "110", "110", "100", "110", "100"},
    {"B", 1024, 1024, "110", "110", "110", "110", "110", "100", "110", "100"},
    {"C", 2048, 1024, "000", "110", "000", "100", "000", "100", "000", "000"},
    {"D", 4096, 1024, "000", "110", "000", "100", "000", "100", "000", "000"},
    {"E", 4096, 0, "000", "110", "000", "100", "000", "100", "000", "000"},
    {"F", 1024, 2048, "111", "111", "111", "111", "111", "111", "111", "111"},
    {"G", 2048, 2048, "110", "110", "110", "110", "110", "110", "110", "100"},
    {"H", 2048, 3072, "111", "111", "111", "111", "111", "111", "111", "111"},
};

TEST(WakeAffine, PullsAsTheVersionDid) {
    for (const AffineRow& row : kAffineRows) {
        const auto of = [&](std::string_view key, bool hot = false) {
            return triple(key, row.this_load, row.prev_load, hot);
        };
        EXPECT_EQ(of("V23"), row.v23) << row.name;
        EXPECT_EQ(of("V24"), row.v24_cold) << row.name;
        EXPECT_EQ(of("V24", true), row.v24_hot) << row.name;
        for (const std::string_view key : {"V25", "V26A"})
            EXPECT_EQ(of(key), row.v25) << row.name << " " << key;
        EXPECT_EQ(of("V26A+P2"), row.p2) << row.name;
        for (const std::string_view key : {"V25+no-shortcut", "V26A+no-shortcut"})
            EXPECT_EQ(of(key), row.p1) << row.name << " " << key;
        for (const std::string_view key : {"V26", "V27", "V26A+P3", "V25+P5"})
            EXPECT_EQ(of(key), row.v26) << row.name << " " << key;
        for (const std::string_view key : {"V28", "V29", "V30", "V31", "T0913", "V32A", "V32"})
            EXPECT_EQ(of(key), row.v28) << row.name << " " << key;
    }
}

TEST(WakeAffine, ReportsTheRuleThatDecided) {
    const auto rule_of = [](std::string_view key, std::uint64_t a, std::uint64_t b, bool sync) {
        PlaceRule rule{};
        pulled(key, a, b, sync, kShort, false, rule);
        return rule;
    };
    EXPECT_EQ(rule_of("V24", 4096, 0, true), PlaceRule::kAffineCold);
    EXPECT_EQ(rule_of("V25", 4096, 0, true), PlaceRule::kAffineShortcut);
    EXPECT_EQ(rule_of("V26", 1024, 0, true), PlaceRule::kAffineLight);
    EXPECT_EQ(rule_of("V26", 2048, 3072, false), PlaceRule::kAffineBalanced);
    EXPECT_EQ(rule_of("V26", 4096, 0, true), PlaceRule::kStayedOnPrev);
    // 112 * 2048 <= 100 * 2300, but 3072 with the wakee is too much for 112 % of 2300.
    EXPECT_EQ(rule_of("V28", 2048, 2300, false), PlaceRule::kWakeBalance);
}

// cfs.md UT-8: one task left on the waker's CPU, but three at its last tick. V23 .. V31 count 3072:
// tl = 2048 after the waker, neither balanced nor light. V32 looks at the present: tl = 0.
TEST(WakeAffine, StaleCpuLoadCountsForTheWakersCpuUpTo2631) {
    for (const std::string_view key :
         {"V23", "V24", "V26", "V27", "V28", "V29", "V30", "V31", "V32A", "V32"}) {
        TestWorld w(key, "x2");
        w.boot();
        SchedTask& waker = w.add_task(0);
        SchedTask& wakee = w.add_task(1);
        load_cpu(w.rq(0), 1024);
        load_cpu(w.rq(1), 1024);
        w.rq(0).cpu_load[0] = 3072;
        w.rq(1).clock = 100 * kMs;
        entity_of(wakee).exec_start = 100 * kMs;  // hot, or V24 would not look at loads
        PlaceRule rule{};
        w.sched->select_task_rq(wakee, {.this_cpu = CpuId{0}, .waker = &waker, .sync = true}, rule);
        const bool present = key.starts_with("V32");
        EXPECT_EQ(rule, present ? PlaceRule::kAffineBalanced : PlaceRule::kStayedOnPrev) << key;
    }
}

// cfs.md UT-8: without SYNC_WAKEUPS a hint counts for nothing: the third value of every cell.
TEST(WakeAffine, HintIsIgnoredWithoutSyncWakeups) {
    for (const std::string_view key : {"V26A", "V26", "V27", "V28", "V31", "V32"}) {
        for (const AffineRow& row : kAffineRows) {
            TestWorld w(key, "x2");
            for (const FeatureInfo& f : w.info.features)
                if (f.name == "SYNC_WAKEUPS") w.config.features &= ~f.bit;
            w.boot();
            SchedTask& waker = w.add_task(0);
            SchedTask& wakee = w.add_task(1);
            load_cpu(w.rq(0), row.this_load);
            load_cpu(w.rq(1), row.prev_load);
            PlaceRule rule{};
            const CpuId cpu = w.sched->select_task_rq(
                wakee, {.this_cpu = CpuId{0}, .waker = &waker, .sync = true}, rule);
            EXPECT_EQ(cpu == CpuId{0}, row.v26[2] == '1') << key << " " << row.name;
        }
    }
}

// cfs.md UT-9: Q6600, waker alone on CPU 0.
struct Quad {
    explicit Quad(std::string_view key, std::uint32_t prev) : w(key, "q6600") {
        w.boot();
        waker = &w.add_task(0);
        wakee = &w.add_task(prev);
        occupy(0, *waker);
    }
    void occupy(std::uint32_t cpu, SchedTask& p) {
        load_cpu(w.rq(cpu), 1024);
        w.rq(cpu).curr = &p;
    }
    std::uint32_t cpu(bool sync) {
        for (std::uint32_t c = 0; c < 4; ++c) w.rq(c).clock = 100 * kMs;
        return w.sched
            ->select_task_rq(*wakee, {.this_cpu = CpuId{0}, .waker = waker, .sync = sync}, rule)
            .v;
    }

    TestWorld w;
    SchedTask* waker;
    SchedTask* wakee;
    PlaceRule rule{};
};

constexpr std::string_view kAllKeys[] = {"V23", "V24", "V25", "V26A", "V26",  "V27",
                                         "V28", "V29", "V30", "V31",  "V32A", "V32"};

// The idle search of 2.6.23 reaches the other pair.
bool searches_everywhere(std::string_view key) {
    return key == "V23";
}

TEST(SelectTaskRq, WithoutSyncOnly2623SearchesBeyondThePair) {
    for (const std::string_view key : kAllKeys) {
        Quad q(key, 1);
        q.occupy(1, q.w.add_task(1));
        EXPECT_EQ(q.cpu(false), searches_everywhere(key) ? 2u : 1u)
            << key << ": CPUs 2 and 3 are idle, prev is busy";
    }
}

TEST(SelectTaskRq, WithoutSyncAnIdlePreviousCpuKeepsTheWakee) {
    for (const std::string_view key : kAllKeys) EXPECT_EQ(Quad(key, 2).cpu(false), 2u) << key;
}

TEST(SelectTaskRq, SyncPullsEvenFromAnIdleCpu) {
    for (const std::string_view key : kAllKeys) {
        Quad q(key, 2);
        q.occupy(1, q.w.add_task(1));
        // V23: pulled too, but the search from CPU 0 then comes back to CPU 2.
        EXPECT_EQ(q.cpu(true), searches_everywhere(key) ? 2u : 0u) << key;
    }
}

// Only V23 and V24 go on to look for an idle CPU, first where it shares the waker's cache.
TEST(SelectTaskRq, IdleSearchAfterAPullUpTo2624) {
    for (const std::string_view key : kAllKeys) {
        Quad q(key, 2);
        const bool searches = key == "V23" || key == "V24";
        EXPECT_EQ(q.cpu(true), searches ? 1u : 0u) << key;
        EXPECT_EQ(q.rule == PlaceRule::kIdleSearch, searches) << key;
    }
}

// The tip tree of September 2009 searches the machine again and pulls only inside a cache.
TEST(SelectTaskRq, TipTreeSearchesTheMachineAndDoesNotPullAcrossCaches) {
    Quad busy("T0913", 1);
    busy.occupy(1, busy.w.add_task(1));
    EXPECT_EQ(busy.cpu(false), 2u);
    EXPECT_EQ(busy.rule, PlaceRule::kIdleSearch);
    Quad far("T0913", 2);
    far.occupy(1, far.w.add_task(1));
    EXPECT_EQ(far.cpu(true), 2u);
    EXPECT_EQ(Quad("T0913", 2).cpu(true), 2u) << "CPU 1 idle as well";
}

TEST(SelectTaskRq, ForbiddenWakersCpuLeavesTheWakee) {
    for (const std::string_view key : kAllKeys) {
        Quad q(key, 2);
        q.wakee->allowed.clear(CpuId{0});
        EXPECT_EQ(q.cpu(true), 2u) << key;
        EXPECT_EQ(q.rule, PlaceRule::kNotAllowed) << key;
    }
}

// cfs.md UT-16: pgbench on CPU 0 sends to a backend that sleeps on CPU 1. The socket's hint is sync
// from 2.6.25 on, and there the check marks the task running where the backend went.
TEST(SelectTaskRq, SocketWakeupOf2625PullsAndMarksTheRunningTask) {
    for (const std::string_view key : {"V24", "V25"}) {
        TestWorld w(key, "x2");
        w.boot();
        SchedTask& pgbench = w.add_task(0);
        SchedTask& backend = w.add_task(1);
        w.queue(0);
        w.run(0);
        load_cpu(w.rq(0), 1024);
        w.se(0).sum_exec = 700'000;
        const WakeResult r = try_to_wake_up(
            *w.sched, backend,
            {.this_cpu = CpuId{0}, .waker = &pgbench, .sync = w.info.ipc.data_ready_sync});
        EXPECT_EQ(r.cpu, CpuId{key == "V24" ? 1u : 0u});
        EXPECT_EQ(w.se(0).last_wakeup, key == "V24" ? 0u : 700'000u);
    }
}

// X2, a lone task on CPU 0 execs: average 1024 against 0, so it moves in every version; with a task
// on each CPU 100 * 1024 < 112 * 1024: it stays.
TEST(ExecBalance, MovesToAnIdleCpuInEveryVersion) {
    for (const std::string_view key : kAllKeys) {
        for (const bool other_busy : {false, true}) {
            TestWorld w(key, "x2");
            w.boot();
            SchedTask& p = w.add_task(0);
            w.queue(0);
            w.run(0);
            load_cpu(w.rq(0), 1024);
            if (other_busy) load_cpu(w.rq(1), 1024);
            // V32A prefers local: one task fits into two CPUs.
            const bool moves = !other_busy && key != "V32A";
            EXPECT_EQ(w.sched->exec(p), CpuId{moves ? 1u : 0u}) << key;
            p.allowed = topo::CpuMask::of_word(1);
            EXPECT_EQ(w.sched->exec(p), CpuId{0}) << key << ": its affinity";
        }
    }
}

// cfs.md 4.4, 2.6.32-rc1, SD_PREFER_LOCAL, tasks on CPU 0. One: the pair has capacity 2, the child
// stays. Two: the pair is full, the machine (4) is not, so only the pair is searched: CPU 1. Four:
// the other pair.
TEST(ForkBalance, PreferLocalKeepsTheChildWhileThereIsCapacity) {
    for (const auto& [tasks, expected] : {std::pair{1u, 0u}, {2u, 1u}, {4u, 3u}}) {
        TestWorld w("V32A", "q6600");
        w.boot();
        SchedTask& parent = w.add_task(0);
        w.queue(0);
        w.run(0);
        for (std::size_t i = 1; i < tasks; ++i) {
            w.add_task(0);
            w.queue(i);
        }
        SchedTask child;
        child.allowed = parent.allowed;
        EXPECT_EQ(w.sched->fork(&parent, child, CpuId{0}), CpuId{expected}) << tasks;
    }
}

// V23 and V24 have no fork balancing; V25 spreads over the pairs, then inside the pair.
TEST(ForkBalance, StartsWhereTheVersionPutsChildren) {
    for (const std::string_view key : {"V23", "V24", "V25", "V26", "V31", "V32"}) {
        TestWorld w(key, "q6600");
        w.boot();
        SchedTask& parent = w.add_task(0);
        w.queue(0);
        w.run(0);
        for (std::uint32_t c : {0u, 2u}) w.rq(c).cpu_load.fill(1024);
        w.rq(2).load = 1024;
        SchedTask child;
        child.allowed = parent.allowed;
        const CpuId cpu = w.sched->fork(&parent, child, CpuId{0});
        // Pairs equal: 100 * 1024 < 112 * 1024, so the search stays in pair {0,1} and finds CPU 1
        // idle.
        EXPECT_EQ(cpu, CpuId{key == "V23" || key == "V24" ? 0u : 1u}) << key;
    }
}

}  // namespace

}  // namespace wakelab::policy::cfs
