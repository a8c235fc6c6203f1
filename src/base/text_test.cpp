#include "base/text.hpp"

#include <gtest/gtest.h>

namespace wakelab {
namespace {

TEST(Text, SplitKeepsEmptyFields) {
    EXPECT_EQ(split("a,,b", ','), (std::vector<std::string>{"a", "", "b"}));
    EXPECT_EQ(split("", ','), std::vector<std::string>{""});
}

TEST(Text, ParseIntTakesTheWholeTextOrNothing) {
    EXPECT_EQ(parse_int("-12"), -12);
    for (const char* text : {"", "1x", " 1", "1.0", "99999999999999999999"})
        EXPECT_FALSE(parse_int(text)) << text;
}

TEST(Text, NearestListsTheClosestFirst) {
    EXPECT_EQ(nearest("cfs-2.6.23", {"o1-2.5.2", "cfs-2.6.24", "cfs-2.6.26-rc3", "cfs-2.6.25"}),
              "cfs-2.6.24, cfs-2.6.25 or cfs-2.6.26-rc3");
}

}  // namespace
TEST(Printable, KeepsValidUtf8AndEscapesTheRest) {
    EXPECT_EQ(printable("kworker/0:1"), "kworker/0:1");
    EXPECT_EQ(printable("a b ==> [x]"), "a b ==> [x]");
    EXPECT_EQ(printable("\xc3\xa4\xe2\x82\xac\xf0\x9f\x90\xa7"),
              "\xc3\xa4\xe2\x82\xac\xf0\x9f\x90\xa7");
    EXPECT_EQ(printable("\x1b[31m\n"), "\\x1b[31m\\x0a");
    EXPECT_EQ(printable("\\"), "\\x5c");
    EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");             // overlong '/'
    EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");   // surrogate
    EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82");             // cut off
    EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b");             // CSI, a control character
}

}  // namespace wakelab
