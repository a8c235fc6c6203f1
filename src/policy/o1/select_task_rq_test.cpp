// The wake matrix of o1.md 5.7 and the placement tests of o1.md 13.
#include "policy/o1/select_task_rq.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "policy/core.hpp"
#include "policy/o1/test_world.hpp"

namespace wakelab::policy::o1::test {
namespace {

constexpr CpuId kThis{0};
constexpr CpuId kPrev{1};
constexpr std::uint64_t kMs = 1'000'000;

struct Wake {
    std::string_view version = "o1-2.6.22";
    std::uint32_t n_this = 1;  // waker included
    std::uint32_t n_prev = 0;
    bool sync = false;
    bool hot = false;  // the wakee stopped running 1 ms ago, else 5 ms ago
    std::uint32_t cpus = 2;
};

// CPU 0 wakes a task that last ran on CPU 1; all nice 0, loads steady.
class WakeWorld : public TestWorld {
 public:
    explicit WakeWorld(const Wake& wake)
        : TestWorld(wake.version, private_caches(wake.cpus), 250), sync_(wake.sync) {
        for (std::uint32_t i = 0; i < wake.n_this; ++i) add_queued(kThis.v);
        for (std::uint32_t i = 0; i < wake.n_prev; ++i) add_queued(kPrev.v);
        rq(kThis.v).cpu_load.fill(wake.n_this * kLoadScale);
        rq(kPrev.v).cpu_load.fill(wake.n_prev * kLoadScale);
        wakee = &add(kPrev.v);
        rq(kPrev.v).clock = 1000 * kMs;
        entity_of(*wakee).last_ran = (wake.hot ? 999 : 995) * kMs;
        entity_of(*wakee).last_waker_cpu = kThis;
    }
    CpuId select() { return select_from(kThis); }
    CpuId select_from(CpuId this_cpu) {
        const WakeContext ctx{.this_cpu = this_cpu, .waker = sched.curr(this_cpu), .sync = sync_};
        return sched.select_task_rq(*wakee, ctx, rule);
    }
    void set_levels(const SchedDomain& sd) {
        for (auto& levels : state().domains) levels = {sd};
    }

    SchedTask* wakee = nullptr;
    PlaceRule rule = PlaceRule::kStillQueued;

