// Runs every rule of checks.hpp on the source tree.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/source_path.hpp"
#include "tidy/checks.hpp"

namespace wakelab::tidy {
namespace {

const Files& tree() {
    static const Files files = read_tree(test::source_path("."));
    return files;
}

const SourceFile& file_at(std::string_view path) {
    static const SourceFile missing;
    const auto at = std::ranges::find(tree(), path, &SourceFile::path);
    EXPECT_NE(at, tree().end()) << "expected a file " << path;
    return at == tree().end() ? missing : *at;
}

template <class Check>
void expect_clean(Check check) {
    Findings all;
    for (const SourceFile& file : tree()) {
        const Findings found = check(file);
        all.insert(all.end(), found.begin(), found.end());
    }
    EXPECT_TRUE(all.empty()) << to_text(all);
}

void expect_clean_tree(const Findings& found) {
    EXPECT_TRUE(found.empty()) << to_text(found);
}

TEST(Tidy, TreeIsNotEmpty) {
    EXPECT_GT(tree().size(), 100u);
}

TEST(Tidy, RoomsIncludeOnlyRoomsBelow) {
    const Rooms rooms = read_rooms(file_at("src/CMakeLists.txt"));
    EXPECT_GE(rooms.size(), 12u);
    expect_clean([&](const SourceFile& f) { return check_layering(f, rooms); });
}

TEST(Tidy, SimulatedWorldIsDeterministic) {
    expect_clean(check_determinism);
}
TEST(Tidy, FilesAreShort) {
    expect_clean(check_file_length);
}
TEST(Tidy, LinesAreShort) {
    expect_clean(check_line_length);
}
TEST(Tidy, FunctionsAreShort) {
    expect_clean(check_function_length);
}
TEST(Tidy, HeadersAreIncludedOnce) {
    expect_clean(check_pragma_once);
}
TEST(Tidy, NothingIsMarkedUnfinished) {
    expect_clean(check_markers);
}
TEST(Tidy, NoPathOfABuildMachine) {
    expect_clean(check_host_paths);
}
TEST(Tidy, TestFilesHaveTests) {
    expect_clean(check_has_test);
}
TEST(Tidy, FileNamesAreUnique) {
    expect_clean_tree(check_unique_names(tree()));
}
TEST(Tidy, RoomsHaveReadmes) {
    expect_clean_tree(check_room_readmes(tree()));
}
TEST(Tidy, LinksOfDocumentsLeadSomewhere) {
    expect_clean_tree(check_links(tree()));
}

TEST(Tidy, PackageListAndDocumentAgree) {
    expect_clean_tree(
        check_packages(file_at("scripts/packages.txt"), file_at("docs/dependencies.md")));
}

}  // namespace
}  // namespace wakelab::tidy
