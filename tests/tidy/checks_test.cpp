// For every rule: a text that breaks it is found, at the right line; its harmless twin is not.
#include "tidy/checks.hpp"

#include <gtest/gtest.h>

namespace wakelab::tidy {
namespace {

SourceFile cpp(std::string_view text) {
    return make_source_file("src/sim/x.cpp", text);
}

// "line line ..." of the findings.
std::string lines_of(const Findings& found) {
    std::string text;
    for (const Finding& f : found) text += std::to_string(f.line) + " ";
    return text;
}

Rooms three_rooms() {
    return read_rooms(make_source_file("src/CMakeLists.txt",
                                       "wk_room(base LIBS fmt::fmt)\n"
                                       "wk_room(topo DEPS base LIBS toml)\n"
                                       "wk_room(sim DEPS topo EXCLUDE main.cpp)\n"));
}

TEST(StripCode, BlanksCommentsAndLiteralsAndKeepsColumns) {
    const SourceFile file =
        cpp("int a; // double\n"
            "/* double\n"
            "double */ int b;\n"
            "f(\"double\\\"\", 'd', 1'000);\n"
            "g(R\"x(double)\" )x\");\n");
    EXPECT_EQ(file.code[0], "int a;          ");
    EXPECT_EQ(file.code[1], "         ");
    EXPECT_EQ(file.code[2], "          int b;");
    EXPECT_EQ(file.code[3], "f(\"        \", ' ', 1'000);");
    EXPECT_EQ(file.code[4], "g(                );");
}

TEST(Layering, ReadsRoomsTransitively) {
    const Rooms rooms = three_rooms();
    EXPECT_EQ(rooms.at("base"), std::set<std::string>{});
    EXPECT_EQ(rooms.at("sim"), (std::set<std::string>{"base", "topo"}));
}

TEST(Layering, FindsIncludeOfAHigherRoom) {
    const SourceFile file = make_source_file("src/topo/x.cpp",
                                             "#include <vector>\n"
                                             "#include \"base/time.hpp\"\n"
                                             "#include \"topo/x.hpp\"\n"
                                             "#include \"sim/engine.hpp\"\n");
    EXPECT_EQ(lines_of(check_layering(file, three_rooms())), "4 ");
}

TEST(Layering, FindsARoomWithoutAnEntry) {
    EXPECT_EQ(check_layering(make_source_file("src/new/x.cpp", ""), three_rooms()).size(), 1u);
}

TEST(Layering, TestSupportIsForTestsOnly) {
    constexpr std::string_view kText = "#include \"support/vector_file.hpp\"\n";
    EXPECT_TRUE(
        check_layering(make_source_file("src/sim/x_test.cpp", kText), three_rooms()).empty());
    EXPECT_TRUE(
        check_layering(make_source_file("src/sim/world.hpp", kText), three_rooms()).empty());
    EXPECT_EQ(check_layering(make_source_file("src/sim/x.cpp", kText), three_rooms()).size(), 1u);
}

TEST(Determinism, FindsEachKindOfLeak) {
    EXPECT_EQ(lines_of(check_determinism(cpp("double share;\n"
                                             "#include <random>\n"
                                             "std::unordered_map<int, int> m;\n"
                                             "std::hash<int> h;\n"
                                             "const char* e = std::getenv(\"HOME\");\n"
                                             "int r = rand() % 7;\n"
                                             "auto t = std::time(nullptr);\n"
                                             "return time(nullptr);\n"
                                             "#include <chrono>\n"))),
              "1 2 3 4 5 6 7 8 9 ");
}

TEST(Determinism, AllowsWordsThatOnlyLookAlike) {
    EXPECT_TRUE(check_determinism(cpp("// a double preemption\n"
                                      "int doubled = exec_time(3);\n"
                                      "std::int64_t time(int cpu);\n"
                                      "rq.clock() + cfs->clock(2) + Rq::clock(rq);\n"))
                    .empty());
}

TEST(Determinism, IsForTheSimulatedWorldOnly) {
    EXPECT_TRUE(check_determinism(make_source_file("src/metrics/x.cpp", "double d;\n")).empty());
    EXPECT_TRUE(check_determinism(make_source_file("src/sim/x_test.cpp", "double d;\n")).empty());
    EXPECT_TRUE(
        check_determinism(make_source_file("src/base/data_dir.cpp", "getenv(name);\n")).empty());
    EXPECT_EQ(check_determinism(make_source_file("src/base/text.cpp", "getenv(name);\n")).size(),
              1u);
}

std::string repeat(std::string_view text, int n) {
    std::string all;
    for (int i = 0; i < n; ++i) all += text;
    return all;
}

TEST(Length, LimitsFiles) {
    EXPECT_TRUE(check_file_length(cpp(repeat("int a;\n", 600))).empty());
    EXPECT_EQ(lines_of(check_file_length(cpp(repeat("int a;\n", 601)))), "601 ");
}

TEST(Length, LimitsLinesInColumnsNotBytes) {
    EXPECT_TRUE(check_line_length(cpp("// " + repeat("\u00e9", 107) + "\n")).empty());
    EXPECT_EQ(lines_of(check_line_length(cpp("int a;\n// " + repeat("x", 108) + "\n"))), "2 ");
}

// A function from its first line to its closing brace: 2 + 88 = 90 lines are allowed, 91 are not.
TEST(Length, LimitsFunctions) {
    const std::string head = "namespace x {\nclass Y {\n";
    const std::string longest = "    int f(int a) const {\n" + repeat("a();\n", 88) + "}\n";
    const std::string longer =
        "    int f(int a) const {\n" + repeat("if (a) { a(); }\n", 89) + "}\n";
    EXPECT_TRUE(check_function_length(cpp(head + longest + longest + "};\n}\n")).empty());
    EXPECT_EQ(lines_of(check_function_length(cpp(head + longer + "};\n}\n"))), "3 ");
}

TEST(Length, SeesTheBodyBehindMemberInitializers) {
    const std::string text = "Y::Y(int a) : a_{a}, b_{2} {\n" + repeat("a();\n", 89) + "}\n";
    EXPECT_EQ(lines_of(check_function_length(cpp(text))), "1 ");
}

TEST(Length, TablesAreNotFunctions) {
    EXPECT_TRUE(check_function_length(cpp("int t[] = {\n" + repeat("1,\n", 200) + "};\n")).empty());
}

TEST(Hygiene, HeadersNeedPragmaOnce) {
    EXPECT_EQ(check_pragma_once(make_source_file("src/sim/x.hpp", "int a;\n")).size(), 1u);
    EXPECT_TRUE(
        check_pragma_once(make_source_file("src/sim/x.hpp", "// x\n#pragma once\n")).empty());
    EXPECT_TRUE(check_pragma_once(cpp("int a;\n")).empty());
}

TEST(Hygiene, FindsUnfinishedBusiness) {
    EXPECT_EQ(lines_of(check_markers(cpp("int a;\n// TO"
                                         "DO: b\n// FIX"
                                         "ME\n"))),
              "2 3 ");
    EXPECT_TRUE(check_markers(cpp("mkstemp(\"x.XXXXXX\");\n")).empty());
}

TEST(Hygiene, FindsPathsOfABuildMachine) {
    EXPECT_EQ(lines_of(check_host_paths(cpp("// src/work/README.md\n// see /wo"
                                            "rk/x\n"))),
              "2 ");
}

TEST(Hygiene, FindsTestFilesWithoutTests) {
    EXPECT_EQ(check_has_test(make_source_file("a_test.cpp", "// TEST(A, B)\n")).size(), 1u);
    EXPECT_TRUE(check_has_test(make_source_file("a_test.cpp", "TEST(A, B) {}\n")).empty());
}

TEST(Hygiene, FindsNamesUsedTwice) {
    const Files files = {make_source_file("src/a/x.cpp", ""), make_source_file("src/b/x.cpp", ""),
                         make_source_file("src/a/README.md", ""),
                         make_source_file("README.md", "")};
    const Findings found = check_unique_names(files);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].path, "src/b/x.cpp");
}

