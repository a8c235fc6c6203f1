#include "sim/cache_model.hpp"

#include <gtest/gtest.h>

#include "support/fifo_sched.hpp"

namespace wakelab::sim {
namespace {

// CPUs 0, 1 share cache 0 (1 MiB), CPUs 2, 3 cache 1. L1 32 KiB. Memory line 100 ns, far 120, near 20,
// L1 refill 6.
topo::Machine machine() {
    topo::Machine m = test::free_machine(4);
    m.costs.line_memory = 100;
    m.costs.line_far = 120;
    m.costs.line_near = 20;
    m.costs.line_l1 = 6;
    return m;
}

Footprint kib(std::int64_t n) {
    Footprint f;
    f.bytes = n * 1024;
    return f;
}

constexpr std::int64_t kL1Lines = 32 * 1024 / 64;

TEST(CacheModel, UnchangedCacheCostsNothing) {
    CacheModel caches(machine());
    Footprint a = kib(64);
    caches.use(a, CpuId{0});
    EXPECT_EQ(caches.use(a, CpuId{0}), 0);
}

// Other CPU, same cache: only L1 is cold: 512 lines x 6 ns.
TEST(CacheModel, NeighbourOfTheSameCacheRefillsOnlyL1) {
    CacheModel caches(machine());
    Footprint a = kib(64);
    caches.use(a, CpuId{0});
    EXPECT_EQ(caches.use(a, CpuId{1}), kL1Lines * 6);
}

// Other cache, nothing evicted where it came from: 1024 lines x 120 ns, and L1.
TEST(CacheModel, MoveToAnotherCacheFetchesFarLines) {
    CacheModel caches(machine());
    Footprint a = kib(64);
    caches.use(a, CpuId{0});
    EXPECT_EQ(caches.use(a, CpuId{2}), 1024 * 120 + kL1Lines * 6);
}

// A foreign 1 MiB passes through the 1 MiB cache: 1 - 1/e = 63.2 % of 1024 lines are gone, 647 lines
// x 100 ns from memory. L1 (32 KiB) saw 32 KiB pass: the same share of its 512 lines, 323 x 6 ns.
TEST(CacheModel, ForeignBytesEvictExponentially) {
    CacheModel caches(machine());
    Footprint a = kib(64);
    Footprint big = kib(1024);
    caches.use(a, CpuId{0});
    caches.use(big, CpuId{0});
    EXPECT_NEAR(static_cast<double>(caches.use(a, CpuId{0})), 647 * 100 + 323 * 6, 120);
}

// 256 KiB of 1 MiB hold shared pages: 1 MiB of foreign bytes is 4/3 of what is left, 1 - exp(-4/3) = 73.6 %.
TEST(CacheModel, SharedPagesLeaveLessRoom) {
    CacheModel caches(machine());
    caches.reserve_shared(256 * 1024);
    Footprint a = kib(64);
    Footprint big = kib(1024);
    caches.use(a, CpuId{0});
    caches.use(big, CpuId{0});
    EXPECT_NEAR(static_cast<double>(caches.use(a, CpuId{0})), 0.736 * 1024 * 100 + 323 * 6, 250);
}

TEST(CacheModel, SharedSetIsPaidForWhenAnotherCpuWroteLast) {
    CacheModel caches(machine());
    SharedSet set{.lines = 10, .writer = kNoCpu};
    EXPECT_EQ(caches.use(set, CpuId{0}), 0);        // nobody wrote before
    EXPECT_EQ(caches.use(set, CpuId{0}), 0);
    EXPECT_EQ(caches.use(set, CpuId{1}), 10 * 20);  // near
    EXPECT_EQ(caches.use(set, CpuId{3}), 10 * 120); // far
}

TEST(CacheModel, TasksWithoutFootprintAreFree) {
    CacheModel caches(machine());
    Footprint none;
    EXPECT_EQ(caches.use(none, CpuId{0}), 0);
    EXPECT_EQ(caches.use(none, CpuId{2}), 0);
}

}  // namespace
}  // namespace wakelab::sim
