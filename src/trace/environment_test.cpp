#include "trace/environment.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "support/trace_capture.hpp"

namespace wakelab::trace {

namespace {

Environment example() {
    Environment e;
    e.recorder = "wakelab 0.1.0";
    e.backend = "tracefs";
    e.command = {"./server", "--name=\xff\xfe"};
    e.command_pid = 40;
    e.command_end = "exit 0";
    e.started_unix_ns = 1'700'000'000'000'000'000;
    e.started_ns = 5'000;
    e.duration_ns = 1'000'000;
    e.clock = "mono";
    e.kernel_release = "6.1.0";
    e.settings = {{"CONFIG_HZ", "250"}};
    e.unreadable = {{"sched/features", "Operation not permitted"}};
    e.events = {"sched/sched_switch"};
    e.recorder_tids = {7, 8};
    e.cpus = {
        {.cpu = 0,
         .cache = 0,
         .core = 0,
         .node = 0,
         .package = 0,
         .governor = "schedutil",
         .lost = 0},
        {.cpu = 1, .cache = 0, .core = 1, .node = 0, .package = 0, .governor = "", .lost = 12}};
    e.tasks = {{.pid = 40,
                .tgid = 40,
                .name = "a\\b c\xff",
                .allowed = "0-1",
                .policy = 3,
                .nice = -5,
                .rt_priority = 0,
                .at_start = true,
                .at_end = true},
               {.pid = 41,
                .tgid = 40,
                .name = "child",
                .allowed = "1",
                .policy = 0,
                .nice = 0,
                .rt_priority = 0,
                .at_start = false,
                .at_end = true}};
    return e;
}

Input file_of(const std::string& content) {
    std::vector<std::byte> bytes(content.size());
    std::memcpy(bytes.data(), content.data(), content.size());
    return Input::of_bytes(std::move(bytes), "t.dat");
}

}  // namespace

TEST(Environment, ComesBackFromItsJsonWithEveryByteOfANameIntact) {
    const Environment e = example();
    const Result<Environment> back = parse_environment(to_json(e));
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(*back, e);
}

TEST(Environment, IsFoundAtTheEndOfAFileAndOnlyThere) {
    const std::string trailer = environment_trailer(example());
    const auto found = read_environment(file_of("pages of a trace" + trailer));
    ASSERT_TRUE(found) << found.error().message;
    ASSERT_TRUE(found->has_value());
    EXPECT_EQ(**found, example());
    const auto none = read_environment(file_of("pages of a trace without one"));
    ASSERT_TRUE(none);
    EXPECT_FALSE(none->has_value());
}

TEST(Environment, DamageIsAnErrorOrNoEnvironmentNeverMore) {
    const std::string whole = environment_trailer(example());
    for (std::size_t cut = 0; cut < whole.size(); cut += 7)
        EXPECT_TRUE(read_environment(file_of("x" + whole.substr(0, cut))));  // no magic at the end
    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::string flipped = whole;
        flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
        (void)read_environment(file_of(flipped));
    }
    std::string longer = whole;
    longer[longer.size() - 9] = '\x7f';  // the top byte of the length
    const auto refused = read_environment(file_of(longer));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message, "t.dat: environment record: longer than the file");
}

TEST(Environment, SaysWhichMemberIsWrong) {
    const auto wrong = parse_environment(R"({"command_pid": "forty"})");
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().message, "environment record: command_pid: expected an integer");
    const auto big = parse_environment(R"({"command_pid": 4294967296})");
    ASSERT_FALSE(big);
    EXPECT_EQ(big.error().message, "environment record: command_pid: expected a smaller number");
}

TEST(Environment, DescribesTheTasksOfTheStartAndExpectsTheOthers) {
    test::TraceCapture sink;
    TraceQuality quality;
    Translator translator(sink, quality);
    describe_environment(example(), translator);
    KernelEvent fork;
    fork.ns = 100;
    fork.type = KernelEventType::kFork;
    fork.pid = 40;
    fork.other_pid = 41;
    translator.add(fork);
    translator.finish();
    EXPECT_EQ(sink.cpus, 2u);
    EXPECT_EQ(sink.info.cache_of, (std::vector<std::uint32_t>{0, 0}));
    EXPECT_EQ(sink.info.core_of, (std::vector<std::uint32_t>{0, 1}));
    EXPECT_EQ(sink.info.node_of, (std::vector<std::uint32_t>{0, 0}));
    EXPECT_EQ(sink.names[0], "a\\b c\xff");
    EXPECT_EQ(sink.pids[1], 41);  // the forked child is the second task, not a third
    EXPECT_EQ(sink.names.size(), 2u);
}

TEST(Environment, KernelCpuLists) {
    const auto mask = parse_kernel_cpu_list("0-2,5,1020-4095");
    ASSERT_TRUE(mask);
    EXPECT_EQ(mask->count(), 8u);  // 0 1 2 5 1020 .. 1023
    EXPECT_EQ(kernel_cpu_list(*mask), "0-2,5,1020-1023");
    EXPECT_FALSE(parse_kernel_cpu_list(""));
    EXPECT_FALSE(parse_kernel_cpu_list("3-1"));
    EXPECT_FALSE(parse_kernel_cpu_list("0;1"));
    EXPECT_FALSE(parse_kernel_cpu_list("-1"));
}

}  // namespace wakelab::trace
