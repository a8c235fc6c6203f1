#include "trace/formats/event_format.hpp"

#include <gtest/gtest.h>

namespace wakelab::trace {

TEST(EventFormat, ReadsNameNumberAndFields) {
    const auto f = parse_event_format(
        "name: sched_migrate_task\nID: 371\nformat:\n"
        "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
        "\tfield:__data_loc char[] comm;\toffset:8;\tsize:4;\tsigned:0;\n"
        "\tfield:pid_t pid;\toffset:12;\tsize:4;\tsigned:1;\n"
        "\tfield:void * caller;\toffset:16;\tsize:8;\tsigned:0;\n"
        "\tfield:char name[16];\toffset:24;\tsize:16;\tsigned:0;\n");
    ASSERT_TRUE(f) << f.error().message;
    EXPECT_EQ(f->name, "sched_migrate_task");
    EXPECT_EQ(f->id, 371u);
    ASSERT_EQ(f->fields.size(), 5u);
    EXPECT_TRUE(f->find("comm")->is_data_loc);
    EXPECT_TRUE(f->find("pid")->is_signed);
    EXPECT_EQ(f->find("pid")->offset, 12u);
    EXPECT_EQ(f->find("caller")->size, 8u);
    EXPECT_TRUE(f->find("name")->is_array);
    EXPECT_EQ(f->find("absent"), nullptr);
}

// Before 2.6.32 lines had no "signed:".
TEST(EventFormat, OldKernelsTellNoSign) {
    const auto f = parse_event_format("name: x\nID: 1\nformat:\n\tfield:int pid;\toffset:4;\tsize:4;\n");
    ASSERT_TRUE(f);
    EXPECT_FALSE(f->find("pid")->is_signed);
}

// Both ways in which kernels print the table: hexadecimal with a blank, decimal without.
TEST(EventFormat, StateLettersComeFromThePrintFormat) {
    const auto f = parse_event_format(
        "name: sched_switch\nID: 1\nprint fmt: \"%s\", __print_flags(REC->prev_state & 0x7f, \"|\", "
        "{ 0x00000001, \"S\" }, { 2, \"D\"} , { 0x00000080, \"I\" })\n");
    ASSERT_TRUE(f);
    using Letters = std::vector<std::pair<std::uint64_t, std::string>>;
    EXPECT_EQ(f->prev_state_letters, (Letters{{1, "S"}, {2, "D"}, {128, "I"}}));
}

TEST(EventFormat, SaysWhatIsWrong) {
    EXPECT_EQ(parse_event_format("").error().message, "event format without a name: line");
    EXPECT_EQ(parse_event_format("name: x\n").error().message, "event format x without an ID: line");
    EXPECT_EQ(parse_event_format("name: x\x1b\n").error().message,
              "event format x\\x1b without an ID: line");
    EXPECT_EQ(parse_event_format("name: x\nID: many\n").error().message,
              "line 2: expected a number after ID:");
    EXPECT_EQ(parse_event_format("name: x\nID: 1\nfield:int pid;\n").error().message,
              "line 3: expected field:TYPE NAME; offset:N; size:N;");
}

// A record is at most a page long; numbers beyond 32 bits do not fit any offset.
TEST(EventFormat, NumbersThatAreTooLargeAreRefused) {
    EXPECT_FALSE(parse_event_format("name: x\nID: 99999999999\n"));
    EXPECT_FALSE(parse_event_format("name: x\nID: 1\nfield:int p; offset:99999999999; size:4;\n"));
}

}  // namespace wakelab::trace
