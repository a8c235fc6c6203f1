#include "work/rtapp/json_relaxed.hpp"

#include <gtest/gtest.h>

namespace wakelab::work::rtapp {
namespace {

JsonValue parsed(std::string_view text) {
    auto root = parse_relaxed_json(text, "f");
    EXPECT_TRUE(root) << root.error().message;
    return root ? *root : JsonValue{};
}

std::string error_of(std::string_view text) {
    const auto root = parse_relaxed_json(text, "f");
    EXPECT_FALSE(root) << text;
    return root ? "" : root.error().message;
}

TEST(JsonRelaxed, SkipsCAndCppComments) {
    const JsonValue root = parsed("/* head\n\"x\": */ { // a\n \"a\" /**/ : 1 /* { */ } // end");
    ASSERT_EQ(root.members.size(), 1u);
    EXPECT_EQ(root.members[0].key, "a");
    EXPECT_EQ(root.members[0].value.integer, 1);
    EXPECT_EQ(root.members[0].line, 3);
}

TEST(JsonRelaxed, CommentMarksInsideStringsAreText) {
    EXPECT_EQ(parsed("\"// no /* comment */\"").text, "// no /* comment */");
}

TEST(JsonRelaxed, AllowsTrailingCommas) {
    const JsonValue root = parsed("{\"a\": [1, 2,], \"b\": {},}");
    ASSERT_EQ(root.members.size(), 2u);
    EXPECT_EQ(root.members[0].value.items.size(), 2u);
    EXPECT_EQ(root.members[1].value.kind, JsonKind::kObject);
}

TEST(JsonRelaxed, KeepsRepeatedKeysInFileOrder) {
    const JsonValue root = parsed("{\"run\": 1,\n \"sleep\": 2,\n \"run\": 3}");
    ASSERT_EQ(root.members.size(), 3u);
    EXPECT_EQ(root.members[0].value.integer, 1);
    EXPECT_EQ(root.members[1].key, "sleep");
    EXPECT_EQ(root.members[2].value.integer, 3);
    EXPECT_EQ(root.members[2].line, 3);
    EXPECT_EQ(root.find("run"), &root.members[0]);
    EXPECT_EQ(root.find("timer"), nullptr);
}

TEST(JsonRelaxed, AllowsKeysWithoutAValue) {
    const JsonValue root = parsed("{\"suspend\", \"run\": 1, \"suspend\"}");
    ASSERT_EQ(root.members.size(), 3u);
    EXPECT_EQ(root.members[0].value.kind, JsonKind::kNothing);
    EXPECT_EQ(root.members[2].key, "suspend");
    EXPECT_EQ(root.members[2].value.kind, JsonKind::kNothing);
}

TEST(JsonRelaxed, ReadsEveryKindOfValue) {
    const JsonValue root = parsed("[null, true, false, -12, 1.5e-3, \"s\", 9223372036854775807]");
    const JsonKind kinds[] = {JsonKind::kNothing, JsonKind::kBool, JsonKind::kBool,
                              JsonKind::kInteger, JsonKind::kReal, JsonKind::kString,
                              JsonKind::kInteger};
    ASSERT_EQ(root.items.size(), 7u);
    for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(root.items[i].kind, kinds[i]) << i;
    EXPECT_TRUE(root.items[1].flag);
    EXPECT_FALSE(root.items[2].flag);
    EXPECT_EQ(root.items[3].integer, -12);
    EXPECT_EQ(root.items[4].text, "1.5e-3");
    EXPECT_EQ(root.items[6].integer, 9'223'372'036'854'775'807);
}

// U+00E9, U+20AC and U+1F600 as a surrogate pair, in UTF-8.
TEST(JsonRelaxed, DecodesEscapes) {
    EXPECT_EQ(parsed(R"("a\n\t\"\\\/")").text, "a\n\t\"\\/");
    EXPECT_EQ(parsed(R"("\u00e9\u20AC\ud83d\ude00")").text, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
}

TEST(JsonRelaxed, NamesTheLineOfEveryMistake) {
    EXPECT_EQ(error_of(""), "f:1: expected a value, found the end of the file");
    EXPECT_EQ(error_of("{\n\"a\": 1\n\"b\": 2}"),
              "f:3: expected ',' or '}' after \"a\", found a string");
    EXPECT_EQ(error_of("{\n\n\"a\" 1}"),
              "f:3: expected ':' and a value after key \"a\", found '1'");
    EXPECT_EQ(error_of("{\"a\":\n}"), "f:2: expected a value, found '}'");
    EXPECT_EQ(error_of("{\n\"a\": 1,,}"), "f:2: expected a key in quotes or '}', found ','");
    EXPECT_EQ(error_of("{\nrun: 1}"), "f:2: expected a key in quotes or '}', found 'run'");
    EXPECT_EQ(error_of("{\"a\": [1\n2]}"), "f:2: expected ',' or ']' in a list, found '2'");
    EXPECT_EQ(error_of("{\"a\": 1}\n}"),
              "f:2: expected the end of the file after the outermost value, found '}'");
    EXPECT_EQ(error_of("{\n\"a\": 1"),
              "f:2: expected ',' or '}' after \"a\", found the end of the file");
    EXPECT_EQ(error_of("{\n\"a\": maybe}"), "f:2: expected a value, found 'maybe'");
    EXPECT_EQ(error_of("{\n\"a\": \x01}"), "f:2: expected a value, found byte 0x01");
}

TEST(JsonRelaxed, ReportsWhatIsNeverClosedWhereItBegins) {
    EXPECT_EQ(error_of("{\n/* a\n\n"), "f:2: this comment is never closed");
    EXPECT_EQ(error_of("{\n\"a\n\": 1}"), "f:2: this string is never closed");
    EXPECT_EQ(error_of("\n\"a"), "f:2: this string is never closed");
}

TEST(JsonRelaxed, RefusesBrokenNumbersAndEscapes) {
    EXPECT_EQ(error_of("-"), "f:1: expected a digit, found the end of the file");
    EXPECT_EQ(error_of("1."),
              "f:1: expected a digit after the decimal point, found the end of the file");
    EXPECT_EQ(error_of("1ex"), "f:1: expected a digit of the exponent, found 'x'");
    EXPECT_EQ(error_of("9223372036854775808"),
              "f:1: integer 9223372036854775808 is beyond 64 bits");
    EXPECT_EQ(error_of(R"("\q")"), "f:1: expected an escape like \\n or \\u00e9, found 'q'");
    EXPECT_EQ(error_of(R"("\u12")"),
              "f:1: expected four hexadecimal digits after \\u, found a string");
    EXPECT_EQ(error_of(R"("\ud83d")"), "f:1: a \\u surrogate without its pair");
    EXPECT_EQ(error_of(R"("\ude00\ud83d")"), "f:1: a \\u surrogate without its pair");
}

TEST(JsonRelaxed, ErrorsAreOneShortLine) {
    EXPECT_EQ(error_of("{\"a\\n\\u0007\" 1}"),
              "f:1: expected ':' and a value after key \"a??\", found '1'");
    EXPECT_LT(error_of("{\"" + std::string(100'000, 'x') + "\" 1}").size(), 400u);
}

TEST(JsonRelaxed, BoundsTheDepth) {
    const auto nested = [](std::size_t n) { return std::string(n, '[') + std::string(n, ']'); };
    EXPECT_TRUE(parse_relaxed_json(nested(65), "f"));  // depths 0 .. 64
    EXPECT_EQ(error_of(nested(66)), "f:1: values are nested deeper than 64");
    EXPECT_EQ(error_of(std::string(1'000'000, '[')), "f:1: values are nested deeper than 64");
}

}  // namespace
}  // namespace wakelab::work::rtapp
