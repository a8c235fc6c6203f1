// The price of the one lock: goodness.md 9.2, 9.4 and 10 (L).
#include "policy/goodness/runqueue_lock.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "base/prng.hpp"
#include "policy/goodness/test_world.hpp"

namespace wakelab::policy::goodness {
namespace {

using test::TestWorld;

RunqueueLock osdl_lock() {
    RunqueueLock lock(test::osdl_box(4));
    lock.expect_tasks(256);
    return lock;
}

double miss(const RunqueueLock& lock, std::uint32_t n) {
    return static_cast<double>(lock.miss(n)) / static_cast<double>(1ull << RunqueueLock::kMissBits);
}

// The binomial tail in floating point, 16 sets of 8 ways.
double exact_miss(std::uint32_t n) {
    double fits = 0;
    for (std::uint32_t k = 0; k < 8 && k < n; ++k) {
        double term = 1;
        for (std::uint32_t i = 0; i < k; ++i) term = term * (n - 1 - i) / (i + 1) / 15.0;
        fits += term;
    }
    for (std::uint32_t i = 0; i + 1 < n; ++i) fits *= 15.0 / 16.0;
    return 1 - fits;
}

TEST(RunqueueLock, MissesAreTheBinomialTail) {
    const RunqueueLock lock = osdl_lock();
    for (std::uint32_t n = 1; n <= 256; ++n) EXPECT_NEAR(miss(lock, n), exact_miss(n), 1e-9) << n;
}

// The table of 9.4 has three digits, and S in tenths of a microsecond.
TEST(RunqueueLock, TableOfTheSpecification) {
    struct Row {
        std::uint32_t n;
        double miss;
        double pass_us;
    };
    const RunqueueLock lock = osdl_lock();
    for (const Row& r : {Row{4, 0, 0.7},
                         {8, 0, 0.9},
                         {16, 0, 1.3},
                         {32, 0, 2.1},
                         {64, .042, 4.9},
                         {96, .243, 15.8},
                         {128, .543, 38.2},
                         {160, .783, 64.9},
                         {192, .915, 89.1},
                         {256, .991, 127.5}}) {
        EXPECT_NEAR(miss(lock, r.n), r.miss, 0.00075) << r.n;
        const double us = static_cast<double>(500 + lock.scan(r.n).ns) / 1000;
        EXPECT_NEAR(us, r.pass_us, 0.06) << r.n;
    }
}

TEST(RunqueueLock, LargeCachesHoldEveryTask) {
    topo::Machine m = test::osdl_box(1);
    m.caches[0].size_bytes = 4 << 20;
    m.caches[0].ways = 16;
    RunqueueLock lock(m);
    lock.expect_tasks(128);
    EXPECT_LT(miss(lock, 128), 1e-4);
    EXPECT_NEAR(static_cast<double>(lock.scan(128).ns), 128 * 50, 8);
}

// CPU 0 holds from 0 to 100; CPU 1 comes at 40 and waits 60, until 100, CPU 2 at 50 until 130. CPU
// 2 again at the same instant continues after itself.
TEST(RunqueueLock, ServesInOrderOfRequest) {
    RunqueueLock lock = osdl_lock();
    EXPECT_EQ(lock.take(Time{0}, CpuId{0}, Duration{100}), Duration{0});
    EXPECT_EQ(lock.take(Time{40}, CpuId{1}, Duration{30}), Duration{60});
    EXPECT_EQ(lock.take(Time{50}, CpuId{2}, Duration{10}), Duration{80});
    EXPECT_EQ(lock.take(Time{50}, CpuId{2}, Duration{10}), Duration{0});
    EXPECT_EQ(lock.take(Time{60}, CpuId{0}, Duration{1}), Duration{90});
    EXPECT_EQ(lock.take(Time{500}, CpuId{1}, Duration{1}), Duration{0});
}

// The Monte Carlo of 9.4: four CPUs, each works for 103 us on average and then wants a pass; two
// passes are a round trip, 184 of them a MB.
struct Saturation {
    double mb_per_s = 0;
    double spin_us = 0;
};

Saturation saturate(std::uint32_t n) {
    RunqueueLock lock = osdl_lock();
    const Duration pass = Duration{500} + lock.scan(n);
    Prng random(1, 0, n);
    std::array<Time, 4> request{};
    for (Time& t : request) t = Time{random.exponential(103'000)};
    constexpr int kPasses = 400'000;
    Duration spin;
    for (int i = 0; i < kPasses; ++i) {
        const auto first = std::ranges::min_element(request);
        const auto cpu = static_cast<std::uint32_t>(first - request.begin());
        const Duration waited = lock.take(*first, CpuId{cpu}, pass);
        spin += waited;
        *first = *first + waited + pass + Duration{random.exponential(103'000)};
    }
    const double seconds = static_cast<double>(std::ranges::min(request).ns) / 1e9;
    return {kPasses / seconds / 2 / 184, static_cast<double>(spin.ns) / kPasses / 1000};
}

TEST(RunqueueLock, ThroughputOfTheSpecification) {
    struct Row {
        std::uint32_t n;
        double mb_per_s;
        double spin_us;
    };
    for (const Row& r : {Row{4, 104.6, 0.2},
                         {64, 100.2, 0.6},
                         {96, 88.0, 4.8},
                         {128, 62.4, 33},
                         {192, 30.4, 165},
                         {256, 21.3, 280}}) {
        const Saturation s = saturate(r.n);
        EXPECT_NEAR(s.mb_per_s, r.mb_per_s, r.mb_per_s * 0.01) << r.n;
        EXPECT_NEAR(s.spin_us, r.spin_us, 0.3 + r.spin_us * 0.03) << r.n;
    }
}

// A wake-up holds 300 + 4 x 300 and 1000 for the IPI; 300 of it are the host's `wake`.
TEST(RunqueueLock, WakeUpsPayForTheCpusTheyLookAt) {
    TestWorld w;
    for (std::uint32_t c = 0; c < 4; ++c) w.add_running(6, c, c);
    w.wake(w.add(6, 1, 9));
    EXPECT_EQ(w.host.charged.ns, 4 * 300);
    TestWorld idle;
    idle.add_running(6, 0, 1);
    idle.wake(idle.add(6, 1, 9));  // its last CPU is idle: one look, one IPI
    EXPECT_EQ(idle.host.charged.ns, 300 + 1000);
    TestWorld sync;
    sync.add_running(6, 0, 1);
    sync.wake(sync.add(6, 1, 9), 0, true);
    EXPECT_EQ(sync.host.charged.ns, 0);
}

// schedule() with two listed tasks: two visits of 50; 500 more are within the host's switch_direct,
// but CPU 1, which comes at the same instant, waits for all 600 before its own.
TEST(RunqueueLock, PassesOfScheduleWaitForEachOther) {
    TestWorld w;
    w.add_running(6, 0, 1);
    w.add_running(6, 1, 2);
    w.schedule(0);
    EXPECT_EQ(w.host.charged.ns, 2 * 50);
    w.schedule(1);
    EXPECT_EQ(w.host.charged.ns, 2 * 50 + 600 + 2 * 50);
}

// The refill of 3 tasks and a second pass over 1.
TEST(RunqueueLock, RecalculationIsPaidPerTask) {
    TestWorld w;
    w.add(0, 0, 3);
    w.add_queued(0, 0, 2);
    w.add_running(4, 0, 1);
    w.block(0);
    EXPECT_EQ(w.host.charged.ns, 50 + 3 * 600 + 500 + 50);
}

}  // namespace
}  // namespace wakelab::policy::goodness
