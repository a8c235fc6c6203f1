#include "trace/formats/wktrace/wktrace.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

#include "base/prng.hpp"
#include "support/random_kernel_events.hpp"
#include "support/trace_capture.hpp"
#include "trace/formats/format.hpp"
#include "trace/formats/wktrace/wktrace_writer.hpp"

namespace wakelab::trace {
namespace {

using test::TraceCapture;

std::string temporary(std::string_view name) {
    return testing::TempDir() + "wktrace_test." + std::to_string(::getpid()) + "." +
           std::string(name);
}

std::vector<std::byte> bytes_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::vector<std::byte> bytes;
    for (std::istreambuf_iterator<char> at(in), end; at != end; ++at)
        bytes.push_back(static_cast<std::byte>(*at));
    std::remove(path.c_str());
    return bytes;
}

// Passes everything on to two sinks.
struct Both final : TraceSink {
    TraceSink &a, &b;
    Both(TraceSink& x, TraceSink& y) : a(x), b(y) {}
    void begin(const TraceInfo& i) override { a.begin(i), b.begin(i); }
    void add_cpus(std::uint32_t n) override { a.add_cpus(n), b.add_cpus(n); }
    void add_task(std::uint32_t t, std::string_view n) override {
        a.add_task(t, n), b.add_task(t, n);
    }
    void rename_task(std::uint32_t t, std::string_view n) override {
        a.rename_task(t, n), b.rename_task(t, n);
    }
    void describe_task(std::uint32_t t, const TaskFacts& f) override {
        a.describe_task(t, f), b.describe_task(t, f);
    }
    void consume(std::span<const TraceRecord> r) override { a.consume(r), b.consume(r); }
    void finish(std::int64_t ns) override { a.finish(ns), b.finish(ns); }
};

// What was written and the file.
std::vector<std::byte> write_random(const test::RandomRecording& options, TraceCapture& written,
                                    TraceQuality& quality) {
    const std::string path = temporary("random");
    auto writer = open_wktrace_writer(path, quality);
    EXPECT_TRUE(writer);
    Both both(written, **writer);
    test::RandomKernelEvents(options).record(both, quality);
    EXPECT_TRUE((*writer)->close());
    return bytes_of(path);
}

Status read(std::vector<std::byte> bytes, TraceSink& sink, TraceQuality& quality,
            const Window& window = {}) {
    Input input = Input::of_bytes(std::move(bytes));
    return read_trace(input, sink, quality, window);
}

bool same(const std::vector<TraceRecord>& a, const std::vector<TraceRecord>& b) {
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(TraceRecord)) == 0);
}

TEST(Wktrace, KeepsEveryRecordAndFact) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        TraceQuality quality;
        quality.format = "perf.data";
        quality.clock = "mono";
        quality.kernel = "6.18.0";
        quality.resolution_ns = 1000;
        quality.notes = {"a note"};
        quality.skip("kmalloc", 7);
        TraceCapture written, got;
        const auto bytes =
            write_random({.seed = seed, .events = 3000, .losses = true}, written, quality);
        TraceQuality q;
        ASSERT_TRUE(read(bytes, got, q));
        EXPECT_TRUE(same(written.records, got.records)) << "seed " << seed;
        EXPECT_EQ(written.names, got.names);
        EXPECT_EQ(written.pids, got.pids);
        EXPECT_EQ(written.end_ns, got.end_ns);
        EXPECT_EQ(written.cpus, got.cpus);
        EXPECT_EQ(q.format, "wktrace of perf.data");
        EXPECT_EQ(q.clock, "mono");
        EXPECT_EQ(q.kernel, "6.18.0");
        EXPECT_EQ(q.resolution_ns, 1000);
        EXPECT_EQ(q.notes, quality.notes);
        EXPECT_EQ(q.skipped, quality.skipped);
        EXPECT_EQ(q.events, quality.events);
        EXPECT_EQ(q.gaps, quality.gaps);
        EXPECT_EQ(q.lost_events, quality.lost_events);
        EXPECT_FALSE(q.truncated);
        EXPECT_EQ(q.damaged, 0u);
    }
}

