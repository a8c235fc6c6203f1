#include <gtest/gtest.h>

#include "policy/cfs/test_world.hpp"

namespace wakelab::policy::cfs {

namespace {

// cfs.md UT-4: A runs alone at v = 100 ms on a queue whose minimum was 50 ms when it was picked; B
// wakes.
struct Wake {
    Wake(std::string_view key, std::uint64_t b_vruntime) : w(key, "x2") {
        w.boot();
        SchedTask& a = w.add_task(0);
        SchedTask& b = w.add_task(0);
        w.rq(0).cfs.min_vruntime = 50 * kMs;
        entity_of(a).vruntime = 99 * kMs;  // and it has run 1 ms since its last accounting
        entity_of(b).vruntime = b_vruntime;
        w.queue(0);
        w.run(0);
        w.rq(0).clock = 1 * kMs;
        enqueue_task(w.state(), b, true);
        placed = entity_of(b).vruntime;
        min_vruntime = w.rq(0).cfs.min_vruntime;
        check_preempt_curr(w.state(), b, {});
        preempts = w.host.marked[0];
    }

    TestWorld w;
    std::uint64_t placed = 0;
    std::uint64_t min_vruntime = 0;
    bool preempts = false;
};

// V24 raises the minimum to 100 first: B at max(20, 100 - 40) = 60, 60 + 20 < 100. V25 keeps 50: B
// at max(20, 50 - 40) = 20, and as leftmost leaves the minimum at 50. V26A: credit 2 * 40 ms, lead
// 80 > 40. V28: minimum 100, B at 60. V32: credit 5 ms, lead 5 > 2.
TEST(PlaceEntity, LongSleeperGetsTheCreditOfItsVersion) {
    struct Row {
        std::string_view key;
        std::uint64_t placed, min_vruntime;
    };
    for (const Row& r :
         {Row{"V24", 60, 100}, Row{"V25", 20, 50}, Row{"V26A", 20, 50}, Row{"V26", 20, 50},
          Row{"V28", 60, 100}, Row{"V31", 60, 100}, Row{"V32", 95, 100}}) {
        const Wake wake(r.key, 20 * kMs);
        EXPECT_EQ(wake.placed, r.placed * kMs) << r.key;
        EXPECT_EQ(wake.min_vruntime, r.min_vruntime * kMs) << r.key;
        EXPECT_TRUE(wake.preempts) << r.key;
    }
}

// No credit in the tip tree of September 2009: B at the minimum, 100, beside A.
TEST(PlaceEntity, TipOfSeptember2009GivesNoCredit) {
    const Wake wake("T0913", 20 * kMs);
    EXPECT_EQ(wake.placed, 100 * kMs);
    EXPECT_FALSE(wake.preempts);
}

// B.v = 99 ms: nobody places it back, and a lead of 1 ms preempts nobody (V32: granularity 2 ms).
TEST(PlaceEntity, ShortSleeperKeepsItsVruntimeAndWaits) {
    for (const std::string_view key : {"V24", "V25", "V26A", "V26", "V28", "V32"}) {
        const Wake wake(key, 99 * kMs);
        EXPECT_EQ(wake.placed, 99 * kMs) << key;
        EXPECT_FALSE(wake.preempts) << key;
    }
}

// cfs.md UT-4: running at min_vruntime = 100 with leftmost 130. 2.6.28 takes the leftmost, 2.6.29
// the minimum of both.
TEST(MinVruntime, TieBugOf2628) {
    for (const auto& [key, expected] :
         {std::pair<std::string_view, std::uint64_t>{"V28", 130}, {"V29", 100}}) {
        TestWorld w(key, "one");
        w.boot();
        w.add_task(0);
        w.add_task(0);
        w.se(0).vruntime = 100 * kMs;
        w.se(1).vruntime = 130 * kMs;
        w.queue(0);
        w.queue(1);
        w.run(0);
        w.rq(0).cfs.min_vruntime = 100 * kMs;
        update_min_vruntime(w.state(), w.rq(0).cfs);
        EXPECT_EQ(w.rq(0).cfs.min_vruntime, expected * kMs) << key;
    }
}

}  // namespace

}  // namespace wakelab::policy::cfs
