// Commands that say what the schedulers are: diff, list parameters, list patches.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "cli/run_cli.hpp"
#include "support/source_path.hpp"

namespace wakelab::cli {

namespace {

std::string output_of(const std::vector<std::string>& args) {
    std::string out;
    Output output;
    output.out = [&](std::string_view text) { out += text; };
    output.err = output.out;
    run_cli(args, output);
    return out;
}

TEST(CliRules, DiffNamesTheRulesThatDiffer) {
    const std::string text = output_of({"diff", "cfs-2.6.25.4", "cfs-2.6.25.4+P5"});
    EXPECT_NE(text.find("wake_affine()"), std::string::npos) << text;
    EXPECT_NE(text.find("3 differ"), std::string::npos) << text;
    EXPECT_TRUE(output_of({"diff", "cfs-2.6.25", "cfs-2.6.26+P5"})
                    .starts_with("wakelab: patch 'P5' does not apply to cfs-2.6.26 (those that "
                                 "apply: "));
}

TEST(CliRules, ListsPatchesWithTheVersionsTheyFit) {
    const std::string text = output_of({"list", "patches"});
    EXPECT_NE(text.find("P4             2008-2009  cfs-2.6.26 "), std::string::npos) << text;
}

// docs/model/parameters.md is generated; after a change of a row:
//   build/release/wakelab list parameters > docs/model/parameters.md
TEST(CliRules, TheTableOfTheDocumentsIsTheOneOfTheCode) {
    std::ifstream in(test::source_path("docs/model/parameters.md"));
    const std::string written{std::istreambuf_iterator<char>(in), {}};
    EXPECT_TRUE(written == output_of({"list", "parameters"}))
        << "regenerate: build/release/wakelab list parameters > docs/model/parameters.md";
}

}  // namespace

}  // namespace wakelab::cli
