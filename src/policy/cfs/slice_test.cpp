#include <gtest/gtest.h>

#include "policy/cfs/test_world.hpp"

namespace wakelab::policy::cfs {

namespace {

// A flat queue of n equal nice-0 tasks on a machine of two CPUs: latency 40 ms, granularity 8 ms
// (V32: 10 and 2).
struct Queue {
    Queue(std::string_view key, std::uint32_t n) : w(key, "x2") {
        w.boot();
        cfs.nr_running = n;
        cfs.load = {1024ull * n, 0};
        se.on_rq = true;
        se.cfs = &cfs;
    }
    std::uint64_t slice() { return sched_slice(w.state(), cfs, se); }
    std::uint64_t debit_of_new_task() {
        se.on_rq = false;
        return sched_vslice(w.state(), cfs, se);
    }

    TestWorld w;
    CfsRq cfs;
    Entity se;
};

// cfs.md UT-2. V24, n = 6: period 40 * 6 / 5 = 48 ms, a sixth of it = 8 ms. V25, n = 1: 40 ms *
// 1024 times the inverse 4190211 of 1024, rounded: 39960966.
TEST(Slice, EqualTasksShareThePeriod) {
    struct Row {
        std::string_view key;
        std::vector<std::uint64_t> by_count;
    };
    const std::vector<std::uint64_t> divided = {40000000, 20000000, 13333333, 10000000,
                                                8000000,  8000000,  8000000,  8000000};
    const std::vector<std::uint64_t> multiplied = {39960976, 19990244, 13328991, 9997559,
                                                   7998438,  7998699,  7998888,  7999023};
    for (const Row& row :
         {Row{"V24", divided}, Row{"V26", divided},
          Row{"V25", {39960966, 19990234, 13328981, 9997549, 7998428, 7998688, 7998875, 7999008}},
          Row{"V26A", multiplied}, Row{"V27", multiplied}, Row{"V28", multiplied},
          Row{"V29", multiplied}, Row{"V30", multiplied}, Row{"V31", multiplied},
          Row{"V32", {9990244, 4997561, 3332248, 2499390, 1999609, 1999675, 1999722, 1999756}}})
        for (std::uint32_t n = 1; n <= 8; ++n)
            EXPECT_EQ(Queue(row.key, n).slice(), row.by_count[n - 1]) << row.key << " n = " << n;
}

// cfs.md UT-2: nice 0 and nice 5 together, RW = 1024 + 335 = 1359. V24: 40 ms * 1024 / 1359 =
// 30139808.
TEST(Slice, UnequalTasksShareByWeight) {
    struct Row {
        std::string_view key;
        std::uint64_t nice0, nice5;
    };
    for (const Row& r : {Row{"V24", 30139808, 9860191}, Row{"V26", 30139808, 9860191},
                         Row{"V25", 30117636, 9852948}, Row{"V26A", 30117645, 9852952},
                         Row{"V27", 30117645, 9852952}, Row{"V28", 30117645, 9852952},
                         Row{"V29", 30117645, 9852952}, Row{"V30", 30117645, 9852952},
                         Row{"V31", 30117645, 9852952}}) {
        Queue q(r.key, 2);
        q.cfs.load = {1359, 0};
        EXPECT_EQ(q.slice(), r.nice0) << r.key;
        q.se.load = kNiceLoad[25];
        EXPECT_EQ(q.slice(), r.nice5) << r.key;
    }
}

// cfs.md UT-3. V24, n = 2: 40 ms * 1024 / 3072 = 13333333. V28 does not add the newcomer's weight:
// n = 1 gives the slice of one, V29+ that of two.
TEST(Slice, NewTaskIsPlacedOneVsliceBehind) {
    struct Row {
        std::string_view key;
        std::uint64_t n1, n2, n4, n5;
    };
    for (const Row& r : {Row{"V24", 20000000, 13333333, 8000000, 8000000},
                         Row{"V25", 20000000, 13333333, 8000000, 8000000},
                         Row{"V26", 20000000, 13333333, 8000000, 8000000},
                         Row{"V26A", 40000000, 40000000, 40000000, 48000000},
                         Row{"V27", 40000000, 40000000, 40000000, 48000000},
                         Row{"V28", 39960976, 19990244, 9997559, 9598125},
                         Row{"V29", 19990244, 13328991, 7998438, 7998699},
                         Row{"V30", 19990244, 13328991, 7998438, 7998699},
                         Row{"V31", 19990244, 13328991, 7998438, 7998699}}) {
        EXPECT_EQ(Queue(r.key, 1).debit_of_new_task(), r.n1) << r.key;
        EXPECT_EQ(Queue(r.key, 2).debit_of_new_task(), r.n2) << r.key;
        EXPECT_EQ(Queue(r.key, 4).debit_of_new_task(), r.n4) << r.key;
        EXPECT_EQ(Queue(r.key, 5).debit_of_new_task(), r.n5) << r.key;
    }
}

// Granularity against a running task of nice `curr` in a queue of weight rw.
std::uint64_t gran(std::string_view key, int curr_nice, std::uint64_t rw, int wakee_nice = 0) {
    Queue q(key, 2);
    q.cfs.load = {rw, 0};
    Entity wakee;
    q.se.load = kNiceLoad[static_cast<std::size_t>(curr_nice + 20)];
    wakee.load = kNiceLoad[static_cast<std::size_t>(wakee_nice + 20)];
    return wakeup_gran(q.w.state(), q.cfs, q.se, wakee);
}

// cfs.md UT-5. V24, nice 5: 20 ms * 1024 / 335, rounded = 61134329; V25 scales only heavy tasks.
TEST(Granularity, ScalesWithTheRunningTaskUpTo2629) {
    EXPECT_EQ(gran("V24", 5, 1359), 61134329u);
    EXPECT_EQ(gran("V24", -5, 4145), 6561999u);
    EXPECT_EQ(gran("V25", -5, 4145), 3281000u);
    EXPECT_EQ(gran("V25", 5, 1359), 10000000u);
    EXPECT_EQ(gran("V26", -5, 4145), 6561999u);
}

// cfs.md UT-5: V26A 20 ms per task; V27 10 ms, and a light curr counts as nice 0 in the queue, too:
// 1359 + 1024 - 335 = 2048.
TEST(Granularity, ScalesWithTheQueueIn2626Rc3And2627) {
    EXPECT_EQ(gran("V26A", 0, 3072), 60000000u);
    EXPECT_EQ(gran("V26A", 5, 1359), 26542976u);
    EXPECT_EQ(gran("V26A", -5, 4145), 26562007u);
    EXPECT_EQ(gran("V27", 0, 3072), 30000000u);
    EXPECT_EQ(gran("V27", 5, 1359), 20000000u);
    EXPECT_EQ(gran("V27", -5, 4145), 13281004u);
}

// cfs.md UT-5, adaptive part off because nothing runs.
TEST(Granularity, ScalesWithTheWakeeFrom2630On) {
    EXPECT_EQ(gran("V31", 0, 1359, 5), 30567164u);
    EXPECT_EQ(gran("V31", 0, 4145, -5), 3281000u);
    EXPECT_EQ(gran("V31", 5, 1359, 0), 10000000u);
}

// cfs.md UT-5: expected 2 * 100 us * 3 = 600 us, ran 200 us: 400 us are left.
TEST(Granularity, AdaptsToHowOftenTheWakeeWakes) {
    Queue q("V31", 3);
    Entity wakee;
    wakee.avg_wakeup = 100'000;
    q.cfs.curr = &q.se;
    q.se.sum_exec = 5'200'000;
    q.se.prev_sum = 5'000'000;
    EXPECT_EQ(wakeup_gran(q.w.state(), q.cfs, q.se, wakee), 400'000u);
    q.se.vruntime = 1'000'000;
    wakee.vruntime = 600'000;
    EXPECT_EQ(wakeup_preempt_entity(q.w.state(), q.cfs, q.se, wakee), 0);
    wakee.vruntime = 599'999;
    EXPECT_EQ(wakeup_preempt_entity(q.w.state(), q.cfs, q.se, wakee), 1);
    wakee.avg_wakeup = 10'000'000;
    EXPECT_EQ(wakeup_gran(q.w.state(), q.cfs, q.se, wakee), 10'000'000u);
}

}  // namespace

}  // namespace wakelab::policy::cfs
