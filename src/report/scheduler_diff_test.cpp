#include "report/scheduler_diff.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace wakelab::report {

namespace {

const policy::SchedulerInfo& scheduler(std::string_view name) {
    return **policy::find_scheduler(name);
}

SchedulerDiff diff_of(std::string_view a, std::string_view b, bool all = false) {
    return diff_schedulers(scheduler(a), scheduler(b), *topo::load_machine("q6600"), all);
}

const DiffRow* row_of(const SchedulerDiff& diff, std::string_view name) {
    const auto at = std::ranges::find(diff.rows, name, &DiffRow::name);
    return at == diff.rows.end() ? nullptr : &*at;
}

// cfs.md 2.12: between -rc3 and the release the queue scaling went and wake_affine() changed.
TEST(SchedulerDiff, NamesWhatChangedBetweenTwoReleases) {
    const SchedulerDiff diff = diff_of("cfs-2.6.26-rc3", "cfs-2.6.26");
    ASSERT_NE(row_of(diff, "virtual time runs by"), nullptr);
    EXPECT_EQ(row_of(diff, "virtual time runs by")->a, "queue weight/weight");
    EXPECT_EQ(row_of(diff, "virtual time runs by")->b, "1/weight");
    EXPECT_EQ(row_of(diff, "wake_affine()")->section, "cfs.md 4.3");
    EXPECT_EQ(row_of(diff, "buddies"), nullptr) << "the same in both";
    EXPECT_EQ(row_of(diff, "AFFINE_WAKEUPS")->a, "on, bit 8, decides nothing");
    EXPECT_EQ(row_of(diff, "AFFINE_WAKEUPS")->b, "on, bit 8");
}

TEST(SchedulerDiff, ASchedulerDoesNotDifferFromItself) {
    const SchedulerDiff diff = diff_of("cfs-2.6.26", "cfs-2.6.26-rc5");
    EXPECT_TRUE(diff.rows.empty());
    EXPECT_EQ(diff_of("cfs-2.6.26", "cfs-2.6.26", true).rows.size(), diff.same);
}

TEST(SchedulerDiff, ShowsWhatAPatchDoes) {
    const SchedulerDiff diff = diff_of("cfs-2.6.25.4", "cfs-2.6.25.4+P5");
    EXPECT_EQ(row_of(diff, "SYNC_WAKEUPS")->a, "-");
    EXPECT_EQ(row_of(diff, "SYNC_WAKEUPS")->b, "on, bit 64");
    EXPECT_EQ(row_of(diff, "wake_affine()")->b, "balanced, light");
    EXPECT_EQ(diff.rows.size(), 3u) << "two features and wake_affine()";
    const SchedulerDiff p4 = diff_of("cfs-2.6.26", "cfs-2.6.26+P4");
    EXPECT_EQ(row_of(p4, "last_preempter_batch_ns")->a, "-");
}

// Two rows that say the same in every word would be one scheduler under two names, or a field that
// no word shows.
TEST(Parameters, EverySchedulerAndEveryPatchDiffersFromAllOthers) {
    const std::vector<std::string> names = policy::all_scheduler_names();
    const topo::Machine machine = *topo::load_machine("q6600");
    for (std::size_t i = 0; i < names.size(); ++i)
        for (std::size_t j = i + 1; j < names.size(); ++j) {
            const auto& a = scheduler(names[i]);
            const auto& b = scheduler(names[j]);
            if (a.family != b.family) continue;
            EXPECT_FALSE(diff_schedulers(a, b, machine, false).rows.empty())
                << a.name << " " << b.name;
        }
}

TEST(Parameters, OfOneFamilyHaveTheSameNamesOnce) {
    for (const policy::SchedulerInfo& info : policy::schedulers()) {
        std::set<std::string_view> names;
        for (const policy::Parameter& p : info.parameters)
            EXPECT_TRUE(names.insert(p.name).second) << info.name << ": " << p.name << " twice";
        EXPECT_FALSE(info.family.empty()) << info.name;
    }
    EXPECT_NE(parameters_markdown().find("| wake_affine() | cfs.md 4.3 |"), std::string::npos);
}

}  // namespace

}  // namespace wakelab::report
