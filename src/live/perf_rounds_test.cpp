#include "live/perf_rounds.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "live/perf_layout.hpp"
#include "live/unnamed_file.hpp"

namespace wakelab::live {

namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::uint32_t kRoundEnd = 68;

// A record with a trailer that tells its time.
std::string record_at(std::int64_t ns, std::uint64_t lost = 1) {
    return perf_lost_record({.event_id = 9, .count = lost, .ns = ns, .cpu = 3});
}

// A sample: header, identifier, task, time, CPU.
std::string sample_at(std::int64_t ns) {
    std::string bytes(40, '\0');
    const perf_event_header header{.type = PERF_RECORD_SAMPLE, .misc = 0, .size = 40};
    std::memcpy(bytes.data(), &header, sizeof header);
    std::memcpy(bytes.data() + 24, &ns, sizeof ns);
    return bytes;
}

RingBytes ring_of(const std::string& bytes) {
    return RingBytes(std::as_bytes(std::span(bytes)));
}

CpuRecords file_of(std::uint32_t cpu, const std::vector<std::string>& records) {
    CpuRecords file;
    file.cpu = cpu;
    auto fd = unnamed_file("/tmp");
    EXPECT_TRUE(fd);
    file.file = std::move(*fd);
    for (const std::string& r : records) {
        EXPECT_TRUE(write_whole(file.file, r.data(), r.size()));
        file.bytes += r.size();
    }
    return file;
}

struct Written {
    std::vector<std::int64_t> times;  // -1: end of a round
    RoundTotals totals;

    explicit Written(const std::vector<CpuRecords>& files, bool has_tracepoints = true) {
        const auto done = write_rounds(files, has_tracepoints, RoundFiles::kKeep, [&](auto bytes) {
            const PerfRecordView record = view_perf_record(bytes);
            times.push_back(record.type == kRoundEnd ? -1 : record.ns);
        });
        EXPECT_TRUE(done);
        if (done) totals = *done;
    }
};

std::string content(const CpuRecords& file) {
    std::string bytes(file.bytes, '\0');
    EXPECT_EQ(::pread(file.file.get(), bytes.data(), bytes.size(), 0),
              static_cast<ssize_t>(bytes.size()));
    return bytes;
}

}  // namespace

TEST(PerfRecord, TellsItsTimeAndWhatWasLost) {
    const std::string lost = record_at(5, 7);
    const PerfRecordView view = view_perf_record(std::as_bytes(std::span(lost)));
    EXPECT_EQ(perf_record_size(std::as_bytes(std::span(lost))), lost.size());
    EXPECT_EQ(view.ns, 5);
    EXPECT_EQ(view.lost(), 7u);
    const std::string sample = sample_at(6);
    EXPECT_EQ(view_perf_record(std::as_bytes(std::span(sample))).ns, 6);
    // 8 header + 8 ids + "a-name" with its NUL, padded to 8 + 32 trailer.
    const std::string name =
        perf_comm_record({.pid = 4, .tgid = 3, .name = "a-name", .allowed = {}});
    EXPECT_EQ(name.size(), 56u);
    EXPECT_EQ(view_perf_record(std::as_bytes(std::span(name))).ns, 0);
    EXPECT_EQ(name.substr(16, 7), std::string("a-name\0", 7));
}

// Rounds of 10 ms from the earliest record on: CPU 0's at 1 and 5 and CPU 1's at 3 are in the
// first, which ends at 11; 12 begins the second, to 22; 40 the third.
TEST(PerfRounds, HoldAShortTimeOfEveryCpu) {
    std::vector<CpuRecords> files;
    files.push_back(file_of(0, {record_at(1 * kMs), record_at(5 * kMs), record_at(12 * kMs)}));
    files.push_back(file_of(2, {record_at(3 * kMs), record_at(21 * kMs), record_at(40 * kMs, 5)}));
    const Written w(files);
    EXPECT_EQ(w.times, (std::vector<std::int64_t>{1 * kMs, 5 * kMs, 3 * kMs, -1, 12 * kMs, 21 * kMs,
                                                  -1, 40 * kMs, -1}));
    EXPECT_EQ(w.totals.told_lost, (std::vector<std::uint64_t>{3, 7}));
    EXPECT_EQ(w.totals.first_ns, 1 * kMs);
    EXPECT_EQ(w.totals.last_ns, 40 * kMs);
    EXPECT_EQ(w.totals.bytes, 6 * record_at(0).size() + 3 * 8);
    EXPECT_EQ(w.totals.events, 0u);
}

TEST(PerfRounds, ALongFileIsReadInPieces) {
    const std::vector<std::string> many(20'000, sample_at(7));
    std::vector<CpuRecords> files;
    files.push_back(file_of(0, many));
    files.push_back(file_of(1, {}));
    const Written w(files);
    EXPECT_EQ(w.totals.events, 20'000u);
    EXPECT_EQ(w.totals.bytes, 20'000u * 40 + 8);
    EXPECT_TRUE(Written({}).times.empty());
}

// A ring of 64 bytes whose only record lies at [40, 80): 24 bytes at the end, 16 at the beginning.
TEST(PerfCollector, ARecordOverTheEndOfTheRingIsWholeInTheFile) {
    const std::string record = sample_at(1234);
    std::string ring(64, 'x');
    std::memcpy(ring.data() + 40, record.data(), 24);
    std::memcpy(ring.data(), record.data() + 24, 16);
    CpuRecords file = file_of(0, {});
    ASSERT_TRUE(append_records(ring_of(ring), 40, 80, file));
    EXPECT_EQ(content(file), record);
}

// Three samples of 40 bytes in 128 bytes of ring, written downwards from 0: the newest begins at 8.
TEST(PerfCollector, AnOverwrittenRingComesOldestFirstAndFromItsTimeOn) {
    std::string ring(128, '\0');
    const std::vector<std::int64_t> times = {10, 20, 30};
    for (std::size_t i = 0; i < times.size(); ++i)
        std::memcpy(ring.data() + 128 - 40 * (i + 1), sample_at(times[i]).data(), 40);
    const std::uint64_t head = 0 - std::uint64_t{120};
    CpuRecords all = file_of(0, {}), late = file_of(0, {});
    ASSERT_TRUE(append_overwritten(ring_of(ring), head, 0, all));
    EXPECT_EQ(content(all), sample_at(10) + sample_at(20) + sample_at(30));
    ASSERT_TRUE(append_overwritten(ring_of(ring), head, 20, late));
    EXPECT_EQ(content(late), sample_at(20) + sample_at(30));
}

}  // namespace wakelab::live
