#include "trace/formats/text/perf_script.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <fstream>
#include <iterator>
#include <string>

#include "support/source_path.hpp"
#include "support/trace_capture.hpp"
#include "trace/formats/format.hpp"
#include "trace/formats/text/perf_script_line.hpp"

namespace wakelab::trace {
namespace {

using test::TraceCapture;

struct Read {
    TraceCapture capture;
    TraceQuality quality;
    std::string error;

    explicit Read(const std::string& text) {
        const auto* const at = reinterpret_cast<const std::byte*>(text.data());
        Input input = Input::of_bytes({at, at + text.size()});
        if (Status s = read_trace(input, capture, quality); !s) error = s.error().message;
    }
};

std::string seed(const std::string& name) {
    std::ifstream in(test::source_path("tests/data/trace/perf/" + name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

constexpr const char* kSwitch = "sched:sched_switch: prev_comm=a prev_pid=7 prev_prio=120 prev_state=S ==> "
                                "next_comm=b next_pid=8 next_prio=120\n";

// The line outlives the views into it.
PerfScriptLine parse(const std::string& text) {
    static std::deque<std::string> lines;
    const std::string& line = lines.emplace_back(text);
    const auto parsed = parse_perf_script_line(line);
    EXPECT_TRUE(parsed.has_value()) << line;
    return parsed.value_or(PerfScriptLine{});
}

TEST(PerfScriptLine, HasTheFieldsOfPerf) {
    const PerfScriptLine l =
        parse("            perf 21862 [001] 25952.109685:       sched:sched_waking: comm=x pid=18 prio=0 ");
    EXPECT_EQ(l.comm, "perf");
    EXPECT_EQ(l.tid, 21862);
    EXPECT_EQ(l.pid, -1);
    EXPECT_EQ(l.cpu, 1);
    EXPECT_EQ(l.ns, 25952'109685'000);
    EXPECT_EQ(l.fraction_digits, 6);
    EXPECT_EQ(l.system, "sched");
    EXPECT_EQ(l.event, "sched_waking");
    EXPECT_EQ(l.args, "comm=x pid=18 prio=0");
}

TEST(PerfScriptLine, TakesProcessAndPeriodAndNanoseconds) {
    const PerfScriptLine l = parse(
        "         swapper     0/7     [003]     2.000000005:          1       irq:softirq_exit: vec=1 [a=B]");
    EXPECT_EQ(l.pid, 0);
    EXPECT_EQ(l.tid, 7);
    EXPECT_EQ(l.ns, 2'000'000'005);
    EXPECT_EQ(l.fraction_digits, 9);
    EXPECT_EQ(l.event, "softirq_exit");
    EXPECT_EQ(l.args, "vec=1 [a=B]");
}

TEST(PerfScriptLine, NamesMayHoldWhatComesBehindThem) {
    const std::string rest = " 1234 [000]     5.000001: sched:sched_waking: x";
    EXPECT_EQ(parse("       a 1 [0] 2" + rest).comm, "a 1 [0] 2");
    EXPECT_EQ(parse("     ==> x [1] :" + rest).comm, "==> x [1] :");
    EXPECT_EQ(parse("              a " + rest).comm, "a ");       // ends in a space
    EXPECT_EQ(parse("a b" + rest).comm, "a b");                   // perf script with call chains: not padded
    EXPECT_EQ(parse("kworker/u8:3-events_unbound" + rest).comm, "kworker/u8:3-events_unbound");
    EXPECT_EQ(parse("        \xff\xfe" "\x01 c" + rest).comm, "\xff\xfe" "\x01 c");
    EXPECT_EQ(parse(rest).comm, "");                              // -F tid,cpu,time,event,trace
    EXPECT_EQ(parse("                 " + rest).tid, 1234);
    EXPECT_EQ(parse("          :1234 " + rest).comm, ":1234 ");   // a strange name
    EXPECT_EQ(parse("           :1234" + rest).comm, "");         // perf knows none
}

TEST(PerfScriptLine, OldPerfHasNoSystem) {
    const PerfScriptLine l = parse("            init     1 [000]     5.000001: sched_switch: x");
    EXPECT_EQ(l.system, "");
    EXPECT_EQ(l.event, "sched_switch");
}

TEST(PerfScriptLine, OtherLinesAreNone) {
    for (const char* line : {"", "  ", "\tffffffff813b4986 try_to_wake_up+0x3b6 ([kernel.kallsyms])",
                             "            perf 21862 [001] 25952.109685:",
                             "            perf 21862 [001] 25952: sched:x: y",
                             "          <idle>-0     [001] d..2. 26611.810723: sched_switch: prev_comm=x",
                             "            perf 21862 [00x] 1.5: sched:x: y"})
        EXPECT_FALSE(parse_perf_script_line(line).has_value()) << line;
}

TEST(PerfScript, ReadsWhatPerfPrints) {
    const Read r(seed("file.perf.txt"));
    EXPECT_EQ(r.error, "");
    EXPECT_EQ(r.quality.format, "perf script");
    EXPECT_EQ(r.quality.count(KernelEventType::kSwitch), 90u);
    EXPECT_EQ(r.quality.count(KernelEventType::kWaking), 27u);
    EXPECT_EQ(r.quality.count(KernelEventType::kWakeup), 27u);
    EXPECT_EQ(r.quality.count(KernelEventType::kMigrate), 5u);
    EXPECT_EQ(r.quality.damaged, 0u);
    EXPECT_EQ(r.quality.out_of_order, 0u);
    EXPECT_EQ(r.quality.resolution_ns, 1000);
}

// The same recording read both ways: the same records, of the same tasks, at times within the microsecond
// that perf script prints. perf.data holds perf's own records of execs in addition (there: none).
TEST(PerfScript, TellsTheSameAsPerfData) {
    const Read text(seed("file.perf.txt")), data(seed("file.perf.data"));
    ASSERT_EQ(text.capture.records.size(), data.capture.records.size());
    for (std::size_t i = 0; i < text.capture.records.size(); ++i) {
        const TraceRecord& t = text.capture.records[i];
        const TraceRecord& d = data.capture.records[i];
        const auto pid = [](const Read& r, std::uint32_t task) {
            return task == kNobody ? 0 : r.capture.pids.at(task);
        };
        EXPECT_EQ(t.type, d.type) << i;
        EXPECT_EQ(t.cpu, d.cpu) << i;
        if (t.type == EventType::kSwitch) {  // of wake-ups the text does not tell the context
            EXPECT_EQ(t.flags, d.flags) << i;
        }
        EXPECT_EQ(pid(text, t.task), pid(data, d.task)) << i;
        EXPECT_EQ(pid(text, t.arg), pid(data, d.arg)) << i;
        EXPECT_EQ(t.ns, d.ns / 1000 * 1000) << i;
    }
}

TEST(PerfScript, ReadsThePluginForm) {
    const Read r("  a   7 [000]  1.000000: sched:sched_wakeup: my task:8 [120] success=1 CPU:001\n"
                 "  a   7 [000]  1.000001: sched:sched_switch: a:7 [120] S ==> my task:8 [120]\n");
    EXPECT_EQ(r.error, "");
    ASSERT_EQ(r.capture.records.size(), 3u);  // a migration in between is inferred
    EXPECT_EQ(r.capture.records[0].type, EventType::kWakeup);
    EXPECT_EQ(r.capture.records[0].cpu, 1);
    EXPECT_EQ(r.capture.records[2].type, EventType::kSwitch);
    EXPECT_EQ(r.capture.names.at(r.capture.records[2].arg), "my task");
}

TEST(PerfScript, SkipsCallChainsAndTakesTheHeader) {
    const Read r(std::string("# ========\n# hostname : box\n# os release : 6.1.0\n# arch : ppc64\n"
                             "# nrcpus online : 8\n#\n") +
                 "a     7 [002]     1.000000000: " + kSwitch +
                 "\tffffffff813b4986 __schedule+0x3b6 ([kernel.kallsyms])\n"
                 "\t          ee137 [unknown] (/usr/bin/a b)\n\n"
                 "b     8 [002]     1.000000010: cpu-clock:          ffff x ([kernel])\n");
    EXPECT_EQ(r.error, "");
    EXPECT_EQ(r.quality.hostname, "box");
    EXPECT_EQ(r.quality.kernel, "6.1.0");
    EXPECT_EQ(r.quality.architecture, "ppc64");
    EXPECT_EQ(r.capture.cpus, 8u);
    EXPECT_EQ(r.quality.resolution_ns, 1);
    EXPECT_EQ(r.quality.damaged, 0u);
    EXPECT_EQ(r.quality.count(KernelEventType::kSwitch), 1u);
    EXPECT_EQ(r.quality.skipped.at("cpu-clock"), 1u);
}

TEST(PerfScript, TakesLossesAndCountsDamage) {
    const Read r(std::string("  a   7 [001]  1.000000: ") + kSwitch +
                 "  a   7 [001]  1.000005: PERF_RECORD_LOST lost 12\n"
                 "complete nonsense\n"
                 "  a   7 [001]  1.000010: sched:sched_switch: nonsense\n"
                 "  a   7 [001]  1.000010: sched:sched_switch: prev_comm=cut");
    EXPECT_EQ(r.error, "");
    EXPECT_EQ(r.quality.lost_events, 12u);
    EXPECT_EQ(r.quality.damaged, 2u);
    EXPECT_TRUE(r.quality.truncated);
    EXPECT_EQ(r.quality.notes.front(), "The first line that could not be read is line 3.");
}

TEST(PerfScript, NeedsTheCpu) {
    const Read r(std::string("  a   7  1.000000: ") + kSwitch);
    EXPECT_NE(r.error.find("perf script without CPUs"), std::string::npos) << r.error;
}

TEST(PerfScript, DamagedTextEndsInAnAnswerOrAnError) {
    const std::string whole = seed("file.perf.txt");
    for (std::size_t n = 1; n < whole.size(); n += 131) {
        const Read r(whole.substr(0, n));
        EXPECT_EQ(r.capture.finishes, r.error.empty() ? 1 : 0);
    }
    std::string text = whole.substr(0, 4000);
    for (std::size_t at = 0; at < text.size(); at += 7) {
        const char before = text[at];
        text[at] = static_cast<char>(before ^ (1 << at % 8));
        const Read r(text);
        EXPECT_EQ(r.capture.finishes, r.error.empty() ? 1 : 0);
        text[at] = before;
    }
}

}  // namespace
}  // namespace wakelab::trace
