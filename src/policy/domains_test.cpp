#include "policy/domains.hpp"

#include <gtest/gtest.h>

#include "policy/cfs/cfs_domains.hpp"
#include "policy/registry.hpp"

namespace wakelab::policy {
namespace {

// Eight CPUs, caches of two, and two nodes of four if `nodes`.
topo::Machine eight(bool nodes) {
    topo::Machine m;
    m.vendor = "intel";
    m.cpus = 8;
    for (std::uint32_t c = 0; c < 8; ++c) {
        if (c % 2 == 0) m.caches.push_back({.size_bytes = 4 << 20, .cpus = {}});
        m.caches.back().cpus.push_back(CpuId{c});
        m.cache_of.push_back(c / 2);
        if (nodes && c % 4 == 0) m.nodes.emplace_back();
        if (nodes) m.nodes.back().push_back(CpuId{c});
    }
    return m;
}

constexpr LevelParams kMcLevel{.kind = LevelKind::kMc, .flags = kSharePkgResources};
constexpr LevelParams kCpuLevel{.kind = LevelKind::kCpu};
constexpr LevelParams kNodeLevel{.kind = LevelKind::kNode};

std::vector<std::size_t> spans(const std::vector<SchedDomain>& levels) {
    std::vector<std::size_t> sizes;
    for (const SchedDomain& d : levels) sizes.push_back(d.cpus.size());
    return sizes;
}

TEST(Domains, ANodeLevelStandsAboveTheNodes) {
    const std::vector<LevelParams> levels = {kMcLevel, kCpuLevel, kNodeLevel};
    const auto domains = build_domains(eight(true), levels, 1024);
    for (const auto& of_cpu : domains)
        EXPECT_EQ(spans(of_cpu), (std::vector<std::size_t>{2, 4, 8}));
    // CPU 5's node is {4..7}; its NODE groups are the two nodes, its own first. The groups below are two
    // pairs that share a cache and so count as one CPU each (o1.md 9.3).
    EXPECT_EQ(domains[5][1].cpus.front(), CpuId{4});
    const auto& groups = domains[5][2].groups;
    ASSERT_EQ(groups.size(), 2u);
    EXPECT_EQ(groups[0].cpus.front(), CpuId{4});
    EXPECT_EQ(groups[0].power, 2 * 1024u);
}

TEST(Domains, WithoutNodesTheNodeLevelAddsNothingAndIsDropped) {
    const std::vector<LevelParams> levels = {kMcLevel, kCpuLevel, kNodeLevel};
    EXPECT_EQ(spans(build_domains(eight(false), levels, 1024)[0]),
              (std::vector<std::size_t>{2, 8}));
}

// Else CPUs of different nodes would have no domain in common.
TEST(Domains, AVersionWithoutNodeLevelSpansTheMachineAtItsHighest) {
    const std::vector<LevelParams> levels = {kMcLevel, kCpuLevel};
    EXPECT_EQ(spans(build_domains(eight(true), levels, 1024)[0]), (std::vector<std::size_t>{2, 8}));
}

TEST(Domains, FlagsAreTunablesByLevel) {
    const topo::Machine m = eight(true);
    const cfs::CfsVersion& v28 = cfs::version_by_key("V28");
    const SchedulerInfo& info = **find_scheduler("cfs-2.6.28");
    const auto config = configure(info, m, {}, {{{"sched_domain.domain2.flags", 5}}});
    ASSERT_TRUE(config) << config.error().message;
    // Unchanged levels keep theirs: MC has SHARE_PKG_RESOURCES, WAKE_AFFINE.
    cfs::Domains domains = cfs::make_domains(v28, m);
    EXPECT_EQ(config->tunable("sched_domain.domain0.flags"), domains[0][0].params.flags);
    EXPECT_TRUE(domains[7][2].has(kWakeAffine));
    cfs::apply_flag_tunables(*config, domains);
    for (const auto& of_cpu : domains) {
        EXPECT_EQ(of_cpu[2].params.flags, 5u);
        EXPECT_TRUE(of_cpu[0].has(kWakeAffine));
    }
    EXPECT_FALSE(configure(info, m, {}, {{{"sched_domain.domain3.flags", 5}}}));
}

}  // namespace
}  // namespace wakelab::policy