// Records of any content within what sinks may rely on, those of simulations too, over several
// chunks.
TEST(Wktrace, KeepsRandomRecordsOfAllTypes) {
    Prng random(7, 0, 0);
    TraceInfo info{.cpus = 70,
                   .task_names = {},
                   .start_ns = 12,
                   .end_ns = 1'000'000'000,
                   .unit = "hops",
                   .allowed = {},
                   .cache_of = {}};
    for (int t = 0; t < 500; ++t) {
        info.task_names.push_back("task " + std::to_string(t));
        info.allowed.push_back(topo::CpuMask::first_n(static_cast<std::uint32_t>(t % 70) + 1));
    }
    for (std::uint32_t c = 0; c < 70; ++c) info.cache_of.push_back(c / 4);
    std::vector<TraceRecord> records;
    std::int64_t ns = 0;
    for (int i = 0; i < 40000; ++i) {
        ns += static_cast<std::int64_t>(random.next() >> (20 + random.below(44)));
        TraceRecord r{};
        r.ns = ns;
        r.type = static_cast<EventType>(random.below(kEventTypeCount));
        r.cpu = static_cast<std::uint16_t>(random.below(70));
        r.task = random.below(4) == 0 ? kNobody : static_cast<std::uint32_t>(random.below(500));
        r.arg = static_cast<std::uint32_t>(random.below(500));
        r.flags = static_cast<std::uint32_t>(random.below(9));
        r.payload = static_cast<std::int64_t>(random.below(70));
        if (r.type == EventType::kWakeup || r.type == EventType::kWakeupEarly)
            r.payload = static_cast<std::int64_t>(random.below(70) << 32 | random.below(14));
        if (r.type == EventType::kSyscallExit) r.payload = static_cast<std::int64_t>(random.next());
        if (r.type == EventType::kMigrate && random.below(3) == 0) r.flags |= kInferred;
        records.push_back(r);
    }
    const std::string path = temporary("types");
    TraceQuality quality;
    auto writer = open_wktrace_writer(path, quality);
    ASSERT_TRUE(writer);
    (*writer)->begin(info);
    (*writer)->consume(records);
    (*writer)->finish(ns + 5);
    ASSERT_TRUE((*writer)->close());
    TraceCapture got;
    TraceQuality q;
    ASSERT_TRUE(read(bytes_of(path), got, q));
    EXPECT_TRUE(same(records, got.records));
    EXPECT_EQ(got.info.task_names, info.task_names);
    EXPECT_EQ(got.info.allowed, info.allowed);
    EXPECT_EQ(got.info.cache_of, info.cache_of);
    EXPECT_EQ(got.info.unit, "hops");
    EXPECT_EQ(got.info.start_ns, 12);
    EXPECT_EQ(got.info.end_ns, 1'000'000'000);
    EXPECT_EQ(got.end_ns, ns + 5);
    EXPECT_EQ(q.format, "wktrace");
    EXPECT_EQ(q.damaged, 0u);
}

TEST(Wktrace, WindowCountsFromTheStartInTheFile) {
    TraceCapture written, got;
    TraceQuality quality, q;
    const auto bytes = write_random({.seed = 3}, written, quality);
    ASSERT_TRUE(read(bytes, got, q, {.from_ns = 1000, .to_ns = 5000}));
    EXPECT_EQ(got.info.start_ns, written.info.start_ns + 1000);
    EXPECT_EQ(got.info.end_ns, written.info.start_ns + 5000);
    EXPECT_EQ(got.records.size(), written.records.size()) << "those before build up state";
}

// Cut anywhere: an error, or a beginning of the records and `truncated`.
TEST(Wktrace, CutFilesGiveTheWholeChunksBefore) {
    TraceCapture written;
    TraceQuality quality;
    const auto bytes = write_random({.seed = 4, .events = 40000}, written, quality);
    std::size_t most = 0;
    for (std::size_t n = 8; n < bytes.size(); n += n < 300 ? 1 : 9999) {
        TraceCapture got;
        TraceQuality q;
        if (!read({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n)}, got, q)) {
            EXPECT_EQ(got.begins, 0);
            continue;
        }
        EXPECT_TRUE(q.truncated) << n;
        EXPECT_EQ(got.finishes, 1);
        ASSERT_LE(got.records.size(), written.records.size());
        EXPECT_EQ(std::memcmp(got.records.data(), written.records.data(), got.records.size() * 32),
                  0);
        EXPECT_EQ(q.count(KernelEventType::kSwitch), got.count(EventType::kSwitch));
        most = std::max(most, got.records.size());
    }
    // 40000 events are three chunks: two are whole when the END is cut off.
    EXPECT_GE(most, 2u * 16384);
}

