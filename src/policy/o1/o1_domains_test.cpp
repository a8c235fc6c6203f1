// The domain levels of o1.md 9.
#include "policy/o1/o1_domains.hpp"

#include <gtest/gtest.h>

#include <string>

#include "policy/o1/test_world.hpp"

namespace wakelab::policy::o1::test {
namespace {

// Levels of CPU 0 as "span size: power of each group", bottom up.
std::string shape(DomainSet set, const topo::Machine& machine) {
    std::string text;
    const auto domains = o1_domains(set, machine, {});
    for (const SchedDomain& sd : domains.front()) {
        text += (text.empty() ? "" : " | ") + std::to_string(sd.cpus.size()) + ":";
        for (const SchedGroup& g : sd.groups) text += " " + std::to_string(g.power);
    }
    return text;
}

TEST(O1Domains, LevelsPerKernelAndMachine) {
    const topo::Machine x2 = private_caches(2), q6600 = shared_pairs(4);
    // Vanilla 2.6.9 sees threads of one package, and keeps the useless level above.
    EXPECT_EQ(shape(DomainSet::k2_6_9, x2), "2: 128 128 | 2: 140");  // 128 + 128 * 1 / 10
    EXPECT_EQ(shape(DomainSet::k2_6_9, q6600), "4: 128 128 128 128 | 4: 166");
    EXPECT_EQ(shape(DomainSet::k2_6_9El, x2), "2: 128 128");
    EXPECT_EQ(shape(DomainSet::k2_6_9El, q6600), "2: 128 128 | 4: 128 128");
    EXPECT_EQ(shape(DomainSet::k2_6_16, x2), "2: 128 128");
    EXPECT_EQ(shape(DomainSet::k2_6_16, q6600), "4: 128 128 128 128");
    EXPECT_EQ(shape(DomainSet::k2_6_22, x2), "2: 128 128");
    EXPECT_EQ(shape(DomainSet::k2_6_22, q6600), "2: 128 128 | 4: 128 128");
}

// Two cores of two threads; then two packages of two such cores with a cache each. Powers:
// o1.md 9.3.
TEST(O1Domains, ThreadsOfACoreAreALevel) {
    const topo::Machine ht = thread_pairs(4);
    EXPECT_EQ(shape(DomainSet::k2_6_9, ht), "2: 128 128 | 4: 140 140");
    EXPECT_EQ(shape(DomainSet::k2_6_9El, ht), "2: 128 128 | 4: 128 128");
    EXPECT_EQ(shape(DomainSet::k2_6_16, ht), "2: 128 128 | 4: 140 140");
    EXPECT_EQ(shape(DomainSet::k2_6_22, ht), "2: 128 128 | 4: 128 128");
    topo::Machine two_packages = thread_pairs(8);
    two_packages.caches = {
        {.size_bytes = 1 << 20, .cpus = {CpuId{0}, CpuId{1}, CpuId{2}, CpuId{3}}},
        {.size_bytes = 1 << 20, .cpus = {CpuId{4}, CpuId{5}, CpuId{6}, CpuId{7}}}};
    EXPECT_EQ(shape(DomainSet::k2_6_9, two_packages), "4: 128 128 128 128 | 8: 166 166");
    EXPECT_EQ(shape(DomainSet::k2_6_9El, two_packages), "2: 128 128 | 4: 140 140 | 8: 128 128");
    EXPECT_EQ(shape(DomainSet::k2_6_16, two_packages), "2: 128 128 | 8: 140 140 140 140");
    EXPECT_EQ(shape(DomainSet::k2_6_22, two_packages), "2: 128 128 | 4: 128 128 | 8: 128 128");
    for (const DomainSet set :
         {DomainSet::k2_6_9, DomainSet::k2_6_9El, DomainSet::k2_6_16, DomainSet::k2_6_22}) {
        const SchedDomain sd = o1_domains(set, ht, {.mc_us = 19, .cpu_us = 1'500})[0][0];
        const bool measured = set == DomainSet::k2_6_16 || set == DomainSet::k2_6_22;
        EXPECT_TRUE(sd.has(kWakeIdle) && sd.has(kShareCpuPower) && sd.has(kWakeAffine));
        EXPECT_EQ(sd.params.imbalance_pct, 110u);
        EXPECT_EQ(sd.params.cache_nice_tries, 0u);
        EXPECT_EQ(sd.params.max_interval_ms, 2u);
        EXPECT_EQ(sd.params.busy_factor, set == DomainSet::k2_6_22 ? 64u : 8u);
        EXPECT_EQ(sd.params.cache_hot_time_ns, measured ? 19'000 : 0);
    }
}

TEST(O1Domains, NoIdleSearchAtWakeUpExceptInVanilla2_6_9) {
    for (const DomainSet set : {DomainSet::k2_6_9El, DomainSet::k2_6_16, DomainSet::k2_6_22}) {
        const auto domains = o1_domains(set, shared_pairs(4), {});
        for (const SchedDomain& sd : domains.front()) EXPECT_FALSE(sd.has(kWakeIdle));
    }
    EXPECT_TRUE(o1_domains(DomainSet::k2_6_9, private_caches(2), {})[0][0].has(kWakeIdle));
}

TEST(O1Domains, HotTimes) {
    EXPECT_EQ(measured_hot_times(private_caches(2)).cpu_us, 230);
    EXPECT_EQ(measured_hot_times(shared_pairs(4)).mc_us, 19);
    EXPECT_EQ(measured_hot_times(shared_pairs(4)).cpu_us, 1'500);
    // 512 KiB at 1000 MB/s is less than a tick: 2.5 ms; 4096 KiB: 4 ms.
    EXPECT_EQ(hot_times_of_ticks(cache_decay_ticks(private_caches(2), 1000)).cpu_us, 2'500);
    EXPECT_EQ(hot_times_of_ticks(cache_decay_ticks(shared_pairs(4), 1000)).cpu_us, 4'000);
}

}  // namespace
}  // namespace wakelab::policy::o1::test
