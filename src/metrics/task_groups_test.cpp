#include "metrics/task_groups.hpp"

#include <gtest/gtest.h>

namespace wakelab::metrics {
namespace {

TEST(TaskGroups, StemDropsTrailingNumbersAndSeparators) {
    EXPECT_EQ(group_stem("postgres-12"), "postgres");
    EXPECT_EQ(group_stem("sender-3-12"), "sender");
    EXPECT_EQ(group_stem("client7"), "client");
    EXPECT_EQ(group_stem("pgbench"), "pgbench");
    EXPECT_EQ(group_stem("cc1-0"), "cc1");
    EXPECT_EQ(group_stem("42"), "42");
    EXPECT_EQ(group_stem("-1"), "-1");
}

TaskGroups groups_of(const std::vector<std::string>& names) {
    TaskGroups groups;
    for (std::uint32_t task = 0; task < names.size(); ++task) groups.add(task, names[task]);
    return groups;
}

TEST(TaskGroups, JoinsTasksOfOneStemInOrderOfFirstTask) {
    const TaskGroups groups = groups_of({"pgbench", "postgres-0", "ksoftirqd/0", "postgres-1"});
    ASSERT_EQ(groups.count(), 4u);  // "others" and three stems
    EXPECT_EQ(groups.name(1), "pgbench");
    EXPECT_EQ(groups.name(2), "postgres-*");
    EXPECT_EQ(groups.name(3), "ksoftirqd/0");  // alone in its group: keeps its name
    EXPECT_EQ(groups.size(2), 2u);
    EXPECT_EQ(groups.group_of(3), 2u);
    EXPECT_EQ(groups.group_of(99), TaskGroups::kOthers);  // has no name
}

TEST(TaskGroups, BoundsTheNumberOfGroups) {
    std::vector<std::string> names;
    for (char a = 'a'; a <= 'z'; ++a)
        for (char b = 'a'; b <= 'z'; ++b) names.push_back({a, b});
    const TaskGroups groups = groups_of(names);  // 676 stems
    EXPECT_EQ(groups.count(), TaskGroups::kMaxGroups + 1);
    EXPECT_EQ(groups.size(TaskGroups::kOthers), 676u - TaskGroups::kMaxGroups);
}

}  // namespace
}  // namespace wakelab::metrics
