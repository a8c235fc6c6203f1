#include "report/compare_table.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/compare_json.hpp"

namespace wakelab::report {
namespace {

lab::CompareCell cell(std::vector<double> values, double median) {
    lab::CompareCell c;
    c.values = std::move(values);
    c.median = c.mean = c.min = c.max = median;
    return c;
}

lab::Comparison example() {
    lab::Comparison c;
    c.title = "pgbench on q6600";
    c.metric = "rate";
    c.unit = "transactions/s";
    c.confidence = 0.95;
    c.labels = {"cfs-2.6.25", "o1-2.6.22"};
    c.loads = {1, 50};
    c.seeds = {1, 2, 3};
    c.cells = {{cell({1, 2, 3}, 10'000), cell({1, 2, 3}, 10'500)},
               {cell({1, 2, 3}, 8000), cell({1, 2, 3}, 7200)}};
    c.cells[0][1].ratio = 1.05;
    c.cells[1][1].ratio = 0.9;
    c.cells[1][1].significant = c.cells[1][1].two_humps = true;
    c.mean_ratio = {{}, 0.972};
    return c;
}

TEST(CompareTable, ShowsLevelsChangesMarksAndMean) {
    const std::string text = compare_text(example());
    EXPECT_TRUE(
        text.starts_with("pgbench on q6600: rate in transactions/s, median of 3 seeds\n"
                         "change against cfs-2.6.25, positive = better\n\n"
                         "clients  cfs-2.6.25         o1-2.6.22\n"
                         "      1       10000   10500   (+5.0%)\n"
                         "     50        8000    7200  (-10.0%)*~\n"
                         "geomean                       (-2.8%)\n"))
        << text;
    EXPECT_NE(text.find("Welch's 95 % interval"), text.npos);
    EXPECT_NE(text.find("~ two humps"), text.npos);
    EXPECT_EQ(text.find("warning"), text.npos);
}

TEST(CompareTable, WarnsOfFewSeedsAndExplainsOnlyMarksThatOccur) {
    lab::Comparison c = example();
    c.seeds = {1, 2};
    c.cells[1][1].significant = c.cells[1][1].two_humps = false;
    const std::string text = compare_text(c);
    EXPECT_NE(text.find("warning: n = 2"), text.npos);
    EXPECT_EQ(text.find("Welch"), text.npos);
    EXPECT_EQ(text.find('~'), text.npos);
}

TEST(CompareTable, ManyVariantsWrapWithTheBaselineInEachPart) {
    lab::Comparison c = example();
    for (int i = 0; i < 9; ++i) {
        c.labels.push_back("variant-" + std::to_string(i));
        for (auto& row : c.cells) row.push_back(row[1]);
        c.mean_ratio.push_back(1.0);
    }
    const std::string text = compare_text(c);
    std::size_t headers = 0;
    for (std::size_t at = 0; (at = text.find("clients  cfs-2.6.25", at)) != text.npos; ++at)
        ++headers;
    EXPECT_GE(headers, 2u);
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        EXPECT_LE(end - at, 120u) << text.substr(at, end - at);
        at = end + 1;
    }
}

TEST(CompareTable, OneVariantAloneIsATableOfLevels) {
    lab::Comparison c = example();
    c.labels.resize(1);
    c.mean_ratio.resize(1);
    for (auto& row : c.cells) row.resize(1);
    const std::string text = compare_text(c);
    EXPECT_EQ(text.find("change against"), text.npos);
    EXPECT_EQ(text.find("geomean"), text.npos);
}

TEST(CompareJson, HoldsTheSameNumbers) {
    const auto json = nlohmann::json::parse(compare_json(example()));
    EXPECT_EQ(json["baseline"], "cfs-2.6.25");
    EXPECT_EQ(json["better"], "higher");
    const auto& c = json["levels"][1]["cells"][1];
    EXPECT_EQ(c["median"], 7200.0);
    EXPECT_DOUBLE_EQ(c["change"], -0.1);
    EXPECT_TRUE(c["two_humps"]);
    EXPECT_TRUE(json["levels"][0]["cells"][0]["change"].is_null());
    EXPECT_DOUBLE_EQ(json["mean_change"][1], -0.028);
}

}  // namespace
}  // namespace wakelab::report
