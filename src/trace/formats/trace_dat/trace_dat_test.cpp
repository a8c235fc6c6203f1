#include "trace/formats/trace_dat/trace_dat.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>
#include <sstream>

#include "support/source_path.hpp"
#include "support/trace_capture.hpp"
#include "support/trace_dat_builder.hpp"
#include "trace/formats/format.hpp"

namespace wakelab::trace {

namespace {

using test::ByteBuilder;
using test::PageBuilder;
using test::TraceDat6;

struct Read {
    Status status;
    test::TraceCapture capture;
    TraceQuality quality;
};

Read read(const std::string& bytes) {
    Read r;
    std::vector<std::byte> raw(bytes.size());
    if (!bytes.empty()) std::memcpy(raw.data(), bytes.data(), bytes.size());
    Input input = Input::of_bytes(std::move(raw), "t.dat");
    r.status = read_trace(input, r.capture, r.quality);
    return r;
}

std::string real(const std::string& name) {
    std::ifstream in(test::source_path("tests/data/trace/trace_dat/" + name),
                     std::ios::binary);
    std::stringstream s;
    s << in.rdbuf();
    EXPECT_FALSE(s.str().empty()) << name;
    return s.str();
}

// CPU 0: 10 -> 20 at 1005, 20 -> 10 at 1015; CPU 1: 0 -> 30 at 1010.
TraceDat6 small_file(bool big, std::size_t local_bytes) {
    TraceDat6 file;
    file.big = big;
    file.local_bytes = local_bytes;
    file.cpus = {PageBuilder(big, local_bytes, 1000)
                     .event(5, test::switch_record(big, 10, "ten", 1, 20, "twenty"))
                     .event(10, test::switch_record(big, 20, "twenty", 0, 10, "ten"))
                     .page(),
                 PageBuilder(big, local_bytes, 1000)
                     .event(10, test::switch_record(big, 0, "swapper", 0, 30, "thirty"))
                     .page()};
    return file;
}

std::vector<std::int64_t> times(const Read& r) {
    std::vector<std::int64_t> ns;
    for (const TraceRecord& record : r.capture.records) ns.push_back(record.ns);
    return ns;
}

using Times = std::vector<std::int64_t>;

}  // namespace

TEST(TraceDat, MergesCpusByTimeInEveryByteOrderAndWordSize) {
    for (const bool big : {false, true}) {
        for (const std::size_t local : {std::size_t{4}, std::size_t{8}}) {
            const Read r = read(small_file(big, local).bytes());
            ASSERT_TRUE(r.status) << r.status.error().message;
            EXPECT_EQ(times(r), (Times{1005, 1010, 1015}));
            EXPECT_EQ(r.capture.records[1].cpu, 1);
            EXPECT_EQ(r.capture.cpus, 2u);
            EXPECT_EQ(r.capture.names.at(0), "ten");
            EXPECT_EQ(r.capture.pids.at(1), 20);
            EXPECT_EQ(r.quality.format, "trace.dat v6");
            EXPECT_EQ(r.quality.damaged, 0u);
            EXPECT_FALSE(r.quality.truncated);
        }
    }
}

// trace-cmd report of these files, trace-cmd 3.1.6 (tests/data/trace/README.md).
TEST(TraceDat, RealFilesOfBothVersionsHoldTheSame) {
    const Read v6 = read(real("real_v6.dat"));
    for (const char* name : {"real_v6.dat", "real_v7.dat", "real_v7_zstd.dat"}) {
        const Read r = read(real(name));
        ASSERT_TRUE(r.status) << r.status.error().message;
        EXPECT_EQ(r.quality.count(KernelEventType::kSwitch), 85u) << name;
        EXPECT_EQ(r.quality.count(KernelEventType::kWaking), 19u);
        EXPECT_EQ(r.quality.count(KernelEventType::kWakeup), 19u);
        EXPECT_EQ(r.quality.count(KernelEventType::kMigrate), 6u);
        EXPECT_EQ(r.quality.count(KernelEventType::kExec), 6u);
        EXPECT_EQ(r.quality.count(KernelEventType::kFork), 3u);
        EXPECT_EQ(r.quality.damaged, 0u);
        EXPECT_EQ(times(r), times(v6));
        EXPECT_EQ(r.capture.names, v6.capture.names);
    }
}

TEST(TraceDat, OptionsTellClockMachineAndTimeScale) {
    TraceDat6 file = small_file(false, 8);
    file.options = {
        {4, std::string("local [mono] boot\0", 18)},
        {5, std::string("Linux box 6.1.0-18-amd64 x86_64\0", 32)},
        {7, std::string("-100\0", 5)},                                        // OFFSET, ns
        {14, ByteBuilder(false).number(3, 4).number(1, 4).number(0, 8).out},  // x 3 / 2
        {999, "what a later version has"},
    };
    const Read r = read(file.bytes());
    ASSERT_TRUE(r.status) << r.status.error().message;
    EXPECT_EQ(r.quality.clock, "mono");
    EXPECT_EQ(r.quality.kernel, "6.1.0-18-amd64");
    EXPECT_EQ(r.quality.hostname, "box");
    EXPECT_EQ(r.quality.architecture, "x86_64");
    // 1005 * 3 / 2 - 100 = 1407, 1010: 1415, 1015: 1422
    EXPECT_EQ(times(r), (Times{1407, 1415, 1422}));
}

// --date: microseconds, hexadecimal. 0x10 = 16 us.
TEST(TraceDat, DateMovesTimesToTheTimeOfDay) {
    TraceDat6 file = small_file(true, 4);
    file.options = {{1, std::string("0x10\0", 5)}};
    EXPECT_EQ(times(read(file.bytes())), (Times{17005, 17010, 17015}));
}

TEST(TraceDat, SavedNamesServeWhereNoEventTellsOne) {
    TraceDat6 file = small_file(false, 8);
    file.cmdlines = "40 saved name\n50 <...>\n10 other\nbroken\n7\n";
    file.formats.emplace_back(
        "name: softirq_entry\nID: 51\nformat:\n"
        "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
        "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
        "\tfield:unsigned int vec;\toffset:8;\tsize:4;\tsigned:0;\n");
    const std::string entry = ByteBuilder(false).number(51, 4).number(40, 4).number(7, 4).out;
    file.cpus.push_back(PageBuilder(false, 8, 1000).event(1, entry).page());
    const Read r = read(file.bytes());
    ASSERT_TRUE(r.status);
    EXPECT_EQ(r.capture.names.at(0), "saved name");
    EXPECT_EQ(r.capture.names.at(1), "ten");
    EXPECT_EQ(r.capture.names.size(), 4u);
}

TEST(TraceDat, MissedEventsAreALossOfTheirCpu) {
    TraceDat6 file = small_file(false, 8);
    constexpr std::uint64_t kMissed = 1u << 31, kStored = 1u << 30;
    file.cpus[1] += PageBuilder(false, 8, 1020)
                        .event(1, test::switch_record(false, 30, "thirty", 1, 0, "swapper"))
                        .page(kMissed | kStored, 12);
    const Read r = read(file.bytes());
    ASSERT_EQ(r.capture.records.size(), 5u);
    EXPECT_EQ(r.capture.records[3].type, EventType::kLost);
    EXPECT_EQ(r.capture.records[3].cpu, 1);
    EXPECT_EQ(r.capture.records[3].payload, 12);
    EXPECT_EQ(r.quality.lost_events, 12u);
}

// The second page of CPU 1 claims to be fuller than a page; what it held is lost, the third page is
// good.
TEST(TraceDat, ADamagedPageIsALoss) {
    TraceDat6 file = small_file(false, 8);
    std::string broken = PageBuilder(false, 8, 1016).page();
    broken[8] = broken[9] = static_cast<char>(0xff);
    file.cpus[1] +=
        broken + PageBuilder(false, 8, 1020)
                     .event(1, test::switch_record(false, 30, "thirty", 1, 0, "swapper"))
                     .page();
    const Read r = read(file.bytes());
    ASSERT_EQ(r.capture.records.size(), 5u);
    EXPECT_EQ(r.capture.records[3].type, EventType::kLost);
    EXPECT_EQ(r.capture.records[4].ns, 1021);
    EXPECT_EQ(r.quality.damaged, 1u);
}

TEST(TraceDat, TimeThatGoesBackIsCounted) {
    TraceDat6 file = small_file(false, 8);
    file.cpus[0] += PageBuilder(false, 8, 900)
                        .event(1, test::switch_record(false, 10, "ten", 1, 20, "twenty"))
                        .page();
    EXPECT_EQ(read(file.bytes()).quality.out_of_order, 1u);
}

TEST(TraceDat, LatencyFilesAreRefused) {
    TraceDat6 file = small_file(false, 8);
    file.kind = "latency";
    const Read r = read(file.bytes());
    ASSERT_FALSE(r.status);
    EXPECT_EQ(
        r.status.error().message,
        "t.dat: holds the text of a latency tracer, not events; print it with trace-cmd report and "
        "read that");
}

TEST(TraceDat, OtherVersionsAreRefused) {
    std::string bytes = small_file(false, 8).bytes();
    bytes[10] = '8';
    EXPECT_EQ(read(bytes).status.error().message,
              "t.dat: trace.dat of version \"8\"; versions 6 and 7 can be read");
    bytes[10] = '\n';
    EXPECT_EQ(read(bytes).status.error().message,
              "t.dat: trace.dat of version \"\\x0a\"; versions 6 and 7 can be read");
}

namespace {

struct Instance {
    std::string name;
    std::vector<std::string> cpus;
};

// trace-cmd.dat.v7(5), with sections and pages packed by `pack` unless the compression is "none".
std::string version_7(const TraceDat6& file, const std::vector<Instance>& instances,
                      const std::string& compression, std::string (*pack)(const std::string&)) {
    ByteBuilder b(file.big);
    const bool packed = compression != "none";
    const auto section = [&](std::uint16_t id, const std::string& data) {
        const std::size_t at = b.out.size();
        b.number(id, 2).number(packed ? 1 : 0, 2).number(0, 4);
        if (!packed) {
            b.number(data.size(), 8).text(data);
        } else {
            const std::string p = pack(data);
            b.number(p.size() + 8, 8).number(p.size(), 4).number(data.size(), 4).text(p);
        }
        return at;
    };
    b.text("\x17\x08\x44tracing")
        .c_string("7")
        .number(file.big ? 1 : 0, 1)
        .number(file.local_bytes, 1);
    b.number(4096, 4).c_string(compression).c_string("1");
    const std::size_t options_ref = b.out.size();
    b.number(0, 8);
    ByteBuilder options(file.big), header(file.big), formats(file.big);
    header.c_string("header_page").sized(test::header_page_text(file.local_bytes));
    header.c_string("header_event").sized("");
    formats.number(1, 4).c_string("sched").number(file.formats.size(), 4);
    for (const std::string& f : file.formats) formats.sized(f);
    options.number(16, 2).number(8, 4).number(section(16, header.out), 8);
    options.number(18, 2).number(8, 4).number(section(18, formats.out), 8);
    for (const Instance& instance : instances) {
        ByteBuilder option(file.big);
        option.number(b.out.size(), 8).c_string(instance.name).c_string("mono").number(4096, 4);
        option.number(instance.cpus.size(), 4);
        b.number(3, 2).number(packed ? 1 : 0, 2).number(0, 4).number(0, 8);
        for (std::uint32_t cpu = 0; cpu < instance.cpus.size(); ++cpu) {
            const std::size_t at = b.out.size();
            const std::string& pages = instance.cpus[cpu];
            if (packed && !pages.empty()) {
                const std::string p = pack(pages);
                b.number(1, 4).number(p.size(), 4).number(pages.size(), 4).text(p);
            } else {
                b.text(pages);
            }
            option.number(cpu, 4).number(at, 8).number(b.out.size() - at, 8);
        }
        options.number(3, 2).number(option.out.size(), 4).text(option.out);
    }
    // A second options section, found through the first one's DONE.
    const std::size_t second = section(0, options.number(0, 2).number(8, 4).number(0, 8).out);
    const std::size_t first = section(0, ByteBuilder(file.big)
                                             .number(8, 2)
                                             .number(4, 4)
                                             .number(2, 4)
                                             .number(0, 2)
                                             .number(8, 4)
                                             .number(second, 8)
                                             .out);
    const std::string ref = ByteBuilder(file.big).number(first, 8).out;
    std::string bytes = b.out;
    bytes.replace(options_ref, 8, ref);
    return bytes;
}

std::string zlib_packed(const std::string& data) {
    uLongf size = ::compressBound(data.size());
    std::string out(size, '\0');
    EXPECT_EQ(::compress(reinterpret_cast<Bytef*>(out.data()), &size,
                         reinterpret_cast<const Bytef*>(data.data()), data.size()),
              Z_OK);
    out.resize(size);
    return out;
}

}  // namespace

TEST(TraceDat, Version7WithAndWithoutZlib) {
    for (const bool big : {false, true}) {
        const TraceDat6 file = small_file(big, 8);
        for (const char* compression : {"none", "zlib"}) {
            const Read r = read(version_7(file, {{"", file.cpus}}, compression, zlib_packed));
            ASSERT_TRUE(r.status) << r.status.error().message;
            EXPECT_EQ(times(r), (Times{1005, 1010, 1015}));
            EXPECT_EQ(r.quality.clock, "mono");
            EXPECT_TRUE(r.quality.notes.empty());
        }
    }
}

TEST(TraceDat, UnknownCompressionIsNamed) {
    const TraceDat6 file = small_file(false, 8);
    EXPECT_EQ(read(version_7(file, {{"", file.cpus}}, "lzma", zlib_packed)).status.error().message,
              "t.dat: compressed with \"lzma\"; zstd and zlib can be read");
    EXPECT_EQ(read(version_7(file, {{"", file.cpus}}, "\x1b[2J\n", zlib_packed)).status.error().message,
              "t.dat: compressed with \"\\x1b[2J\\x0a\"; zstd and zlib can be read");
}

TEST(TraceDat, TheMainInstanceIsReadAndTheOthersAreNamed) {
    const TraceDat6 file = small_file(false, 8);
    const Read main =
        read(version_7(file, {{"other", {"", file.cpus[1]}}, {"", file.cpus}}, "none", nullptr));
    ASSERT_TRUE(main.status);
    EXPECT_EQ(times(main), (Times{1005, 1010, 1015}));
    ASSERT_EQ(main.quality.notes.size(), 1u);
    EXPECT_EQ(main.quality.notes[0],
              "Tracing instance read: the main buffer; others with events: \"other\".");

    const Read other =
        read(version_7(file, {{"", {"", ""}}, {"other", {"", file.cpus[1]}}}, "none", nullptr));
    ASSERT_TRUE(other.status);
    EXPECT_EQ(times(other), (Times{1010}));
    EXPECT_EQ(other.quality.notes[0],
              "Tracing instance read: \"other\"; others with events: none.");
}

// An instance of version 6 has its own word "flyrecord" and table of CPUs, where its option says.
TEST(TraceDat, InstancesOfVersion6AreFound) {
    TraceDat6 file = small_file(false, 8);
    const std::vector<std::string> pages = file.cpus;
    file.cpus = {"", ""};
    const auto with_option = [&](std::uint64_t at) {
        file.options = {{3, ByteBuilder(false).number(at, 8).c_string("inst").out}};
        return file.bytes();
    };
    const std::size_t at = with_option(0).size();
    ByteBuilder b(false);
    b.text(with_option(at)).name("flyrecord", 10);
    b.number(at + 42, 8)
        .number(4096, 8)
        .number(at + 42 + 4096, 8)
        .number(4096, 8)
        .text(pages[0] + pages[1]);
    const Read r = read(b.out);
    ASSERT_TRUE(r.status) << r.status.error().message;
    EXPECT_EQ(times(r), (Times{1005, 1010, 1015}));
    EXPECT_EQ(r.quality.notes[0], "Tracing instance read: \"inst\"; others with events: none.");
}

// Cut anywhere: an answer or one line; never more events than the whole has. Every position of the
// first 200 bytes, then every 97th.
TEST(TraceDat, TruncatedFilesEndInAnAnswerOrALine) {
    for (const char* name : {"real_v6.dat", "real_v7_zstd.dat"}) {
        const std::string whole = real(name);
        for (std::size_t size = 1; size < whole.size(); size += size < 200 ? 1 : 97) {
            const Read r = read(whole.substr(0, size));
            if (!r.status) {
                EXPECT_EQ(r.status.error().message.find('\n'), std::string::npos);
                EXPECT_TRUE(r.status.error().message.starts_with("t.dat: "))
                    << r.status.error().message;
                continue;
            }
            EXPECT_LE(r.quality.total_events(), 142u) << size;
        }
    }
}

TEST(TraceDat, FlippedBitsEndInAnAnswerOrALine) {
    for (const char* name : {"real_v6.dat", "real_v7.dat", "real_v7_zstd.dat"}) {
        const std::string whole = real(name);
        for (std::size_t i = 0; i < whole.size(); i += i < 1000 ? 7 : 131) {
            std::string bytes = whole;
            bytes[i] = static_cast<char>(bytes[i] ^ (1 << (i % 8)));
            const Read r = read(bytes);
            std::int64_t last = INT64_MIN;
            for (const TraceRecord& record : r.capture.records) {
                ASSERT_GE(record.ns, last);
                last = record.ns;
            }
        }
    }
}

}  // namespace wakelab::trace
