#include "metrics/task_groups.hpp"

#include <gtest/gtest.h>

namespace wakelab::metrics {
namespace {

TEST(TaskGroups, StemDropsTrailingNumbersAndSeparators) {
    EXPECT_EQ(group_stem("postgres-12"), "postgres");
    EXPECT_EQ(group_stem("sender-3-12"), "sender");
    EXPECT_EQ(group_stem("client7"), "client");
    EXPECT_EQ(group_stem("pgbench"), "pgbench");
    EXPECT_EQ(group_stem("x264"), "x");
    EXPECT_EQ(group_stem("42"), "42");
    EXPECT_EQ(group_stem("-1"), "-1");
}

TEST(TaskGroups, JoinsTasksOfOneStemInOrderOfFirstTask) {
    const std::vector<std::string> names = {"pgbench", "postgres-0", "ksoftirqd/0", "postgres-1"};
    const TaskGroups groups{names};
    ASSERT_EQ(groups.count(), 4u);  // three stems and "others"
    EXPECT_EQ(groups.name(0), "pgbench");
    EXPECT_EQ(groups.name(1), "postgres-*");
    EXPECT_EQ(groups.name(2), "ksoftirqd/0");  // alone in its group: keeps its name
    EXPECT_EQ(groups.size(1), 2u);
    EXPECT_EQ(groups.group_of(3), 1u);
    EXPECT_EQ(groups.group_of(99), 3u);  // appeared later
}

TEST(TaskGroups, BoundsTheNumberOfGroups) {
    std::vector<std::string> names;
    for (char a = 'a'; a <= 'z'; ++a)
        for (char b = 'a'; b <= 'z'; ++b) names.push_back({a, b});
    const TaskGroups groups{names};  // 676 stems
    EXPECT_EQ(groups.count(), TaskGroups::kMaxGroups + 1);
    EXPECT_EQ(groups.size(TaskGroups::kMaxGroups), 676u - TaskGroups::kMaxGroups);
}

}  // namespace
}  // namespace wakelab::metrics
