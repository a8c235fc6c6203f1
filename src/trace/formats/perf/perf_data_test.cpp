#include "trace/formats/perf/perf_data.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "support/perf_data_builder.hpp"
#include "support/source_path.hpp"
#include "support/trace_capture.hpp"
#include "trace/formats/format.hpp"

namespace wakelab::trace {
namespace {

using test::ByteWriter;
using test::PerfDataBuilder;
using test::TraceCapture;

// PERF_SAMPLE_*
constexpr std::uint64_t kIp = 1, kTid = 2, kTime = 4, kAddr = 8, kRead = 16, kCallchain = 32, kId = 64,
                        kCpu = 128, kPeriod = 256, kStreamId = 512, kRaw = 1024, kBranchStack = 2048,
                        kIdentifier = 65536;
// PERF_RECORD_*
constexpr std::uint32_t kLost = 2, kComm = 3, kExit = 4, kFork = 7, kSample = 9, kLostSamples = 13,
                        kSwitchCpuWide = 15, kFinishedRound = 68, kAuxtrace = 71;

struct Read {
    TraceCapture capture;
    TraceQuality quality;
    std::string error;

    explicit Read(std::vector<std::byte> bytes) {
        Input input = Input::of_bytes(std::move(bytes));
        if (Status s = read_trace(input, capture, quality); !s) error = s.error().message;
    }
    [[nodiscard]] std::uint64_t count(KernelEventType type) const { return quality.count(type); }
    [[nodiscard]] std::vector<std::int64_t> times() const {
        std::vector<std::int64_t> ns;
        for (const TraceRecord& r : capture.records) ns.push_back(r.ns);
        return ns;
    }
};

std::vector<std::byte> seed(const std::string& name) {
    std::ifstream in(test::source_path("tests/data/trace/perf/" + name), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const auto* const at = reinterpret_cast<const std::byte*>(text.data());
    return {at, at + text.size()};
}

// --- real files; the counts are those of perf script on the same file ---

TEST(PerfData, ReadsAFile) {
    const Read r(seed("file.perf.data"));
    EXPECT_EQ(r.error, "");
    EXPECT_EQ(r.count(KernelEventType::kSwitch), 90u);
    EXPECT_EQ(r.count(KernelEventType::kWaking), 27u);
    EXPECT_EQ(r.count(KernelEventType::kWakeup), 27u);
    EXPECT_EQ(r.count(KernelEventType::kMigrate), 5u);
    EXPECT_EQ(r.count(KernelEventType::kExec), 1u);
    EXPECT_EQ(r.count(KernelEventType::kFork), 0u);  // PERF_RECORD_FORK must not count: it has the tracepoint
    EXPECT_EQ(r.quality.inferred_wakeups, 0u);
    EXPECT_EQ(r.quality.inferred_migrations, 0u);
    EXPECT_EQ(r.quality.out_of_order, 0u);
    EXPECT_EQ(r.quality.damaged, 0u);
    EXPECT_FALSE(r.quality.truncated);
    EXPECT_EQ(r.quality.format, "perf.data");
    EXPECT_EQ(r.quality.clock, "perf");
    EXPECT_EQ(r.quality.architecture, "x86_64");
    EXPECT_EQ(r.quality.hostname, "vm");
    EXPECT_EQ(r.quality.skipped.at("PERF_RECORD_MMAP2"), 2u);
    ASSERT_EQ(r.quality.notes.size(), 1u);
    EXPECT_TRUE(r.quality.notes[0].starts_with("Recorded by: /usr/bin/perf record")) << r.quality.notes[0];
    EXPECT_EQ(r.capture.cpus, 2u);
}

TEST(PerfData, ReadsAPipe) {
    const Read r(seed("pipe.perf.data"));
    EXPECT_EQ(r.error, "");
    EXPECT_EQ(r.count(KernelEventType::kSwitch), 52u);
    EXPECT_EQ(r.count(KernelEventType::kWaking), 18u);
    // Without those tracepoints perf's own records tell.
    EXPECT_EQ(r.count(KernelEventType::kFork), 2u);
    EXPECT_EQ(r.count(KernelEventType::kExec), 1u);
    EXPECT_EQ(r.count(KernelEventType::kExit), 3u);
    EXPECT_EQ(r.quality.inferred_wakeups, 18u);
    EXPECT_EQ(r.quality.architecture, "x86_64");
    EXPECT_FALSE(r.quality.truncated);
}

TEST(PerfData, ReadsCompressedRecords) {
    const Read r(seed("zstd.perf.data"));
    EXPECT_EQ(r.error, "");
    EXPECT_EQ(r.count(KernelEventType::kSwitch), 151u);
    EXPECT_EQ(r.count(KernelEventType::kWaking), 50u);
    EXPECT_EQ(r.count(KernelEventType::kWakeup), 50u);
    EXPECT_EQ(r.quality.damaged, 0u);
    EXPECT_EQ(r.quality.out_of_order, 0u);
}

TEST(PerfData, SkipsCallChains) {
    const Read r(seed("callchain.perf.data"));
    EXPECT_EQ(r.error, "");
    EXPECT_EQ(r.count(KernelEventType::kSwitch), 21u);
    EXPECT_EQ(r.count(KernelEventType::kWaking), 9u);
    EXPECT_EQ(r.quality.damaged, 0u);
}

// perf sched record leaves sched_wakeup out: it is inferred from each waking.
TEST(PerfData, ReadsPerfSchedRecord) {
    const Read r(seed("sched.perf.data"));
    EXPECT_EQ(r.error, "");
    EXPECT_EQ(r.count(KernelEventType::kSwitch), 21u);
    EXPECT_EQ(r.count(KernelEventType::kWaking), 10u);
    EXPECT_EQ(r.count(KernelEventType::kMigrate), 4u);
    EXPECT_EQ(r.quality.skipped.at("sched_stat_runtime"), 35u);
    EXPECT_EQ(r.quality.inferred_wakeups, 10u);
}

TEST(PerfData, ReadsContextSwitchesWithoutTracepoints) {
    const Read r(seed("switch.perf.data"));
    EXPECT_EQ(r.error, "");
    EXPECT_EQ(r.count(KernelEventType::kSwitch), 35u);
    EXPECT_TRUE(r.quality.notes.back().starts_with("Context switches are those of perf record"));
}

// --- synthetic ---

constexpr std::uint64_t kPlain = kTid | kTime | kCpu | kRaw;

// A sample of the kPlain kind.
void switch_at(PerfDataBuilder& b, std::uint64_t ns, std::uint32_t cpu, int prev, int next) {
    ByteWriter body = b.body();
    body.u32(prev).u32(prev).u64(ns).u32(cpu).u32(0);
    body.append(PerfDataBuilder::raw_field(b.sched_switch(prev, 1, next)).bytes());
    b.record(kSample, 0, body);
}

// The trailer of the same kind: TID, TIME, CPU.
ByteWriter& trailer(ByteWriter& body, int tid, std::uint64_t ns, std::uint32_t cpu) {
    return body.u32(tid).u32(tid).u64(ns).u32(cpu).u32(0);
}

TEST(PerfData, EveryByteOrderAndAttributeSizeReadsTheSame) {
    for (const bool big_endian : {false, true}) {
        // 2.6.33, 3.2, 3.4 .. 3.18, 4.1, 6.3, and one of the future
        for (const std::uint32_t size : {64u, 72u, 80u, 96u, 104u, 112u, 136u, 200u}) {
            PerfDataBuilder b(big_endian);
            b.add({.sample_type = kPlain, .ids = {1}, .size = size});
            switch_at(b, 1000, 3, 7, 8);
            switch_at(b, 2000, 3, 8, 7);
            for (const bool pipe : {false, true}) {
                const Read r(pipe ? b.pipe() : b.file());
                SCOPED_TRACE(size + (big_endian ? 1000 : 0) + (pipe ? 10000 : 0));
                ASSERT_EQ(r.error, "");
                EXPECT_EQ(r.quality.damaged, 0u);
                ASSERT_EQ(r.times(), (std::vector<std::int64_t>{1000, 2000}));
                const TraceRecord first = r.capture.records[0];
                EXPECT_EQ(first.type, EventType::kSwitch);
                EXPECT_EQ(first.cpu, 3);
                EXPECT_EQ(r.capture.names.at(first.task), "task-7");
                EXPECT_EQ(r.capture.pids.at(first.arg), 8);
                EXPECT_EQ(first.flags, static_cast<std::uint32_t>(PrevState::kBlocked));
                EXPECT_EQ(r.quality.kernel, pipe ? "" : "2.6.39");
                EXPECT_EQ(r.capture.cpus, 4u);  // CPU 3 is the highest; so does the file say
            }
        }
    }
}

// Everything that can stand before the raw bytes, in the order of perf_event_open(2), and what follows.
TEST(PerfData, FindsTheRawBytesBehindEveryOtherField) {
    PerfDataBuilder b;
    const std::uint64_t all = kIdentifier | kIp | kTid | kTime | kAddr | kId | kStreamId | kCpu | kPeriod |
                              kRead | kCallchain | kRaw | kBranchStack;
    b.add({.sample_type = all, .read_format = 1 | 2 | 4 | 8 | 16, .ids = {77}});
    b.add({.type = 1, .config = 0, .sample_type = kIdentifier | kTime, .ids = {78}});
    ByteWriter body = b.body();
    body.u64(77).u64(0xffff).u32(5).u32(5).u64(500).u64(0).u64(77).u64(77).u32(1).u32(0).u64(1);
    body.u64(2).u64(100).u64(90);             // group of two: times enabled and running,
    body.u64(1).u64(77).u64(0);               // value, id, lost
    body.u64(2).u64(78).u64(0);
    body.u64(3).u64(1).u64(2).u64(3);         // three callers
    body.append(PerfDataBuilder::raw_field(b.sched_switch(5, 0, 6)).bytes());
    body.u64(1).u64(10).u64(20).u64(30);      // one branch
    b.record(kSample, 0, body);
    b.record(kSample, 0, b.body().u64(78).u64(600));  // of the other attribute: counted by its name
    b.record(kSample, 0, b.body().u64(79).u64(700));  // of none
    const Read r(b.file());
    EXPECT_EQ(r.error, "");
    ASSERT_EQ(r.times(), std::vector<std::int64_t>{500});
    EXPECT_EQ(r.capture.records[0].cpu, 1);
    EXPECT_EQ(r.capture.pids.at(r.capture.records[0].arg), 6);
    EXPECT_EQ(r.quality.skipped.at("perf event 1:0"), 1u);
    EXPECT_EQ(r.quality.skipped.at("sample of an unknown event"), 1u);
}

// CPU 0's buffer is written before CPU 1's; what it gives in the next round may be as old as CPU 1's now.
TEST(PerfData, PutsTheEventsOfAllBuffersInOrder) {
    PerfDataBuilder b;
    b.add({.sample_type = kPlain, .ids = {1}});
    for (const std::uint64_t ns : {10, 30}) switch_at(b, ns, 0, 1, 2);
    for (const std::uint64_t ns : {20, 60}) switch_at(b, ns, 1, 3, 4);
    b.record(kFinishedRound, 0, b.body());
    for (const std::uint64_t ns : {40, 50, 70}) switch_at(b, ns, 0, 1, 2);
    b.record(kFinishedRound, 0, b.body());
    switch_at(b, 65, 1, 3, 4);
    const Read r(b.file());
    EXPECT_EQ(r.times(), (std::vector<std::int64_t>{10, 20, 30, 40, 50, 60, 65, 70}));
    EXPECT_EQ(r.quality.out_of_order, 0u);
}

TEST(PerfData, LossesAreOfTheirCpuIfItIsTold) {
    PerfDataBuilder b;
    b.add({.sample_type = kPlain, .ids = {1}});
    switch_at(b, 10, 0, 1, 2);
    switch_at(b, 20, 1, 3, 4);
    ByteWriter lost = b.body();
    b.record(kLost, 0, trailer(lost.u64(1).u64(5), 1, 30, 1));
    ByteWriter total = b.body();
    b.record(kLostSamples, 0, trailer(total.u64(7), 0, 0, 0));  // perf's totals at the end
    const Read r(b.file());
    ASSERT_EQ(r.capture.count(EventType::kLost), 1u);
    EXPECT_EQ(r.capture.records.back().cpu, 1);
    EXPECT_EQ(r.capture.records.back().payload, 5);
    EXPECT_EQ(r.quality.lost_events, 7u);
    EXPECT_EQ(r.quality.notes.back(), "perf lost 2 events at times that the file does not tell.");
}

TEST(PerfData, LossesWithoutACpuAreOfAll) {
    PerfDataBuilder b;
    b.add({.sample_type = kPlain, .ids = {1}, .sample_id_all = false});
    switch_at(b, 10, 0, 1, 2);
    switch_at(b, 20, 1, 3, 4);
    b.record(kLost, 0, b.body().u64(1).u64(5));
    const Read r(b.file());
    EXPECT_EQ(r.capture.count(EventType::kLost), 2u);
    EXPECT_EQ(r.quality.lost_events, 5u);
}

ByteWriter comm(const PerfDataBuilder& b, int pid, int tid, const char* name, std::uint64_t ns) {
    ByteWriter body = b.body();
    body.u32(pid).u32(tid).text(name, 16);
    trailer(body, tid, ns, 0);
    return body;
}

ByteWriter fork(const PerfDataBuilder& b, int pid, int tid, int parent, std::uint64_t ns) {
    ByteWriter body = b.body();
    body.u32(pid).u32(parent).u32(tid).u32(parent).u64(ns);
    trailer(body, parent, ns, 0);
    return body;
}

TEST(PerfData, NamesAndForksComeFromRecordsOfPerf) {
    PerfDataBuilder b;
    b.add({.sample_type = kPlain, .ids = {1}});
    b.record(kFork, 0, fork(b, 50, 51, 50, 0));           // existed before
    b.record(kComm, 0, comm(b, 50, 51, "worker", 0));
    switch_at(b, 10, 0, 0, 7);
    b.record(kFork, 0, fork(b, 8, 8, 7, 20));
    b.record(kComm, 1 << 13, comm(b, 8, 8, "program", 30));
    b.record(kExit, 0, fork(b, 8, 8, 7, 40));
    const Read r(b.file());
    EXPECT_EQ(r.error, "");
    EXPECT_EQ(r.count(KernelEventType::kFork), 1u);
    EXPECT_EQ(r.count(KernelEventType::kExec), 1u);
    EXPECT_EQ(r.count(KernelEventType::kExit), 1u);
    EXPECT_EQ(r.times(), (std::vector<std::int64_t>{10, 20, 30, 40}));
    const TraceRecord forked = r.capture.records[1];
    EXPECT_EQ(r.capture.pids.at(forked.task), 7);
    EXPECT_EQ(r.capture.pids.at(forked.arg), 8);
    EXPECT_EQ(r.capture.names.at(forked.arg), "program");
    EXPECT_EQ(r.capture.records[3].task, forked.arg);
}

// One fork, told twice: one kFork, one new task.
TEST(PerfData, AForkWithATracepointIsNotCountedTwice) {
    PerfDataBuilder b;
    b.add({.sample_type = kIdentifier | kPlain, .ids = {1}});
    b.add({.config = test::kForkId, .sample_type = kIdentifier | kPlain, .ids = {2}});
    ByteWriter record = b.body();
    record.u32(8).u32(7).u32(8).u32(7).u64(20).u32(7).u32(7).u64(20).u32(0).u32(0).u64(1);
    b.record(kFork, 0, record);
    ByteWriter body = b.body();
    body.u64(2).u32(7).u32(7).u64(21).u32(0).u32(0);
    b.record(kSample, 0, body.append(PerfDataBuilder::raw_field(b.sched_fork(7, 8)).bytes()));
    const Read r(b.file());
    EXPECT_EQ(r.count(KernelEventType::kFork), 1u);
    EXPECT_EQ(r.capture.names.size(), 2u);  // parent and child
}

TEST(PerfData, ASwitchOfATaskThatIsGoneIsOfWhoRan) {
    PerfDataBuilder b;
    b.add({.type = 1, .config = 9, .sample_type = kTid | kTime | kCpu, .ids = {1}, .context_switch = true});
    const auto change = [&](std::uint16_t misc, int other, std::uint32_t tid, std::uint64_t ns) {
        ByteWriter body = b.body();
        b.record(kSwitchCpuWide, misc, body.u32(other).u32(other).u32(tid).u32(tid).u64(ns).u32(0).u32(0));
    };
    constexpr std::uint16_t kOut = 1 << 13, kPreempted = 1 << 14;
    change(kOut | kPreempted, 6, 5, 10);
    change(0, 5, 6, 11);
    change(kOut, 0, ~0u, 20);
    const Read r(b.file());
    ASSERT_EQ(r.capture.records.size(), 2u);
    EXPECT_EQ(r.capture.records[0].flags, static_cast<std::uint32_t>(PrevState::kPreemptedOther));
    EXPECT_EQ(r.capture.pids.at(r.capture.records[1].task), 6);
    EXPECT_EQ(r.capture.records[1].arg, kNobody);
    EXPECT_EQ(r.capture.records[1].flags, static_cast<std::uint32_t>(PrevState::kDead));
}

TEST(PerfData, SkipsWhatItDoesNotKnowBySize) {
    PerfDataBuilder b;
    b.add({.sample_type = kPlain, .ids = {1}});
    b.record(99, 0, b.body().text("whatever", 40));
    ByteWriter aux = b.body();
    b.record(kAuxtrace, 0, aux.u64(24).u64(0).u64(0).u32(0).u32(0).u32(0).u32(0));
    b.raw(b.body().text("24 bytes of a trace unit", 24));
    switch_at(b, 10, 0, 1, 2);
    const Read r(b.file());
    EXPECT_EQ(r.times(), std::vector<std::int64_t>{10});
    EXPECT_EQ(r.quality.skipped.at("perf record type 99"), 1u);
    EXPECT_EQ(r.quality.skipped.at("PERF_RECORD_AUXTRACE"), 1u);
}

TEST(PerfData, SaysWhatIsMissing) {
    PerfDataBuilder b;
    b.add({.sample_type = kPlain, .ids = {1}});
    switch_at(b, 10, 0, 1, 2);
    EXPECT_NE(Read(b.file(false)).error.find("has no event formats"), std::string::npos);
    PerfDataBuilder profile;
    profile.add({.type = 0, .config = 0, .sample_type = kIp | kTid | kTime, .ids = {1}});
    EXPECT_NE(Read(profile.file()).error.find("holds no scheduler events"), std::string::npos);
}

// --- damage: an answer or an error, whatever the bytes ---

TEST(PerfData, TruncatedFilesEndInAnAnswerOrAnError) {
    for (const char* name : {"file.perf.data", "pipe.perf.data", "zstd.perf.data"}) {
        const std::vector<std::byte> whole = seed(name);
        ASSERT_FALSE(whole.empty());
        for (std::size_t n = 1; n < whole.size(); n += n < 1500 ? 13 : 397) {
            const Read r({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n)});
            EXPECT_TRUE(!r.error.empty() || r.quality.truncated || r.quality.damaged > 0) << name << n;
        }
    }
}

TEST(PerfData, FlippedBitsEndInAnAnswerOrAnError) {
    for (const char* name : {"file.perf.data", "pipe.perf.data", "zstd.perf.data", "callchain.perf.data",
                             "switch.perf.data"}) {
        std::vector<std::byte> bytes = seed(name);
        for (std::size_t at = 0; at < bytes.size(); at += at < 700 ? 3 : 401) {
            const auto bit = static_cast<std::byte>(1u << at % 8);
            bytes[at] ^= bit;
            const Read r(bytes);
            EXPECT_EQ(r.capture.finishes, r.error.empty() ? 1 : 0);
            bytes[at] ^= bit;
        }
    }
}

}  // namespace
}  // namespace wakelab::trace
