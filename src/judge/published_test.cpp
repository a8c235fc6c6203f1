#include "judge/published.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace wakelab::judge {
namespace {

constexpr const char* kHeader =
    "source,experiment,reporter,machine,kernel,variant,workload,clients,metric,unit,value,run,"
    "note\n";

std::vector<PublishedRow> two_rows() {
    auto rows = parse_published(std::string(kHeader) +
                                    "mail,E01,Ann,\"box (2 cores, old)\",2.6.22,stock,pgbench,1,"
                                    "throughput,tps,11052,median3,\n"
                                    "mail,E01,Ann,box,2.6.24,stock,pgbench,2,time,s,0:31.49,1,n\n",
                                "x.csv");
    return rows ? *rows : std::vector<PublishedRow>{};
}

TEST(Published, ReadsEveryColumn) {
    const auto rows = two_rows();
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[0].machine, "box (2 cores, old)");
    EXPECT_EQ(rows[0].number, 11052.0);
    EXPECT_EQ(rows[0].run, "median3");
    EXPECT_EQ(rows[0].line, 2);
    EXPECT_EQ(rows[1].value, "0:31.49");
    EXPECT_FALSE(rows[1].number);
    EXPECT_EQ(rows[1].note, "n");
}

TEST(Published, ErrorsNameFileLineAndField) {
    EXPECT_EQ(parse_published("source,experiment\n", "x.csv").error().message,
              "x.csv:1: expected 13 fields, found 2");
    std::string wrong = kHeader;
    wrong.replace(wrong.find("kernel"), 6, "Kernel");
    EXPECT_EQ(parse_published(wrong, "x.csv").error().message,
              "x.csv:1: column 5 is 'Kernel', expected 'kernel'");
    EXPECT_EQ(parse_published(std::string(kHeader) + "a,,c,d,e,f,g,h,i,j,k,l,m\n", "x.csv")
                  .error()
                  .message,
              "x.csv:2: the field 'experiment' is empty");
    EXPECT_EQ(parse_published("", "x.csv").error().message, "x.csv:1: expected a header line");
    EXPECT_EQ(parse_roles("experiment,kernel,variant,clients,role,why\nE01,,,,judge,\n", "r.csv")
                  .error()
                  .message,
              "r.csv:2: role 'judge', expected predict, fit, copy or reference");
}

TEST(Published, EmptyRuleFieldsMatchAnythingAndTheFirstRuleWins) {
    auto rows = two_rows();
    const auto rules = parse_roles(
        "experiment,kernel,variant,clients,role,why\nE01,2.6.22,,1,fit,one\nE01,2.6.22,,,copy,"
        "two\n",
        "r.csv");
    ASSERT_TRUE(rules);
    ASSERT_TRUE(assign_roles(rows, *rules, "r.csv"));
    EXPECT_EQ(rows[0].role, Role::kFit);
    EXPECT_EQ(rows[1].role, Role::kPredict);
}

TEST(Published, ARuleWithoutRowsIsAMistake) {
    auto rows = two_rows();
    const auto rules =
        parse_roles("experiment,kernel,variant,clients,role,why\nE01,2.6.23,,,fit,\n", "r.csv");
    ASSERT_TRUE(rules);
    EXPECT_EQ(assign_roles(rows, *rules, "r.csv").error().message,
              "r.csv:2: matches no published row");
}

// Row counts of data/published/README.md; E01 fit rows of roles.csv: 1, 2, 50 clients of 2.6.22 and
// 3 of 2.6.9.
TEST(Published, TheShippedTablesLoad) {
    const auto rows = load_published();
    ASSERT_TRUE(rows) << rows.error().message;
    const auto count = [&](std::string_view experiment, Role role) {
        return std::ranges::count_if(*rows, [&](const PublishedRow& r) {
            return r.experiment == experiment && r.role == role;
        });
    };
    EXPECT_EQ(count("E01", Role::kFit), 4);
    EXPECT_EQ(count("E01", Role::kReference), 13);
    EXPECT_EQ(count("E01", Role::kPredict), 65 - 17);
    EXPECT_EQ(count("E03", Role::kFit), 13);
    EXPECT_EQ(count("E06", Role::kCopy), 39);
    EXPECT_EQ(count("E10", Role::kCopy), 52);
    EXPECT_EQ(count("E13", Role::kPredict), 52);
}

TEST(Published, AMissingFolderIsNamed) {
    const auto rows = load_published("/nonexistent/published");
    ASSERT_FALSE(rows);
    EXPECT_EQ(rows.error().message, "/nonexistent/published: No such file or directory");
}

}  // namespace
}  // namespace wakelab::judge
