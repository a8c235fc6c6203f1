#include "trace/formats/perf/perf_data_head.hpp"

#include <gtest/gtest.h>

#include "support/perf_data_builder.hpp"
#include "support/trace_capture.hpp"
#include "support/u64_at.hpp"
#include "trace/formats/format.hpp"
#include "trace/formats/perf/perf_tracing_data.hpp"
#include "trace/formats/trace_dat/trace_dat_head.hpp"

namespace wakelab::trace {

namespace {

using test::u64_at;

std::span<const std::byte> as_bytes(const std::string& text) {
    return std::as_bytes(std::span(text));
}

// sample_type TID, TIME, CPU, sample_id_all and context_switch, as the tests of the reader have it.
std::string switches_attr() {
    test::ByteWriter w;
    w.u32(1).u32(112).u64(9).u64(1).u64(2 | 4 | 128).u64(0).u64(1u << 18 | 1u << 26);
    while (w.size() < 112) w.u64(0);
    return {reinterpret_cast<const char*>(w.bytes().data()), w.size()};
}

}  // namespace

// Header 104; two ids 16: attributes at 120; each 64 bytes and the section of its ids 16: records
// at 120 + 2 * 80 = 280. Behind 24 bytes of them, at 304, the table: HOSTNAME (3) and EVENT_DESC
// (12), 16 bytes each, so that the first feature begins at 336. A short text takes 4 + 64.
TEST(PerfDataHead, HasItsSectionsWhereTheDocumentSays) {
    PerfDataHead head;
    head.events = {{std::string(64, 'a'), {5}, "one"}, {std::string(64, 'b'), {6}, "two"}};
    head.data_bytes = 24;
    head.features = {{PerfFeature::kHostname, perf_string("vm")}};
    const std::string bytes = perf_data_head(head);
    ASSERT_EQ(bytes.size(), 280u);
    EXPECT_EQ(bytes.substr(0, 8), "PERFILE2");
    EXPECT_EQ(u64_at(bytes, 8), 104u);
    EXPECT_EQ(u64_at(bytes, 16), 80u);
    EXPECT_EQ(u64_at(bytes, 24), 120u);
    EXPECT_EQ(u64_at(bytes, 32), 160u);
    EXPECT_EQ(u64_at(bytes, 40), 280u);
    EXPECT_EQ(u64_at(bytes, 48), 24u);
    EXPECT_EQ(u64_at(bytes, 72), 1u << 3 | 1u << 12);
    EXPECT_EQ(u64_at(bytes, 104), 5u);
    EXPECT_EQ(u64_at(bytes, 112), 6u);
    EXPECT_EQ(u64_at(bytes, 120 + 64), 104u);  // ids of the first
    EXPECT_EQ(u64_at(bytes, 200 + 64), 112u);  // and of the second
    EXPECT_EQ(u64_at(bytes, 200 + 72), 8u);
    const std::string tail = perf_data_tail(head);
    EXPECT_EQ(u64_at(tail, 0), 336u);
    EXPECT_EQ(u64_at(tail, 8), 68u);
    EXPECT_EQ(u64_at(tail, 16), 336u + 68u);
    EXPECT_EQ(tail.substr(32 + 4, 3), std::string("vm\0", 3));
    EXPECT_EQ(tail.size(), 32 + 68 + u64_at(tail, 24));
}

// PERF_RECORD_SWITCH_CPU_WIDE: task 7 leaves CPU 1 for task 8 at 500 ns.
TEST(PerfDataHead, ReadersFindRecordsFeaturesAndNames) {
    test::ByteWriter record;
    record.u32(15).u16(1u << 13).u16(48 - 8).u32(8).u32(8);
    record.u32(7).u32(7).u64(500).u32(1).u32(0);
    PerfDataHead head;
    head.events = {{switches_attr(), {5}, "dummy"}};
    head.data_bytes = record.size();
    head.features = {{PerfFeature::kHostname, perf_string("vm")},
                     {PerfFeature::kOsRelease, perf_string("6.1")}};
    std::string file = perf_data_head(head);
    file.append(reinterpret_cast<const char*>(record.bytes().data()), record.size());
    file += perf_data_tail(head);
    const auto bytes = as_bytes(file);
    Input input = Input::of_bytes({bytes.begin(), bytes.end()});
    test::TraceCapture capture;
    TraceQuality quality;
    const Status read = read_trace(input, capture, quality);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_FALSE(quality.truncated);
    EXPECT_EQ(quality.damaged, 0u);
    EXPECT_EQ(quality.hostname, "vm");
    EXPECT_EQ(quality.kernel, "6.1");
    ASSERT_EQ(capture.records.size(), 1u);
    EXPECT_EQ(capture.records[0].ns, 500);
    EXPECT_EQ(capture.records[0].cpu, 1);
    EXPECT_EQ(capture.pids.at(capture.records[0].arg), 8);
}

TEST(PerfDataHead, FormatsAreThoseOfTraceDatUnderAnotherVersion) {
    TraceDatHead formats;
    formats.header_page = "page";
    formats.systems = {{"sched",
                        {"name: sched_wakeup\nID: 77\nformat:\n"
                         "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"}}};
    const auto data = parse_perf_tracing_data(as_bytes(perf_tracing_data(formats)));
    ASSERT_TRUE(data) << data.error().message;
    EXPECT_FALSE(data->truncated);
    EXPECT_EQ(data->damaged, 0u);
    ASSERT_EQ(data->formats.size(), 1u);
    EXPECT_EQ(data->formats[0].system, "sched");
    EXPECT_EQ(data->formats[0].id, 77u);
}

}  // namespace wakelab::trace
