#include "trace/formats/event_decoder.hpp"

#include <gtest/gtest.h>

#include "support/trace_dat_builder.hpp"

namespace wakelab::trace {

namespace {

using test::ByteBuilder;
using Outcome = EventDecoder::Outcome;

constexpr std::string_view kCommon =
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n";

EventFormat format(std::string_view name, int id, std::string_view fields) {
    const auto f = parse_event_format("name: " + std::string(name) + "\nID: " + std::to_string(id) +
                                      "\nformat:\n" + std::string(kCommon) + std::string(fields));
    EXPECT_TRUE(f) << f.error().message;
    return *f;
}

Outcome decode(const EventDecoder& decoder, const std::string& record, KernelEvent& event) {
    return decoder.decode(std::as_bytes(std::span(record)), event);
}

// type, flags, preempt count, pid
ByteBuilder common(bool big, std::uint32_t id, std::uint32_t flags, std::uint32_t pid) {
    ByteBuilder b(big);
    b.number(id, 2).number(flags, 1).number(0, 1).number(pid, 4);
    return b;
}

}  // namespace

TEST(EventDecoder, ReadsSwitchesInBothByteOrders) {
    const auto f = parse_event_format(test::kSwitchFormat);
    ASSERT_TRUE(f);
    for (const bool big : {false, true}) {
        const EventDecoder decoder({*f}, big);
        EXPECT_EQ(decoder.missing(), "");
        KernelEvent e;
        ASSERT_EQ(decode(decoder, test::switch_record(big, 7, "seven", 2, 8, "eight"), e),
                  Outcome::kDecoded);
        EXPECT_EQ(e.type, KernelEventType::kSwitch);
        EXPECT_EQ(e.pid, 7);
        EXPECT_EQ(e.other_pid, 8);
        EXPECT_EQ(e.comm.view(), "seven");
        EXPECT_EQ(e.other_comm.view(), "eight");
        EXPECT_EQ(e.value, static_cast<std::int64_t>(PrevState::kUninterruptible));
    }
}

// The letters of kSwitchFormat (2.6.32 .. 3.x): 16 is Z, 32 is X, 128 is W; what is above had no letter then,
// and TASK_STATE_MAX, printed as "+", lies anywhere there (256 in 2.6.32, 1024 in 3.10).
TEST(EventDecoder, StatesFollowTheLettersOfTheFile) {
    const EventDecoder decoder({*parse_event_format(test::kSwitchFormat)}, false);
    const auto state = [&](std::uint32_t bits) {
        KernelEvent e;
        decode(decoder, test::switch_record(false, 7, "a", bits, 8, "b"), e);
        return static_cast<PrevState>(e.value);
    };
    EXPECT_EQ(state(0), PrevState::kPreemptedOther);
    EXPECT_EQ(state(1), PrevState::kBlocked);
    EXPECT_EQ(state(4), PrevState::kStopped);
    EXPECT_EQ(state(8), PrevState::kStopped);
    EXPECT_EQ(state(16), PrevState::kDead);
    EXPECT_EQ(state(32), PrevState::kDead);
    EXPECT_EQ(state(128), PrevState::kBlocked);
    EXPECT_EQ(state(256), PrevState::kPreemptedOther);
    EXPECT_EQ(state(1024), PrevState::kPreemptedOther);
    EXPECT_EQ(state(1024 | 1), PrevState::kPreemptedOther);
}

// 2.6.32: sched_wakeup came also when nothing was woken, with success 0; the CPU was "cpu" in 2.6.28. Lines
// without "signed:".
TEST(EventDecoder, WakeupsOfOldKernelsTellWhetherTheySucceeded) {
    const EventDecoder decoder(
        {format("sched_wakeup", 60,
                "\tfield:char comm[16];\toffset:8;\tsize:16;\n\tfield:pid_t pid;\toffset:24;\tsize:4;\n"
                "\tfield:int prio;\toffset:28;\tsize:4;\n\tfield:int success;\toffset:32;\tsize:4;\n"
                "\tfield:int cpu;\toffset:36;\tsize:4;\n")},
        true);
    const auto record = [](std::uint32_t success) {
        return common(true, 60, 0x08, 3).name("worker", 16).number(9, 4).number(120, 4).number(success, 4)
            .number(2, 4).out;
    };
    KernelEvent e;
    EXPECT_EQ(decode(decoder, record(0), e), Outcome::kNotNeeded);
    ASSERT_EQ(decode(decoder, record(1), e), Outcome::kDecoded);
    EXPECT_EQ(e.pid, 3);
    EXPECT_EQ(e.other_pid, 9);
    EXPECT_EQ(e.target_cpu, 2);
    EXPECT_EQ(e.context, kInHardirq);
}

// 6.17 stores names behind the record: "long" is 5 bytes with its NUL at 28. __rel_loc counts from the end of
// its own field, which is at 12: 28 - 12 = 16.
TEST(EventDecoder, NamesMayStandBehindTheRecord) {
    for (const bool relative : {false, true}) {
        const std::string loc = relative ? "__rel_loc" : "__data_loc";
        const EventDecoder decoder(
            {format("sched_migrate_task", 61,
                    "\tfield:" + loc + " char[] comm;\toffset:8;\tsize:4;\tsigned:0;\n"
                    "\tfield:pid_t pid;\toffset:12;\tsize:4;\tsigned:1;\n"
                    "\tfield:int orig_cpu;\toffset:20;\tsize:4;\tsigned:1;\n"
                    "\tfield:int dest_cpu;\toffset:24;\tsize:4;\tsigned:1;\n")},
            false);
        const std::uint32_t where = 5u << 16 | (relative ? 16 : 28);
        const auto record = [&](std::uint32_t at) {
            return common(false, 61, 0, 3).number(at, 4).number(9, 4).number(120, 4).number(0, 4)
                .number(1, 4).c_string("long").text("xxx").out;
        };
        KernelEvent e;
        ASSERT_EQ(decode(decoder, record(where), e), Outcome::kDecoded);
        EXPECT_EQ(e.other_comm.view(), "long");
        EXPECT_EQ(e.target_cpu, 1);
        // A place outside of the record: the name is not told, the rest is good.
        ASSERT_EQ(decode(decoder, record(0xffffu << 16 | 28), e), Outcome::kDecoded);
        EXPECT_FALSE(e.other_comm.told());
    }
}

// 16 bytes without a NUL: 15 of them are the name. Behind the first NUL anything may lie.
TEST(EventDecoder, NamesEndAtTheirNulOrAfterFifteenBytes) {
    const EventDecoder decoder({*parse_event_format(test::kSwitchFormat)}, false);
    KernelEvent e;
    const std::string full(16, 'x');
    decode(decoder, test::switch_record(false, 7, full, 1, 8, std::string_view("ab\0junk", 7)), e);
    EXPECT_EQ(e.comm.view(), std::string(15, 'x'));
    EXPECT_EQ(e.other_comm.view(), "ab");
    EXPECT_EQ(e.other_comm, Comm("ab"));
    for (std::size_t length = 0; length <= 15; ++length) {
        std::string name(length, '\xff');
        name += '\0';
        name.resize(16, '\x80');
        decode(decoder, test::switch_record(false, 7, name, 1, 8, name), e);
        EXPECT_EQ(e.comm, Comm(std::string(length, '\xff'))) << length;
    }
}

TEST(EventDecoder, ShortAndUnknownRecords) {
    const EventDecoder decoder({*parse_event_format(test::kSwitchFormat),
                                format("sched_stat_runtime", 51, "")}, false);
    const std::string record = test::switch_record(false, 7, "a", 1, 8, "b");
    KernelEvent e;
    EXPECT_EQ(decode(decoder, record.substr(0, record.size() - 5), e), Outcome::kDamaged);
    EXPECT_EQ(decode(decoder, record.substr(0, 1), e), Outcome::kUnknownId);
    EXPECT_EQ(decode(decoder, common(false, 51, 0, 3).out, e), Outcome::kNotNeeded);
    EXPECT_EQ(decode(decoder, common(false, 999, 0, 3).out, e), Outcome::kUnknownId);
    EXPECT_EQ(decoder.name_of(51), "sched_stat_runtime");
    EXPECT_EQ(decoder.name_of(999), "event 999");
}

// The sum of offset and size wraps in 32 bits; common_flags lies far behind every record.
TEST(EventDecoder, FormatsThatLieAboutPlacesReadNothingOutside) {
    const EventDecoder wraps({format("sched_process_exit", 70,
                                     "\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n"
                                     "\tfield:char comm[16];\toffset:60000;\tsize:4294907304;\tsigned:0;\n")},
                             false);
    KernelEvent e;
    EXPECT_EQ(decode(wraps, common(false, 70, 0, 3).number(9, 4).out, e), Outcome::kDecoded);
    EXPECT_FALSE(e.comm.told());

    const auto far = parse_event_format(
        "name: sched_process_exit\nID: 70\nformat:\n"
        "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
        "\tfield:unsigned char common_flags;\toffset:60000;\tsize:1;\tsigned:0;\n"
        "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
        "\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n");
    ASSERT_TRUE(far);
    EXPECT_EQ(decode(EventDecoder({*far}, false), common(false, 70, 0, 3).number(9, 4).out, e),
              Outcome::kDamaged);
}

TEST(EventDecoder, SaysWhenSwitchesCannotBeRead) {
    EXPECT_EQ(EventDecoder({}, false).missing(), "no format of sched_switch");
    EXPECT_EQ(EventDecoder({format("sched_switch", 1, "\tfield:int prev_pid; offset:8; size:4;\n")}, false)
                  .missing(),
              "a field of sched_switch");
}

}  // namespace wakelab::trace