TEST(Wktrace, FlippedBitsNeverChangeRecordsUnnoticed) {
    TraceCapture written;
    TraceQuality quality;
    const auto bytes = write_random({.seed = 5, .events = 1500}, written, quality);
    Prng random(1, 2, 3);
    for (int i = 0; i < 700; ++i) {
        auto damaged = bytes;
        const std::size_t at = 16 + random.below(bytes.size() - 16);
        damaged[at] ^= static_cast<std::byte>(1u << random.below(8));
        TraceCapture got;
        TraceQuality q;
        const Status s = read(damaged, got, q);
        // zstd has a few bits without meaning.
        EXPECT_TRUE(!s || q.truncated || same(written.records, got.records)) << "byte " << at;
    }
}

TEST(Wktrace, RefusesOtherVersionsAndHalfAFile) {
    TraceCapture written, got;
    TraceQuality quality, q;
    auto bytes = write_random({.seed = 6, .events = 10}, written, quality);
    bytes[8] = std::byte{9};
    const Status s = read(bytes, got, q);
    ASSERT_FALSE(s);
    EXPECT_EQ(s.error().message, "input: wktrace version 9; expected 1");
    EXPECT_FALSE(read({bytes.begin(), bytes.begin() + 12}, got, q));
    EXPECT_EQ(got.begins, 0);
}

// A writer with a bug, or an enemy: records of tasks and CPUs that were never announced.
TEST(Wktrace, RecordsThatSinksCannotTakeAreLeftOut) {
    const std::string path = temporary("insane");
    TraceQuality quality, q;
    auto writer = open_wktrace_writer(path, quality);
    ASSERT_TRUE(writer);
    (*writer)->begin({.cpus = 2,
                      .task_names = {"a"},
                      .start_ns = 0,
                      .end_ns = 0,
                      .unit = "",
                      .allowed = {},
                      .cache_of = {}});
    const auto record = [](std::int64_t ns, EventType type, std::uint32_t task, std::uint16_t cpu) {
        return TraceRecord{
            .ns = ns, .task = task, .arg = 0, .cpu = cpu, .type = type, .flags = 0, .payload = 0};
    };
    const std::vector<TraceRecord> records = {
        record(5, EventType::kSwitch, 0, 0),       record(6, EventType::kSwitch, 9, 0),
        record(7, EventType::kSwitch, 0, 2),       record(4, EventType::kSwitch, 0, 1),
        record(1ll << 62, EventType::kExit, 0, 1),
    };
    (*writer)->add_task(1u << 30, "far away");
    (*writer)->consume(records);
    (*writer)->finish(10);
    ASSERT_TRUE((*writer)->close());
    TraceCapture got;
    ASSERT_TRUE(read(bytes_of(path), got, q));
    ASSERT_EQ(got.records.size(), 2u);
    EXPECT_EQ(got.records[1].ns, 5) << "time does not go back";
    EXPECT_EQ(q.out_of_order, 1u);
    EXPECT_EQ(q.damaged, 4u) << "two bad records, one time, one task";
}

}  // namespace
}  // namespace wakelab::trace