 private:
    bool sync_;
};

char letter(const Wake& wake) {
    return WakeWorld(wake).select() == kThis ? 'T' : 'P';
}

TEST(WakeMatrix, ChoosesBetweenWakerAndPreviousCpu) {
    struct Row {
        std::uint32_t n_this, n_prev;
        // 2.6.9: cold async, hot async, cold sync, hot sync; 2.6.13 .. 2.6.22: async, sync
        std::string_view want;
    };
    const std::vector<Row> rows = {
        {1, 0, "PPTTPT"}, {1, 1, "TPTTPT"}, {1, 2, "TTTTTT"}, {1, 3, "TTTTTT"}, {2, 0, "PPPPPP"},
        {2, 1, "TPTPPP"}, {2, 2, "TPTTPT"}, {2, 3, "TTTTTT"}, {3, 0, "PPPPPP"}, {3, 1, "TPTPPP"},
        {3, 2, "TPTPPP"}, {3, 3, "TPTTPT"}, {3, 4, "TPTTTT"}, {0, 0, "TT--T-"}, {0, 1, "TT--T-"}};
    for (const Row& row : rows) {
        for (const std::string_view late : {"o1-2.6.16", "o1-2.6.16-rc3", "o1-2.6.22"}) {
            std::string got;
            for (const bool sync : {false, true})
                for (const bool hot : {false, true})
                    got += letter({"o1-2.6.9-el", row.n_this, row.n_prev, sync, hot});
            for (const bool sync : {false, true})
                got += letter({late, row.n_this, row.n_prev, sync});
            if (row.n_this == 0) got[2] = got[3] = got[5] = '-';  // an idle CPU sends no hint
            EXPECT_EQ(got, row.want) << row.n_this << "/" << row.n_prev << " " << late;
        }
    }
}

TEST(WakeMatrix, NamesTheRuleThatDecided) {
    const auto rule_of = [](const Wake& wake) {
        WakeWorld w(wake);
        w.select();
        return w.rule;
    };
    // 100 * (128 + 128) = 25600 > 112 * 0
    EXPECT_EQ(rule_of({"o1-2.6.22", 1, 0, false}), PlaceRule::kStayedOnPrev);
    // tl = 128 - 128 = 0 <= 0 and 0 + 0 <= 128
    EXPECT_EQ(rule_of({"o1-2.6.22", 1, 0, true}), PlaceRule::kAffineLight);
    // 25600 <= 112 * 256 = 28672
    EXPECT_EQ(rule_of({"o1-2.6.22", 1, 2, false}), PlaceRule::kAffineBalanced);
    EXPECT_EQ(rule_of({"o1-2.6.9-el", 1, 1, false, false}), PlaceRule::kAffineCold);
    // 137 * 128 = 17536 > 100 * 128; 17536 <= 100 * 256
    EXPECT_EQ(rule_of({"o1-2.6.9-el", 1, 1, false, true}), PlaceRule::kStayedOnPrev);
    EXPECT_EQ(rule_of({"o1-2.6.9-el", 1, 2, false, true}), PlaceRule::kWakeBalance);
}

TEST(WakeMatrix, WakerOnPreviousCpuAndForbiddenCpuDecideBeforeTheLoads) {
    WakeWorld local({"o1-2.6.22", 1, 1});
    EXPECT_EQ(local.select_from(kPrev), kPrev);
    EXPECT_EQ(local.rule, PlaceRule::kPrevIsThis);
    WakeWorld forbidden({"o1-2.6.22", 1, 2});
    forbidden.wakee->allowed.clear(kThis);
    EXPECT_EQ(forbidden.select(), kPrev);
    EXPECT_EQ(forbidden.rule, PlaceRule::kNotAllowed);
}

TEST(WakeMatrix, CpuThatJustWentIdleIsStillGuessedLow) {
    // prev: nr 0, cpu_load 128. sync: load = min(128, 0) = 0, target(prev) = 128; 0 + 128 <= 128.
    for (const std::string_view version : {"o1-2.6.16", "o1-2.6.22"}) {
        WakeWorld async({version, 1, 0, false}), sync({version, 1, 0, true});
        async.rq(1).cpu_load.fill(kLoadScale);
        sync.rq(1).cpu_load.fill(kLoadScale);
        EXPECT_EQ(async.select(), kPrev);
        EXPECT_EQ(sync.select(), kThis);
    }
    WakeWorld old({"o1-2.6.9-el", 1, 0, false});
    old.rq(1).cpu_load.fill(kLoadScale);
    EXPECT_EQ(old.select(), kPrev);
}

TEST(WakeMatrix, CpuThatJustBecameBusyIsStillGuessedIdle) {
    // prev: nr 1, cpu_load 0. 2.6.9: load 0 < 64 and target 128 > 64: never off an "idle" CPU.
    WakeWorld old({"o1-2.6.9-el", 1, 1, false}), late({"o1-2.6.22", 1, 1, true});
    old.rq(1).cpu_load.fill(0);
    late.rq(1).cpu_load.fill(0);
    EXPECT_EQ(old.select(), kPrev);
    EXPECT_EQ(late.select(), kThis);  // tl = 0 <= 0, 0 + 128 <= 128
}

SchedDomain all_of(State& s, std::uint32_t flags, std::uint32_t pct, std::uint32_t wake_idx) {
    SchedDomain sd;
    sd.params.flags = flags;
    sd.params.imbalance_pct = pct;
    sd.params.wake_idx = wake_idx;
    for (std::uint32_t c = 0; c < s.cpus; ++c) {
        sd.span.set(CpuId{c});
        sd.cpus.push_back(CpuId{c});
        sd.groups.push_back(
            {.mask = topo::CpuMask::of_word(1ull << c), .cpus = {CpuId{c}}, .power = kLoadScale});
    }
    return sd;
}

TEST(WakeMatrix, PassiveBalancingOfANodeIgnoresSync) {
    struct Row {
        std::uint32_t n_this, n_prev;
        char want;
    };
    for (const Row& row : {Row{1, 1, 'P'}, Row{1, 2, 'T'}, Row{2, 2, 'P'}, Row{2, 3, 'T'}}) {
        for (const bool sync : {false, true}) {
            WakeWorld w({"o1-2.6.22", row.n_this, row.n_prev, sync});
            w.set_levels(all_of(w.state(), kWakeBalanceFlag, 125, 1));  // 112 * this <= 100 * prev
            EXPECT_EQ(w.select() == kThis ? 'T' : 'P', row.want) << row.n_this << "/" << row.n_prev;
        }
    }
}

TEST(WakeIdle, SearchesTheDomainOfTheChosenCpu) {
    // SMT level, 1/1 async: 25600 > 105 * 128 = 13440, so prev; its idle sibling 2 gets the task.
    for (const std::string_view version : {"o1-2.6.16", "o1-2.6.22"}) {
        WakeWorld w({.version = version, .n_this = 1, .n_prev = 1, .cpus = 3});
        w.set_levels(all_of(w.state(), kWakeAffine | kWakeIdle, 110, 0));
        EXPECT_EQ(w.select(), CpuId{2});
        EXPECT_EQ(w.rule, PlaceRule::kIdleSearch);
        w.state().sched_smt = false;  // wake_idle() is not compiled in
        EXPECT_EQ(w.select(), kPrev);
    }
}

TEST(WakeIdle, LooksOnlyWhenTheQueueIsShortFrom2_6_22) {
    for (const std::string_view version : {"o1-2.6.16", "o1-2.6.22"}) {
        WakeWorld w({.version = version, .n_this = 3, .n_prev = 2, .cpus = 3});
        w.set_levels(all_of(w.state(), kWakeAffine | kWakeIdle, 110, 0));
        EXPECT_EQ(w.select(), version == "o1-2.6.22" ? kPrev : CpuId{2});
    }
}

// o1.md 5.7: waker and wakee on the two threads of core 0, prev busy: 100 * 256 > 105 * 128, so
// prev; its only sibling is the waker's CPU. With the waker's CPU idle after an interrupt: there.
TEST(WakeIdle, SearchesTheSiblingsOfACore) {
    for (const std::string_view version : {"o1-2.6.9-el", "o1-2.6.16", "o1-2.6.22"}) {
        for (const bool sibling_idle : {false, true}) {
            TestWorld w(version, thread_pairs(4), 250);
            w.add_queued(0);
            w.rq(0).cpu_load.fill(kLoadScale);
            w.rq(2).cpu_load.fill(3 * kLoadScale);
            if (!sibling_idle) w.add_queued(1);
            for (int i = 0; i < 3; ++i) w.add_queued(2);
            SchedTask& wakee = w.add(0);
            w.rq(0).clock = w.rq(2).clock = 1000 * kMs;
            entity_of(wakee).last_ran = 1000 * kMs;  // hot
            PlaceRule rule{};
            // The waker on CPU 2 is too busy to pull; CPU 3 is idle, but not near CPU 0.
            const CpuId cpu = w.sched.select_task_rq(
                wakee, {.this_cpu = CpuId{2}, .waker = w.sched.curr(CpuId{2})}, rule);
            EXPECT_EQ(cpu, CpuId{sibling_idle ? 1u : 0u}) << version;
        }
    }
}

TEST(WakeFilter, OnlyTheSecondWakeFromOneCpuMayPull) {
    // Row 1/2 async pulls. Last waker was CPU 3: the first wake from CPU 0 stays on prev.
    WakeWorld w({.version = "o1-2.6.16-rc3", .n_this = 1, .n_prev = 2, .cpus = 4});
    entity_of(*w.wakee).last_waker_cpu = CpuId{3};
    EXPECT_EQ(w.select(), kPrev);
    EXPECT_EQ(entity_of(*w.wakee).last_waker_cpu, kThis);
    EXPECT_EQ(w.select(), kThis);
}

// Siblings {0, 1}; the wakee ran on CPU 0, which is busy; CPU 1 is idle; CPU 2 wakes (o1.md 13.8).
CpuId woken_with_wake_balance_off(std::string_view version, CpuId waker) {
    TestWorld w(version, private_caches(3), 250);
    w.state().wake_balance = false;
    SchedDomain siblings = all_of(w.state(), kWakeAffine | kWakeIdle, 110, 0);
    siblings.span.clear(CpuId{2});
    siblings.cpus.pop_back();
    w.state().domains[0] = w.state().domains[1] = {siblings};
    w.add_queued(0);
    w.add_queued(2);
    SchedTask& p = w.add(0);
    PlaceRule rule{};
    return w.sched.select_task_rq(p, {.this_cpu = waker, .waker = w.sched.curr(waker)}, rule);
}

TEST(WakeBalanceSysctl, OffKeepsRemoteWakesOnPrev) {
    EXPECT_EQ(woken_with_wake_balance_off("o1-2.6.16+wb", CpuId{2}), CpuId{0});
    EXPECT_EQ(woken_with_wake_balance_off("o1-2.6.9-el", CpuId{2}), CpuId{1});  // wake_idle kept
    EXPECT_EQ(woken_with_wake_balance_off("o1-2.6.16+wb", CpuId{0}), CpuId{1});
    EXPECT_EQ(woken_with_wake_balance_off("o1-2.6.9-el", CpuId{0}), CpuId{1});
}

TEST(WakeOnX2, VanillaTakesCoresForThreadsAndPullsHotTasks) {
    // SMT level: hot time 0, so the wakee is cold; no idle sibling. EL: 137 * 128 > 12800
    // (o1.md 13.9).
    EXPECT_EQ(letter({"o1-2.6.9", 1, 1, false, true}), 'T');
    EXPECT_EQ(letter({"o1-2.6.9-el", 1, 1, false, true}), 'P');
}

TEST(WakePreempt, SyncWakeeOnTheWakersCpuWaits) {
    // o1.md 13.2: hogs run at 125, the wakee has 500 ms (120). 1/1: async stays on prev, sync
    // pulls.
    for (const bool sync : {false, true}) {
        WakeWorld w({"o1-2.6.22", 1, 1, sync});
        entity_of(*w.wakee).sleep_avg = 500 * kMs;
        w.host.time = Time{1'000'000'000};
        entity_of(*w.wakee).timestamp = 1'000'000'000;
        const WakeResult r = try_to_wake_up(
            w.sched, *w.wakee, {.this_cpu = kThis, .waker = w.sched.curr(kThis), .sync = sync});
        EXPECT_EQ(r.cpu, sync ? kThis : kPrev);
        EXPECT_FALSE(w.host.need_resched(kThis));
        EXPECT_EQ(w.host.need_resched(kPrev), !sync);
        EXPECT_TRUE(w.wakee->on_rq);
    }
}

}  // namespace
}  // namespace wakelab::policy::o1::test
