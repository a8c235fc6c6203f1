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
}  // namespace wakelab
