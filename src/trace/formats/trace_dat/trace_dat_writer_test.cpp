#include "trace/formats/trace_dat/trace_dat_writer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "support/source_path.hpp"
#include "support/trace_capture.hpp"
#include "trace/formats/event_format.hpp"
#include "trace/formats/format.hpp"

namespace wakelab::trace {

namespace {

namespace fs = std::filesystem;

const std::string kReal = test::source_path("tests/data/trace/trace_dat/real_v6.dat");

fs::path fresh_path() {
    const fs::path dir = fs::path(testing::TempDir()) / "trace_dat_writer";
    fs::remove_all(dir);
    fs::create_directories(dir);
    return dir / "out.dat";
}

struct Read {
    test::TraceCapture capture;
    TraceQuality quality;
};

Read read_back(const fs::path& path) {
    Read r;
    const Status s = read_trace(path.string(), r.capture, r.quality);
    EXPECT_TRUE(s) << s.error().message;
    return r;
}

// Writes what `fill` gives to a sink, and reads it back.
template <class Fill>
Read round_trip(Fill fill) {
    const fs::path path = fresh_path();
    auto writer = TraceDatWriter::open(path.string());
    EXPECT_TRUE(writer);
    fill(**writer);
    const Status s = (*writer)->close();
    EXPECT_TRUE(s) << s.error().message;
    EXPECT_FALSE(fs::exists(path.string() + ".tmp"));
    return read_back(path);
}

void write_records(TraceSink& sink, std::uint32_t cpus, const std::vector<TraceRecord>& records) {
    TraceInfo info;
    info.cpus = cpus;
    info.task_names = {"zero", "one", "two"};
    sink.begin(info);
    sink.consume(records);
    sink.finish(records.back().ns);
}

void expect_same(const std::vector<TraceRecord>& got, const std::vector<TraceRecord>& wanted) {
    ASSERT_EQ(got.size(), wanted.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
        EXPECT_EQ(got[i].ns, wanted[i].ns) << i;
        EXPECT_EQ(got[i].type, wanted[i].type) << i;
        EXPECT_EQ(got[i].cpu, wanted[i].cpu) << i;
        EXPECT_EQ(got[i].task, wanted[i].task) << i;
        EXPECT_EQ(got[i].arg, wanted[i].arg) << i;
        EXPECT_EQ(got[i].flags, wanted[i].flags) << i;
        EXPECT_EQ(got[i].payload, wanted[i].payload) << i;
    }
}

constexpr auto state(PrevState s) { return static_cast<std::uint32_t>(s); }

}  // namespace

TEST(TraceDatWriter, ARecordingComesBackAsItWas) {
    const Read original = read_back(kReal);
    const Read again = round_trip([](TraceSink& sink) {
        TraceQuality quality;
        EXPECT_TRUE(read_trace(kReal, sink, quality));
    });
    expect_same(again.capture.records, original.capture.records);
    EXPECT_EQ(again.capture.names, original.capture.names);
    EXPECT_EQ(again.capture.pids, original.capture.pids);
    EXPECT_EQ(again.quality.inferred_migrations, original.quality.inferred_migrations);
}

// All at one instant on several CPUs, in an order that CPU numbers alone would not give.
TEST(TraceDatWriter, TheOrderOfOneInstantIsKept) {
    std::vector<TraceRecord> records;
    for (std::uint16_t i = 0; i < 50; ++i) {
        const auto cpu = static_cast<std::uint16_t>(3 - i % 4);
        records.push_back({.ns = 1000, .task = i % 3u, .arg = kNobody, .cpu = cpu,
                           .type = EventType::kIrqEntry, .flags = 0, .payload = i});
    }
    const Read r = round_trip([&](TraceSink& sink) { write_records(sink, 4, records); });
    ASSERT_EQ(r.capture.records.size(), records.size());
    for (std::size_t i = 0; i < records.size(); ++i) {
        EXPECT_EQ(r.capture.records[i].payload, static_cast<std::int64_t>(i));
        EXPECT_EQ(r.capture.records[i].ns, 1000);
    }
}

TEST(TraceDatWriter, EveryKindOfRecordingComesBack) {
    const std::vector<TraceRecord> records = {
        {1000, kNobody, 0, 0, EventType::kSwitch, state(PrevState::kPreemptedOther), 0},
        {1001, 0, kNobody, 0, EventType::kSyscallEnter, 0, 232},
        {1002, 0, kNobody, 0, EventType::kSyscallExit, 0, -4},
        {1003, 0, kNobody, 0, EventType::kExec, 0, 0},
        {1004, 0, 1, 0, EventType::kFork, 0, 0},
        {1005, 0, 1, 1, EventType::kWakeupNew, 0, 0},
        {1006, kNobody, 1, 1, EventType::kSwitch, state(PrevState::kPreemptedOther), 0},
        {1007, 1, kNobody, 1, EventType::kIrqEntry, 0, 44},
        {1008, 1, kNobody, 1, EventType::kIrqExit, 0, 44},
        {1009, 1, kNobody, 1, EventType::kSoftirqEntry, 0, 7},
        {1010, 1, kNobody, 1, EventType::kSoftirqExit, 0, 7},
        {1011, 0, kNobody, 0, EventType::kIpi, 0, 1},
        {1012, 0, kNobody, 0, EventType::kIpi, 0, -1},
        {1013, 0, kNobody, 0, EventType::kFrequency, 0, 2400000},
        {1014, 1, kNobody, 1, EventType::kSwitch, state(PrevState::kUninterruptible), 0},
        {1015, kNobody, kNobody, 1, EventType::kCpuIdle, 0, 2},
        {1016, kNobody, kNobody, 1, EventType::kCpuIdle, 0, -1},
        {1017, 0, 1, 0, EventType::kBlockedReason, 1, 0x7fff1234},
        {1018, kNobody, kNobody, 1, EventType::kLost, 0, 17},
        {1019, 0, kNobody, 0, EventType::kExit, 0, 0},
        {9'000'000'000'000, 0, kNobody, 0, EventType::kSwitch, state(PrevState::kDead), 0},
    };
    const Read r = round_trip([&](TraceSink& sink) { write_records(sink, 2, records); });
    expect_same(r.capture.records, records);
    EXPECT_EQ(r.capture.names.at(0), "zero");
    EXPECT_EQ(r.capture.pids.at(0), 1);  // no pid was told: task + 1
    EXPECT_EQ(r.quality.damaged, 0u);
    EXPECT_EQ(r.quality.clock, "mono");
}

// `perf sched record`: the wakeups are not in the recording. They are not in the file either, and come back
// on the CPU that the migration had told.
TEST(TraceDatWriter, InferredWakeupsAreInferredAgain) {
    TraceQuality quality;
    test::TraceCapture original;
    const auto feed = [&](TraceSink& sink, TraceQuality& q) {
        Translator t(sink, q);
        t.set_cpus(2);
        const auto add = [&](std::int64_t ns, std::uint32_t cpu, KernelEventType type, std::int32_t pid,
                             std::int32_t other, std::int32_t target) {
            KernelEvent e;
            e.ns = ns;
            e.cpu = cpu;
            e.type = type;
            e.pid = pid;
            e.other_pid = other;
            e.target_cpu = target;
            // The idle task is always runnable; the file says so.
            const PrevState left_as = pid == 0 ? PrevState::kPreemptedOther : PrevState::kBlocked;
            e.value = type == KernelEventType::kSwitch ? state(left_as) : 0;
            t.add(e);
        };
        for (int i = 0; i < 300; ++i) {
            const int ns = 1000 + 100 * i;
            add(ns, 0, KernelEventType::kSwitch, 20, 10, -1);
            add(ns + 10, 0, KernelEventType::kWaking, 10, 20, i == 0 ? 1 : 0);
            if (i % 2 == 0) add(ns + 20, 0, KernelEventType::kMigrate, 10, 20, 1);
            add(ns + 30, i % 2 == 0 ? 1 : 0, KernelEventType::kSwitch, i % 2 == 0 ? 0 : 10, 20, -1);
            add(ns + 40, i % 2 == 0 ? 1 : 0, KernelEventType::kSwitch, 20, 0, -1);
        }
        t.finish();
    };
    feed(original, quality);
    const Read r = round_trip([&](TraceSink& sink) {
        TraceQuality q;
        feed(sink, q);
    });
    expect_same(r.capture.records, original.records);
    EXPECT_EQ(r.quality.inferred_wakeups, quality.inferred_wakeups);
    EXPECT_EQ(r.quality.inferred_wakeups, 300u);
}

// More than a page for each CPU, with gaps beyond 27 bits of 1/256 ns (524 us).
TEST(TraceDatWriter, ManyPagesComeBackInOrder) {
    std::vector<TraceRecord> records;
    for (int i = 0; i < 20000; ++i)
        records.push_back({.ns = std::int64_t{i} * (i % 100 == 0 ? 1'000'000 : 999'983), .task = 0,
                           .arg = kNobody, .cpu = static_cast<std::uint16_t>(i % 7),
                           .type = EventType::kSoftirqEntry, .flags = 0, .payload = i % 10});
    std::ranges::stable_sort(records, {}, &TraceRecord::ns);
    const Read r = round_trip([&](TraceSink& sink) { write_records(sink, 7, records); });
    expect_same(r.capture.records, records);
}

TEST(TraceDatWriter, SimulatedRecordsAreForPeopleOnly) {
    const std::vector<TraceRecord> records = {
        {1000, kNobody, 0, 0, EventType::kSwitch, state(PrevState::kPreemptedOther), 0},
        {1001, 0, kNobody, 0, EventType::kWorkUnit, 0, 1},
        {1002, 0, kNobody, 0, EventType::kSwitch, state(PrevState::kBlocked), 0},
    };
    const Read r = round_trip([&](TraceSink& sink) { write_records(sink, 1, records); });
    expect_same(r.capture.records, {records[0], records[2]});
    EXPECT_EQ(r.quality.skipped.at("wakelab_simulated"), 1u);
}

TEST(TraceDatWriter, FormatsAreWhatTheRecordsAre) {
    for (std::size_t i = 0; i < kDatEventCount; ++i) {
        const auto event = static_cast<DatEvent>(i);
        const auto f = parse_event_format(format_text(event));
        ASSERT_TRUE(f) << f.error().message;
        EXPECT_EQ(f->id, kFirstDatEventId + i);
        EXPECT_EQ(spec_of(event).bytes % 4, 0);
        EXPECT_LE(spec_of(event).bytes, 112);
        std::uint32_t end = 0;
        for (const EventField& field : f->fields) {
            EXPECT_EQ(field.is_data_loc || field.is_array || field.offset % field.size == 0, true)
                << f->name << " " << field.name;
            EXPECT_GE(field.offset, end) << f->name << " " << field.name;
            end = field.offset + field.size;
        }
        EXPECT_LE(end, spec_of(event).bytes) << f->name;
    }
}

TEST(TraceDatWriter, NothingIsLeftWithoutClose) {
    const fs::path path = fresh_path();
    {
        auto writer = TraceDatWriter::open(path.string());
        ASSERT_TRUE(writer);
    }
    EXPECT_TRUE(fs::is_empty(path.parent_path()));
    EXPECT_FALSE(TraceDatWriter::open("/nowhere/out.dat"));
}

}  // namespace wakelab::trace
