#include "lab/change.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "topo/machine.hpp"

namespace wakelab::lab {
namespace {

policy::SchedulerConfig config_of(const policy::SchedulerInfo& info,
                                  const std::vector<std::string>& features = {}) {
    return *policy::configure(info, *topo::load_machine("q6600"), features, {});
}

const policy::SchedulerInfo& scheduler(std::string_view name) {
    return **policy::find_scheduler(name);
}

std::vector<std::string> arguments(const std::vector<Change>& changes) {
    std::vector<std::string> all;
    for (const Change& c : changes) all.push_back(c.arguments());
    return all;
}

TEST(Changes, EveryBitFlippedFromWhatItIs) {
    const policy::SchedulerInfo& info = scheduler("cfs-2.6.25");
    EXPECT_EQ(arguments(feature_changes(info, config_of(info, {"NO_HRTICK"}))),
              (std::vector<std::string>{"--features NO_NEW_FAIR_SLEEPERS",
                                        "--features NO_WAKEUP_PREEMPT", "--features NO_START_DEBIT",
                                        "--features HRTICK", "--features DOUBLE_TICK"}));
}

TEST(Changes, BitsThatAreNotReadAreListedAndNotWired) {
    const policy::SchedulerInfo& info = scheduler("cfs-2.6.26-rc3");
    for (const Change& c : feature_changes(info, config_of(info)))
        EXPECT_EQ(c.wired(), c.knob != "AFFINE_WAKEUPS" && c.knob != "DEADLINE") << c.knob;
}

// 10 allows 0 1 2 5 20 40 80 (10/8 and 10/4 rounded down) and 25 ends it at 20; a switch has one
// other value; 0 has no multiples.
TEST(Changes, TunablesOnAGridWithinTheirLimits) {
    policy::SchedulerConfig config;
    config.tunables = {{"wide", 10, 0, 1'000, "ns", ""},
                       {"narrow", 10, 3, 25, "ns", ""},
                       {"switch", 1, 0, 1, "0/1", ""},
                       {"zero", 0, 0, 100, "ns", ""}};
    EXPECT_EQ(
        arguments(tunable_changes(config)),
        (std::vector<std::string>{"--set wide=0", "--set wide=1", "--set wide=2", "--set wide=5",
                                  "--set wide=20", "--set wide=40", "--set wide=80",
                                  "--set narrow=5", "--set narrow=20", "--set switch=0"}));
}

// A version's row says which bits it never reads. If it were wrong, a run would tell.
TEST(Changes, ABitThatIsNotReadChangesNothing) {
    for (const policy::SchedulerInfo& info : policy::schedulers()) {
        for (const Change& c : feature_changes(info, config_of(info))) {
            if (c.wired()) continue;
            RunSpec spec;
            spec.scheduler = info.name;
            spec.warmup = 0_s;
            spec.duration = 50_ms;
            const auto before = run(spec);
            c.apply(spec);
            const auto after = run(spec);
            ASSERT_TRUE(before && after);
            EXPECT_EQ(before->fingerprint, after->fingerprint) << info.name << " " << c.knob;
        }
    }
}

}  // namespace
}  // namespace wakelab::lab
