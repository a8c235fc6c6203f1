#include "judge/csv.hpp"

#include <gtest/gtest.h>

namespace wakelab::judge {
namespace {

using Fields = std::vector<std::string>;

TEST(Csv, QuotedFieldsHoldCommasQuotesAndLineEnds) {
    const auto r = parse_csv("a,\"b, \"\"c\"\"\nd\",\ne,f,g\n", "x.csv");
    ASSERT_TRUE(r);
    ASSERT_EQ(r->size(), 2u);
    EXPECT_EQ((*r)[0].fields, (Fields{"a", "b, \"c\"\nd", ""}));
    EXPECT_EQ((*r)[0].line, 1);
    EXPECT_EQ((*r)[1].fields, (Fields{"e", "f", "g"}));
    EXPECT_EQ((*r)[1].line, 3);
}

TEST(Csv, CrLfEmptyLinesAndMissingLastLineEnd) {
    const auto r = parse_csv("a,b\r\n\r\n\"c\"\r\nd,", "x.csv");
    ASSERT_TRUE(r);
    ASSERT_EQ(r->size(), 3u);
    EXPECT_EQ((*r)[0].fields, (Fields{"a", "b"}));
    EXPECT_EQ((*r)[1].fields, (Fields{"c"}));
    EXPECT_EQ((*r)[1].line, 3);
    EXPECT_EQ((*r)[2].fields, (Fields{"d", ""}));
}

TEST(Csv, BrokenQuotesNameTheirLine) {
    EXPECT_EQ(parse_csv("a\n\"b\nc", "x.csv").error().message,
              "x.csv:2: the quote that begins here is not closed");
    EXPECT_EQ(parse_csv("a\n\"b\"c\n", "x.csv").error().message,
              "x.csv:2: expected a comma or the end of the line after a quote");
    EXPECT_EQ(parse_csv("a\nb\"c\n", "x.csv").error().message,
              "x.csv:2: a quote inside a field that does not begin with one");
}

TEST(Csv, NothingIsNoRecord) {
    const auto r = parse_csv("", "x.csv");
    ASSERT_TRUE(r);
    EXPECT_TRUE(r->empty());
}

}  // namespace
}  // namespace wakelab::judge
