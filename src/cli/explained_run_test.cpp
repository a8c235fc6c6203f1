#include "cli/explained_run.hpp"

#include <gtest/gtest.h>

#include <string>

namespace wakelab::cli {
namespace {

diag::Finding finding_with(const std::vector<std::string>& words) {
    diag::Finding f;
    for (const std::string& word : words) {
        f.experiments.emplace_back();
        f.experiments.back().features = {word};
    }
    return f;
}

std::vector<std::string> chosen(const std::vector<diag::Finding>& findings) {
    std::vector<std::string> words;
    for (const diag::Experiment& e : experiments_to_try(findings)) words.push_back(e.features[0]);
    return words;
}

using Words = std::vector<std::string>;

TEST(ExperimentsToTry, AllOfTheFirstFindingAndTwoMore) {
    EXPECT_EQ(
        chosen({finding_with({"a", "b", "c"}), finding_with({"d"}), finding_with({"e", "f"})}),
        (Words{"a", "b", "c", "d", "e"}));
}

TEST(ExperimentsToTry, EachOnce) {
    EXPECT_EQ(chosen({finding_with({"a"}), finding_with({"a", "b"})}), (Words{"a", "b"}));
}

TEST(ExperimentsToTry, AFindingMayProposeNothing) {
    EXPECT_EQ(chosen({finding_with({}), finding_with({"a"})}), (Words{"a"}));
    EXPECT_TRUE(chosen({finding_with({})}).empty());
}

}  // namespace
}  // namespace wakelab::cli