TEST(Hygiene, FindsRoomsWithoutReadme) {
    const Files files = {make_source_file("src/a/x.cpp", ""),
                         make_source_file("src/a/README.md", ""),
                         make_source_file("src/b/y.cpp", "")};
    const Findings found = check_room_readmes(files);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].path, "src/b/README.md");
}

TEST(Hygiene, FindsDeadLinks) {
    const Files files = {
        make_source_file("docs/a.md",
                         "[b](b.md) [c](../c.md)\n[d](https://x.y) [s](../src/x/)\n[e](e.md)\n"),
        make_source_file("docs/b.md", ""), make_source_file("c.md", ""),
        make_source_file("src/x/y.cpp", "")};
    EXPECT_EQ(lines_of(check_links(files)), "3 ");
}

TEST(Packages, ListAndTableMustAgree) {
    const SourceFile list = make_source_file("p.txt", "# comment\na build why\nb test why not\n");
    const auto against = [&](std::string_view table) {
        return check_packages(list, make_source_file("d.md", table)).size();
    };
    EXPECT_EQ(against("| `a` | build | x |\n| `b` | test | y |\n"), 0u);
    EXPECT_EQ(against("| `a` | build | x |\n"), 1u) << "b is not described";
    EXPECT_EQ(against("| `a` | build | x |\n| `b` | build | y |\n"), 1u) << "stage of b differs";
    EXPECT_EQ(against("| `a` | build | x |\n| `b` | test | y |\n| `c` | test | z |\n"), 1u)
        << "c is not listed";
}

}  // namespace
}  // namespace wakelab::tidy
