#include "trace/formats/trace_dat/trace_dat_head.hpp"

#include <gtest/gtest.h>

#include "support/u64_at.hpp"

namespace wakelab::trace {

using test::u64_at;

// magic 3 + "tracing" 7 + "6\0" 2 + endian, long 2 + page size 4 = 18; "header_page\0" 12, size 8,
// text "PG"; "header_event\0" 13, size 8, no text: 18 + 22 + 21 = 61; ftrace formats 4, systems 4:
// 69; kallsyms 4, printk 4, cmdlines 8: 85; CPUs 4: 89; "options  \0" 10, end 2: 101; "flyrecord\0"
// 10: 111; table of one CPU 16: 127; the next page begins at 4096.
TEST(TraceDatHead, AFileWithoutAnythingHasItsSectionsWhereTheManualSays) {
    TraceDatHead head;
    head.header_page = "PG";
    head.cpu_bytes = {8192};
    const std::string bytes = trace_dat_head(head);
    ASSERT_EQ(bytes.size(), 4096u);
    EXPECT_EQ(bytes.substr(0, 12), std::string("\x17\x08\x44tracing6\0", 12));
    EXPECT_EQ(bytes[13], static_cast<char>(sizeof(long)));
    EXPECT_EQ(bytes.substr(18, 12), std::string("header_page\0", 12));
    EXPECT_EQ(u64_at(bytes, 30), 2u);
    EXPECT_EQ(bytes.substr(89, 10), std::string("options  \0", 10));
    EXPECT_EQ(bytes.substr(101, 10), std::string("flyrecord\0", 10));
    EXPECT_EQ(u64_at(bytes, 111), 4096u);
    EXPECT_EQ(u64_at(bytes, 119), 8192u);
}

// As above with the option of the clock (2 + 4 bytes) and two CPUs: the table is at 117, 32 bytes,
// and the clock at 149.
TEST(TraceDatHead, TheClockFollowsTheTableAndCpusFollowEachOther) {
    TraceDatHead head;
    head.header_page = "PG";
    head.clock = "[mono]";
    head.cpu_bytes = {4096, 0};
    const std::string bytes = trace_dat_head(head);
    EXPECT_EQ(u64_at(bytes, 117), 4096u);
    EXPECT_EQ(u64_at(bytes, 133), 8192u);
    EXPECT_EQ(u64_at(bytes, 141), 0u);
    EXPECT_EQ(u64_at(bytes, 149), 6u);
    EXPECT_EQ(bytes.substr(157, 6), "[mono]");
}

// "sched\0" 6 + count 4, then each format with its size.
TEST(TraceDatHead, FormatsStandBySystemWithTheirSizes) {
    TraceDatHead head;
    head.systems = {{"sched", {"format one", "two"}}};
    const std::string bytes = trace_dat_head(head);
    const std::size_t at = bytes.find("sched");
    EXPECT_EQ(u64_at(bytes, at + 10), 10u);
    EXPECT_EQ(bytes.substr(at + 18, 10), "format one");
    EXPECT_EQ(u64_at(bytes, at + 28), 3u);
}

}  // namespace wakelab::trace
