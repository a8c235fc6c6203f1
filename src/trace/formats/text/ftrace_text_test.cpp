#include "trace/formats/text/ftrace_text.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <sstream>

#include "base/prng.hpp"
#include "support/source_path.hpp"
#include "support/trace_capture.hpp"
#include "trace/formats/format.hpp"
#include "trace/formats/text/ftrace_line.hpp"

namespace wakelab::trace {
namespace {

using test::TraceCapture;

const std::string kData = test::source_path("tests/data/trace/text/");

std::vector<std::byte> bytes_of(std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

std::string content(const std::string& path) {
    std::ostringstream all;
    all << std::ifstream(path, std::ios::binary).rdbuf();
    return all.str();
}

struct ReadText {
    TraceCapture trace;
    TraceQuality quality;
    Status status;
};

ReadText read(std::string_view text) {
    ReadText r;
    Input input = Input::of_bytes(bytes_of(text));
    r.status = read_trace(input, r.trace, r.quality);
    return r;
}

constexpr std::string_view kSwitch =
    "            bash-12      [001] d..2.   100.000010: sched_switch: prev_comm=bash prev_pid=12 "
    "prev_prio=120 "
    "prev_state=S ==> next_comm=cc1 next_pid=13 next_prio=120\n";

TEST(FtraceLine, ReadsEveryKindOfColumns) {
    for (const std::string_view text : {
             "            bash-12      [001] d..2.   100.000010: ev: a=1",
             "            bash-12    [001] dNh2   100.000010: ev: a=1",
             "            bash-12    (  11) [001] d..2   100.000010: ev: a=1",
             "            bash-12    (-------) [001] .....   100.000010: ev: a=1",
             "            bash-12    [001]   100.000010: ev: a=1",
             "            bash-12    [001]   100.000010:   ev:               a=1",
             "            bash-12    [001]   100.000010000: ev: a=1",
             "            bash-12    [001]   100.000010: (+3066)  ev:   a=1",
             "bash-12 [001] 100.000010: ev: a=1",
             "            bash-12      1d..2.   100.000010: ev: a=1",
         }) {
        const auto line = parse_ftrace_line(text);
        ASSERT_TRUE(line) << text;
        EXPECT_EQ(line->comm, "bash") << text;
        EXPECT_EQ(line->pid, 12) << text;
        EXPECT_EQ(line->cpu, 1u) << text;
        EXPECT_EQ(line->ns, 100'000'010'000) << text;
        EXPECT_EQ(line->event, "ev") << text;
        EXPECT_EQ(line->args, "a=1") << text;
    }
    EXPECT_EQ(parse_ftrace_line("            bash-12    (  11) [001] d..2   1.000010: ev: a")->tgid,
              11);
    EXPECT_EQ(parse_ftrace_line("            bash-12    [001] d.h2   1.0: ev: a")->context,
              kInHardirq);
    EXPECT_EQ(parse_ftrace_line("            bash-12    [001] d.s2   1.0: ev: a")->context,
              kInSoftirq);
    EXPECT_EQ(parse_ftrace_line("            bash-12    [001] DNH21  1.0: ev: a")->context,
              kInHardirq | kInSoftirq);
    EXPECT_EQ(parse_ftrace_line("           <...>-12    [001] d..2   1.0: ev: a")->comm, "");
    EXPECT_EQ(parse_ftrace_line("            bash-12    [001] ....   1.0: sys_write -> 0x5")->event,
              "sys_write");
    EXPECT_EQ(parse_ftrace_line("            bash-12    [001] ....   1.0: sys_write(fd: 1)")->args,
              "(fd: 1)");
    EXPECT_EQ(parse_ftrace_line("            bash-12    [001] ....   1.0: foo <-bar")->event, "");
    EXPECT_EQ(parse_ftrace_line("            bash-12    [001] d..2   77123: ev: a")->ns, 77123);
}

TEST(FtraceLine, NamesMayLookLikeTheRest) {
    for (const std::string_view name : {"a-1 [000] 1.0:", "-1 [0] 1.0: x:", "foo-bar-12",
                                        "a-1 (2) [3] 4", "- - -", "\xff-\xfe", "[001] d..2", "x"}) {
        const std::string padded = std::string(16 - name.size(), ' ') + std::string(name);
        for (const std::string& text : {padded, std::string(name)}) {
            const std::string whole =
                text + "-12345   [001] d..2.   1.000010: ev: a-2 [0] 3.0: b: c";
            const auto line = parse_ftrace_line(whole);
            ASSERT_TRUE(line) << text;
            EXPECT_EQ(line->comm, name);
            EXPECT_EQ(line->pid, 12345);
            EXPECT_EQ(line->args, "a-2 [0] 3.0: b: c");
        }
    }
}

TEST(FtraceLine, RefusesOtherText) {
    for (const std::string_view text :
         {"", "bash", "a-1", "a-1 [000]", "a-1 [000] 1.0", "a-1 [000] 1.0:", "a-1 [000] 1.0: ",
          "bash  1234 [001] 12.000001: sched:sched_switch: x", "foo-12 3456 [001] 1.0: sched:x: y",
          "Nov 30 21:00:00 host a-1[12]: message", "a-x [000] 1.0: ev: b", "a-1 [0x0] 1.0: ev: b",
          "a-1 [000] 99999999999.0: ev: b", "a-1 [000] 1.0000000001: ev: b"})
        EXPECT_FALSE(parse_ftrace_line(text)) << text;
}

TEST(FtraceText, RealFilesWithHostileNames) {
    struct Expected {
        const char* file;
        std::size_t switches, wakings, wakeups, forks;
        std::int64_t resolution;
    };
    // Counted with grep -c ' sched_switch: '; a grep for the bare word would count hostile names.
    for (const Expected& x : {Expected{"hostile.trace", 19, 16, 16, 2, 1000},
                              Expected{"hostile.trace_pipe", 11, 11, 10, 1, 1000},
                              Expected{"hostile.report", 16, 12, 12, 1, 1}}) {
        TraceCapture got;
        TraceQuality q;
        ASSERT_TRUE(read_trace(kData + x.file, got, q)) << x.file;
        EXPECT_EQ(q.format, "ftrace text");
        EXPECT_EQ(q.damaged, 0u) << x.file;
        EXPECT_EQ(q.resolution_ns, x.resolution) << x.file;
        EXPECT_EQ(q.count(KernelEventType::kSwitch), x.switches) << x.file;
        EXPECT_EQ(q.count(KernelEventType::kWaking), x.wakings) << x.file;
        EXPECT_EQ(q.count(KernelEventType::kWakeup), x.wakeups) << x.file;
        EXPECT_EQ(q.count(KernelEventType::kFork), x.forks) << x.file;
        EXPECT_EQ(got.count(EventType::kSwitch), x.switches) << x.file;
    }
    TraceCapture got;
    TraceQuality q;
    ASSERT_TRUE(read_trace(kData + "hostile.trace", got, q));
    std::map<std::int32_t, std::string> names;
    for (const auto& [task, pid] : got.pids) names[pid] = got.names[task];
    EXPECT_EQ(names[11260], "x next_pid=1 p");
    EXPECT_EQ(names[11264], " prev_pid=1 a");
    EXPECT_EQ(names[11265], "a-1 [000] 1.0:");
    EXPECT_EQ(names[11267], "\xff\xfe ]x[ =");
    EXPECT_EQ(names[11268], "foo-bar-12");
    EXPECT_EQ(got.cpus, 2u);
}

TEST(FtraceText, SystraceInsideHtml) {
    TraceCapture got;
    TraceQuality q;
    ASSERT_TRUE(read_trace(kData + "systrace.html", got, q));
    EXPECT_EQ(q.damaged, 0u) << "the other scripts are not ours";
    EXPECT_EQ(q.count(KernelEventType::kSwitch), 2u);
    EXPECT_EQ(q.count(KernelEventType::kWakeup), 2u);
    EXPECT_EQ(q.skipped.at("tracing_mark_write"), 1u);
    // 12 written, 9 kept: what CPU 1 did before "buffer started" is missing, as are the 17 of
    // CPU 3.
    EXPECT_EQ(q.gaps, 2u);
    EXPECT_EQ(q.lost_events, 17u);
    EXPECT_EQ(got.cpus, 4u);
    ASSERT_EQ(q.notes.size(), 1u);
    EXPECT_EQ(q.notes[0], "3 events before the first were overwritten in the tracer's buffer");
    std::size_t in_interrupt = 0;
    for (const TraceRecord& r : got.records)
        in_interrupt += r.type == EventType::kWakeup && (r.flags & kWakeInInterrupt) != 0 ? 1 : 0;
    EXPECT_EQ(in_interrupt, 1u);
}

TEST(FtraceText, LossesComeBeforeTheNextEvent) {
    const auto r = read(
        std::string("# tracer: nop\n") + std::string(kSwitch) +
        "CPU:1 [LOST 5 EVENTS]\nCPU:0 [LOST EVENTS]\nCPU:1 [7 EVENTS DROPPED]\n"
        "CPU:0 [EVENTS DROPPED]\n" +
        "            bash-12      [001] d..2.   100.000020: softirq_entry: vec=1 [action=TIMER]\n"
        "CPU:1 [LOST 9 EVENTS]\n");
    ASSERT_TRUE(r.status);
    EXPECT_EQ(r.quality.gaps, 5u);
    EXPECT_EQ(r.quality.lost_events, 21u);
    ASSERT_EQ(r.trace.records.size(), 7u);
    EXPECT_EQ(r.trace.records[1].type, EventType::kLost);
    EXPECT_EQ(r.trace.records[1].ns, 100'000'020'000) << "the loss ends here";
    EXPECT_EQ(r.trace.records[6].type, EventType::kLost) << "at the end of the text";
}

TEST(FtraceText, CountsWhatItCannotRead) {
    const auto r =
        read(std::string(kSwitch) + "garbage\n" + std::string(kSwitch) + "more\n" +
             "            bash-12      [001] d..2.   100.000030: sched_switch: prev_comm=\n" +
             "            bash-12      [001] d..2.   100.000030: kmalloc: x\n" +
             "            bash-12      [001] d..2.   100.000030: do_fork <-sys_fork\n");
    ASSERT_TRUE(r.status);
    EXPECT_EQ(r.quality.damaged, 3u);
    EXPECT_EQ(r.quality.skipped.at("kmalloc"), 1u);
    EXPECT_EQ(r.quality.skipped.at("functions"), 1u);
    EXPECT_EQ(r.quality.notes.back(), "the first line that could not be read is line 2");
    EXPECT_FALSE(r.quality.truncated);
}

TEST(FtraceText, ClocksWithoutSecondsAreNoted) {
    const auto r = read(
        "# tracer: nop\n            bash-12      [001] d..2. 77123: softirq_entry: vec=1 [a]\n");
    ASSERT_TRUE(r.status);
    EXPECT_EQ(r.quality.clock, "not in seconds");
    EXPECT_EQ(r.trace.records.at(0).ns, 77123);
}

TEST(FtraceText, TellsOtherTextApart) {
    for (const std::string_view text :
         {"hello\n", "{\"traceEvents\": []}", "PERFILE2", "<html><body>a page</body></html>",
          "bash  1234 [001] 12.000001: sched:sched_switch: prev_comm=a\n",
          "Nov 30 21:00:00 host kernel: [ 1.0] foo-1: bar\n", "cpus=2\n", "# a comment\n", "\n"})
        EXPECT_FALSE(is_ftrace_text(bytes_of(text))) << text;
    EXPECT_TRUE(is_ftrace_text(bytes_of(kSwitch)));
    EXPECT_TRUE(is_ftrace_text(bytes_of("cpus=2\n" + std::string(kSwitch))));
    EXPECT_TRUE(is_ftrace_text(bytes_of("CPU:1 [LOST 5 EVENTS]\n" + std::string(kSwitch))));
    EXPECT_TRUE(is_ftrace_text(bytes_of("[001] cut line of a ring buffer\n" + std::string(kSwitch) +
                                        std::string(kSwitch))));
}

TEST(FtraceText, LatencyFormatOfTheKernelIsRefusedWithAWord) {
    const auto r = read(
        "# tracer: nop\n#\n# latency: 0 us, #1/1, CPU#0 | (M:desktop VP:0)\n"
        "    bash-12      1d..2.    5us : sched_switch: x\n");
    ASSERT_FALSE(r.status);
    EXPECT_EQ(r.status.error().message,
              "input: ftrace text in latency format; expected option latency-format off");
}

TEST(FtraceText, LinesLongerThanTheBufferAreSkipped) {
    const auto r =
        read(std::string(kSwitch) + std::string(3u << 20, 'x') + "\n" + std::string(kSwitch));
    ASSERT_TRUE(r.status);
    EXPECT_EQ(r.quality.damaged, 1u);
    EXPECT_EQ(r.quality.count(KernelEventType::kSwitch), 2u);
}

TEST(FtraceText, CutAnywhereGivesABeginning) {
    const std::string text = content(kData + "hostile.trace");
    for (std::size_t n = 12; n < text.size(); n += 7) {
        const auto r = read(std::string_view(text).substr(0, n));
        ASSERT_TRUE(r.status) << n;
        EXPECT_LE(r.quality.damaged, 0u) << n;
    }
}

TEST(FtraceText, FlippedBitsNeverHurt) {
    Prng random(3, 0, 0);
    for (const char* file : {"hostile.trace", "hostile.report", "systrace.html"}) {
        const std::string text = content(kData + file);
        for (int i = 0; i < 150; ++i) {
            std::string damaged = text;
            for (int k = 0; k < 5; ++k)
                damaged[random.below(damaged.size())] ^= static_cast<char>(1 << random.below(8));
            (void)read(damaged);
        }
    }
}

}  // namespace
}  // namespace wakelab::trace
