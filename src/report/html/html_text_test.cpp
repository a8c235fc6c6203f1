#include "report/html/html_text.hpp"

#include <gtest/gtest.h>

namespace wakelab::report::html {
namespace {

TEST(HtmlText, NothingOfANameIsMarkup) {
    EXPECT_EQ(shown("</script><img src=x>"), "&lt;/script&gt;&lt;img src=x&gt;");
    EXPECT_EQ(shown("a\" onload='b'&amp;"), "a&quot; onload=&#39;b&#39;&amp;amp;");
    EXPECT_EQ(shown(std::string_view("\xff\0b", 3)), "\\xff\\x00b");
}

TEST(HtmlText, NoTextEndsAScript) {
    EXPECT_EQ(for_script(R"(["</script>","<!--"])"), R"(["\u003c/script>","\u003c!--"])");
}

// Four digits stay together, more get thin spaces (U+202F); no more than six digits behind the
// point.
TEST(HtmlText, NumbersAreReadable) {
    EXPECT_EQ(number_words(0), "0");
    EXPECT_EQ(number_words(9876), "9876");
    EXPECT_EQ(number_words(31974.2), "31\u202f974");
    EXPECT_EQ(number_words(1234567), "1\u202f234\u202f567");
    EXPECT_EQ(number_words(987.64), "987.6");
    EXPECT_EQ(number_words(0.0421), "0.0421");
    EXPECT_EQ(number_words(-2.5), "\u22122.5");
    EXPECT_EQ(count_words(1000000), "1\u202f000\u202f000");
    EXPECT_EQ(change_words(-0.123), "\u221212.3\u00a0%");
    EXPECT_EQ(share_words(0.4736), "47.4\u00a0%");
}

TEST(HtmlText, TimesHaveAUnitThatFits) {
    EXPECT_EQ(time_words(850), "850\u00a0ns");
    EXPECT_EQ(time_words(46'900), "46.9\u00a0µs");
    EXPECT_EQ(time_words(1'250'000), "1.25\u00a0ms");
    EXPECT_EQ(time_words(2e9), "2\u00a0s");
}

TEST(HtmlText, CoordinatesAreShort) {
    EXPECT_EQ(px(12.0), "12");
    EXPECT_EQ(px(12.34), "12.3");
    EXPECT_EQ(px(-0.01), "0");
    EXPECT_EQ(px(1.0 / 0.0), "0");
}

}  // namespace
}  // namespace wakelab::report::html
