#include "report/text_table.hpp"

#include <gtest/gtest.h>

namespace wakelab::report {
namespace {

TEST(TextTable, AlignsColumnsAndDropsTrailingBlanks) {
    TextTable t({Align::kLeft});
    t.add({"name", "n", "mark"});
    t.add({"a", "1000", ""});
    t.add({"longer", "7", "*"});
    EXPECT_EQ(t.text(1),
              " name       n  mark\n"
              " a       1000\n"
              " longer     7     *\n");
}

TEST(TextTable, NotesRunFreely) {
    TextTable t({Align::kLeft});
    t.add({"a", "1"});
    t.add_note("bb", "a note that widens no column");
    EXPECT_EQ(t.text(), "a   1\nbb  a note that widens no column\n");
}

TEST(TextTable, Utf8CountsCharacters) {
    TextTable t({Align::kLeft});
    t.add({"µs", "1"});
    t.add({"ab", "2"});
    EXPECT_EQ(t.text(), "µs  1\nab  2\n");
}

}  // namespace
}  // namespace wakelab::report
