#include "judge/ring_tables.hpp"

namespace wakelab::judge {

namespace {

using Settings = std::vector<std::pair<std::string, std::int64_t>>;

// The box of X17 and X18 ("16-way", "phoenix") is unknown but for its 16 CPUs;
// data/published/README.md guesses four nodes, and "domain0+domain1" in X18 says that there are two
// levels of domains.
constexpr const char* kNuma = "numa-4x4";
constexpr const char* kMay2008 = "tip/sched 2008-05";
constexpr const char* kNovember2008 = "2.6.28-rc3";
constexpr const char* kEverywhere = "WAKE_AFFINE everywhere";
constexpr const char* kSwitchedOn = "WAKE_AFFINE switched on at domain0+domain1 (from sample 4)";

// Flags of the levels before the change, where the scheduler named in the column has it in already.
// domain0 is CPU (1 LOAD_BALANCE, 2 NEWIDLE, 4 EXEC, 8 FORK, 32 WAKE_AFFINE), domain1 NODE (64
// WAKE_BALANCE, 1024 SERIALIZE).
constexpr std::int64_t kCpuBefore = 1 + 2 + 4 + 8 + 32;
constexpr std::int64_t kNodeBefore = 1 + 4 + 8 + 64 + 1024;
constexpr std::int64_t kWakeAffine = 32;

Settings flags(std::int64_t cpu, std::int64_t node) {
    return {{"sched_domain.domain0.flags", cpu}, {"sched_domain.domain1.flags", node}};
}

PublishedColumn column(std::string experiment, std::string kernel, std::string variant,
                       std::string label, std::string scheduler, Settings tunables) {
    return {.experiment = std::move(experiment),
            .kernel = std::move(kernel),
            .variant = std::move(variant),
            .label = std::move(label),
            .machine = kNuma,
            .scheduler = std::move(scheduler),
            .features = {},
            .batch = {},
            .pins = {},
            .needs = {},
            .tunables = std::move(tunables),
            .scenario = "lat_ctx",
            .unit = "us",
            .quantity = Quantity::kLatency};
}

std::vector<PublishedColumn> build_lat_ctx() {
    std::vector<PublishedColumn> t;
    const Settings before = flags(kCpuBefore, kNodeBefore);
    const Settings affine = flags(kCpuBefore, kNodeBefore | kWakeAffine);
    // The tree of 29 May 2008 is the fair class of -rc4 (cfs.md 0.1).
    t.push_back(column("X17", kMay2008, "no WAKE_AFFINE", "no affine", "cfs-2.6.26-rc3", before));
    t.push_back(column("X17", kMay2008, "WAKE_AFFINE", "affine", "cfs-2.6.26-rc3", affine));
    t.push_back(column("X18", kNovember2008, "before", "before", "cfs-2.6.28", before));
    t.push_back(column("X18", kNovember2008, kEverywhere, "affine", "cfs-2.6.28", {}));
    for (const auto& [variant, label] :
         {std::pair{"before", "before"}, std::pair{"tuned sibling domain", "tuned"}}) {
        t.push_back(column("X19", kNovember2008, variant, label, "cfs-2.6.28", {}));
        t.back().machine = "unknown";
        t.back().needs = "hyper-threads: the SMT level of the domains";
    }
    return t;
}

std::vector<PublishedColumn> build_pipe_test() {
    std::vector<PublishedColumn> t;
    t.push_back(column("X18", kNovember2008, "before", "before", "cfs-2.6.28",
                       flags(kCpuBefore, kNodeBefore)));
    t.push_back(column("X18", kNovember2008, kSwitchedOn, "affine", "cfs-2.6.28",
                       flags(kCpuBefore | kWakeAffine, kNodeBefore | kWakeAffine)));
    for (PublishedColumn& c : t) {
        c.scenario = "pipe-test";
        c.unit = "us/loop";
    }
    return t;
}

}  // namespace

std::span<const PublishedColumn> lat_ctx_columns() {
    static const std::vector<PublishedColumn> table = build_lat_ctx();
    return table;
}

std::span<const PublishedColumn> pipe_test_columns() {
    static const std::vector<PublishedColumn> table = build_pipe_test();
    return table;
}

}  // namespace wakelab::judge
