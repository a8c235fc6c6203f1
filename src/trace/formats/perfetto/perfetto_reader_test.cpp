#include "trace/formats/perfetto/perfetto_reader.hpp"

#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>

#include "support/perfetto_packets.hpp"
#include "support/trace_capture.hpp"
#include "trace/formats/format.hpp"

namespace wakelab::trace {
namespace {

using test::Bundle;
using test::packet_of;
using test::sched_switch_event;
using test::wakeup_event;

std::vector<std::byte> bytes_of(std::string_view text) {
    const auto all = std::as_bytes(std::span(text));
    return {all.begin(), all.end()};
}

struct Read {
    test::TraceCapture capture;
    TraceQuality quality;
    Status status;

    explicit Read(const std::string& file) {
        Input input = Input::of_bytes(bytes_of(file));
        status = read_trace(input, capture, quality);
    }
    [[nodiscard]] std::vector<TraceRecord> of(EventType type) const {
        std::vector<TraceRecord> out;
        for (const TraceRecord& r : capture.records)
            if (r.type == type) out.push_back(r);
        return out;
    }
    [[nodiscard]] std::string name(std::uint32_t task) const {
        return task == kNobody ? "idle" : capture.names.at(task);
    }
};

// CPU 0: sh (10) wakes db (20) on CPU 1, where it runs 5 us later; sh sleeps ("D", 0x2) then.
std::string small_trace() {
    std::string thread, tree, fields;
    protozero::pbf_writer t{thread};
    t.add_int32(1, 21);  // tid
    t.add_string(2, "db-helper");
    t.add_int32(3, 20);  // tgid
    protozero::pbf_writer(tree).add_message(2, thread);
    protozero::pbf_writer(fields).add_message(2, tree);
    return test::system_packet("6.1.0-18-amd64", 4) + packet_of(fields) +
           Bundle{.cpu = 0,
                  .events = {sched_switch_event(1000, {"swapper/0", 0, 0, "sh", 10}),
                             wakeup_event(2000, 10, 20, "db", 20, 0),
                             wakeup_event(2500, 10, 17, "db", 20, 1),
                             sched_switch_event(9000, {"sh", 10, 2, "swapper/0", 0})}}
               .packet() +
           Bundle{.cpu = 1, .events = {sched_switch_event(7000, {"swapper/1", 0, 0, "db", 20})}}.packet();
}

TEST(PerfettoReader, ReadsEventsOfSeveralCpusInOrderOfTime) {
    const Read read(small_trace());
    ASSERT_TRUE(read.status) << read.status.error().message;
    EXPECT_EQ(read.quality.format, "Perfetto");
    EXPECT_EQ(read.quality.kernel, "6.1.0-18-amd64");
    EXPECT_EQ(read.quality.architecture, "x86_64");
    EXPECT_EQ(read.quality.clock, "boot");
    EXPECT_EQ(read.capture.cpus, 4u);
    const auto& r = read.capture.records;
    ASSERT_EQ(r.size(), 5u);
    EXPECT_EQ(r[1].type, EventType::kWaking);
    EXPECT_EQ(read.name(r[1].task), "sh");
    EXPECT_EQ(read.name(r[1].arg), "db");
    EXPECT_EQ(r[2].type, EventType::kWakeup);
    EXPECT_EQ(r[2].cpu, 1);
    EXPECT_EQ(r[3].ns, 7000);  // of the second bundle, between two of the first
    EXPECT_EQ(r[3].cpu, 1);
    EXPECT_EQ(r[4].ns, 9000);
    EXPECT_EQ(static_cast<PrevState>(r[4].flags), PrevState::kUninterruptible);
    const bool helper = std::any_of(read.capture.names.begin(), read.capture.names.end(),
                                    [](const auto& n) { return n.second == "db-helper"; });
    EXPECT_TRUE(helper);
    EXPECT_EQ(read.quality.out_of_order, 0u);
    EXPECT_EQ(read.quality.damaged, 0u);
}

// The second switch of CPU 2 ends what the first began: a ran from 1000 to 3000. The first itself says who
// comes, not who leaves, and is left out. The waking at 2000 lies between them, so a made it.
TEST(PerfettoReader, CompactSwitchesTakeThePreviousTaskFromTheSwitchBefore) {
    test::CompactBuilder compact;
    const std::uint32_t idle = compact.name("swapper/2"), a = compact.name("a"), b = compact.name("b");
    compact.add_switch(1000, 0, 11, a);
    compact.add_switch(3000, 1, 12, b);
    compact.add_switch(4000, 0x100, 0, idle);
    compact.add_waking(2000, 12, 2, b, 0x10);  // TRACE_FLAG_SOFTIRQ
    const Read read(test::system_packet("6.1.0", 3) +
                    Bundle{.cpu = 2, .compact = compact.message()}.packet());
    ASSERT_TRUE(read.status);
    const auto switches = read.of(EventType::kSwitch);
    ASSERT_EQ(switches.size(), 2u);
    EXPECT_EQ(read.name(switches[0].task), "a");
    EXPECT_EQ(read.name(switches[0].arg), "b");
    EXPECT_EQ(switches[0].ns, 3000);
    EXPECT_EQ(static_cast<PrevState>(switches[0].flags), PrevState::kBlocked);
    EXPECT_EQ(read.name(switches[1].task), "b");
    EXPECT_EQ(switches[1].arg, kNobody);
    EXPECT_EQ(static_cast<PrevState>(switches[1].flags), PrevState::kPreemptedOther);
    const auto wakings = read.of(EventType::kWaking);
    ASSERT_EQ(wakings.size(), 1u);
    EXPECT_EQ(read.name(wakings[0].task), "a");
    EXPECT_EQ(wakings[0].flags & kWakeInInterrupt, kWakeInInterrupt);
    EXPECT_EQ(read.quality.notes.size(), 1u);  // of the first switch
}

// Events in individual form beside the compact ones (here a migration at 2500) keep their place in time.
TEST(PerfettoReader, MergesCompactAndIndividualEventsOfABundle) {
    test::CompactBuilder compact;
    const std::uint32_t a = compact.name("a"), b = compact.name("b");
    compact.add_switch(1000, 0, 11, a);
    compact.add_switch(3000, 1, 12, b);
    compact.add_waking(2000, 12, 1, b);
    std::string migrate;
    protozero::pbf_writer m{migrate};
    m.add_string(1, "b");
    m.add_int32(2, 12);
    m.add_int32(4, 1);  // orig_cpu
    m.add_int32(5, 0);  // dest_cpu
    const Read read(Bundle{.cpu = 0, .events = {test::ftrace_event(2500, 11, 491, migrate)},
                           .compact = compact.message()}.packet());
    ASSERT_TRUE(read.status);
    // The migration of a task that is being woken is the choice of its CPU: the wakeup says 0, not 1.
    const auto wakeups = read.of(EventType::kWakeup);
    ASSERT_EQ(wakeups.size(), 1u);
    EXPECT_EQ(wakeups[0].cpu, 0);
    EXPECT_EQ(read.quality.inferred_migrations, 0u);
}

TEST(PerfettoReader, LostEventsComeBeforeTheBundleTheyAreMarkedIn) {
    test::CompactBuilder before, after;
    const std::uint32_t a = before.name("a"), b = after.name("b");
    before.add_switch(1000, 0, 11, a);
    before.add_switch(1500, 1, 12, a);
    after.add_switch(8000, 1, 13, b);  // who leaves is not known
    after.add_switch(9000, 1, 14, b);
    const Read read(Bundle{.cpu = 0, .compact = before.message()}.packet() +
                    Bundle{.cpu = 0, .lost = true, .compact = after.message()}.packet());
    ASSERT_TRUE(read.status);
    EXPECT_EQ(read.quality.gaps, 1u);
    // The loss has the time of the bundle's first event, which itself is left out.
    const auto lost = read.of(EventType::kLost);
    ASSERT_EQ(lost.size(), 1u);
    EXPECT_EQ(lost[0].ns, 8000);
    const auto switches = read.of(EventType::kSwitch);
    ASSERT_EQ(switches.size(), 2u);
    EXPECT_EQ(read.capture.pids.at(switches[1].task), 13);
}

TEST(PerfettoReader, DroppedPacketsAreALossOnEveryCpu) {
    const auto event = [](std::uint64_t ns) { return sched_switch_event(ns, {"x", 5, 1, "y", 6}); };
    const Read read(Bundle{.cpu = 0, .events = {event(1)}, .dropped = true}.packet() +  // first: no loss
                    Bundle{.cpu = 1, .events = {event(2)}}.packet() +
                    Bundle{.cpu = 0, .events = {event(3)}, .dropped = true}.packet() +
                    Bundle{.cpu = 1, .events = {event(4)}}.packet());
    ASSERT_TRUE(read.status);
    EXPECT_EQ(read.quality.gaps, 2u);
}

// Three rounds over two CPUs, CPU 1 always behind CPU 0 in the file.
TEST(PerfettoReader, BundlesOfSeveralRoundsComeOutInOrder) {
    std::string file;
    for (std::uint64_t round = 0; round < 50; ++round)
        for (std::uint32_t cpu = 0; cpu < 3; ++cpu) {
            Bundle bundle{.cpu = cpu, .events = {}};
            for (std::uint64_t i = 0; i < 20; ++i)
                bundle.events.push_back(
                    sched_switch_event(1000 * round + 40 * i + cpu, {"x", 5, 1, "y", 6}));
            file += bundle.packet();
        }
    const Read read(file);
    ASSERT_TRUE(read.status);
    EXPECT_EQ(read.quality.count(KernelEventType::kSwitch), 50u * 3 * 20);
    EXPECT_EQ(read.quality.out_of_order, 0u);
}

TEST(PerfettoReader, CountsWhatItDoesNotKnow) {
    std::string print, track;
    protozero::pbf_writer(print).add_string(2, "hello");
    protozero::pbf_writer(track).add_string(11, "");
    const Read read(Bundle{.cpu = 0, .events = {test::ftrace_event(5, 1, 3, print),
                                               test::ftrace_event(5, 1, 999, print),
                                               sched_switch_event(6, {"x", 5, 1, "y", 6})}}.packet() +
                    packet_of(track));
    ASSERT_TRUE(read.status);
    EXPECT_EQ(read.quality.skipped.at("print"), 1u);
    EXPECT_EQ(read.quality.skipped.at("ftrace event 999"), 1u);
    EXPECT_EQ(read.quality.skipped.at("track events"), 1u);
}

TEST(PerfettoReader, ForksToldTwiceAreOneFork) {
    std::string newtask, fork;
    protozero::pbf_writer n{newtask};
    n.add_int32(1, 77);
    n.add_string(2, "child");
    protozero::pbf_writer f{fork};
    f.add_string(1, "parent");
    f.add_int32(2, 70);
    f.add_string(3, "child");
    f.add_int32(4, 77);
    const Read read(Bundle{.cpu = 0, .events = {test::ftrace_event(5, 70, 235, newtask),
                                               test::ftrace_event(6, 70, 239, fork)}}.packet());
    ASSERT_TRUE(read.status);
    EXPECT_EQ(read.of(EventType::kFork).size(), 1u);
}

TEST(PerfettoReader, CompressedPacketsAreTheSame) {
    const std::string plain = small_trace();
    std::string deflated(compressBound(plain.size()), '\0');
    uLongf size = deflated.size();
    ASSERT_EQ(compress(reinterpret_cast<Bytef*>(deflated.data()), &size,
                       reinterpret_cast<const Bytef*>(plain.data()), plain.size()), Z_OK);
    deflated.resize(size);
    std::string zstd(ZSTD_compressBound(plain.size()), '\0');
    zstd.resize(ZSTD_compress(zstd.data(), zstd.size(), plain.data(), plain.size(), 3));
    for (const auto& [field, data] : {std::pair{50u, deflated}, std::pair{133u, zstd}}) {
        std::string fields;
        protozero::pbf_writer(fields).add_string(field, data);
        const Read read(packet_of(fields));
        ASSERT_TRUE(read.status) << field;
        EXPECT_EQ(read.capture.records.size(), 5u);
        EXPECT_EQ(read.quality.damaged, 0u);
        // Half of it: damaged, not a crash.
        std::string half;
        protozero::pbf_writer(half).add_string(field, data.substr(0, data.size() / 2));
        const Read cut(packet_of(half) + Bundle{.cpu = 0, .events = {sched_switch_event(1, {})}}.packet());
        EXPECT_TRUE(cut.status);
        EXPECT_GE(cut.quality.damaged, 1u);
    }
}

TEST(PerfettoReader, SaysSoWhenThereAreNoFtraceEvents) {
    std::string track;
    protozero::pbf_writer(track).add_string(11, std::string("\x48\x04"));
    const Read read(packet_of(track) + packet_of(track));
    ASSERT_FALSE(read.status);
    EXPECT_NE(read.status.error().message.find("without ftrace events"), std::string::npos);
}

TEST(PerfettoReader, OtherFilesAreNotTaken) {
    const auto matches = [](std::string_view text) { return is_perfetto(std::as_bytes(std::span(text))); };
    EXPECT_TRUE(matches(small_trace()));
    EXPECT_FALSE(matches("\n# tracer: nop\n#\n"));
    EXPECT_FALSE(matches("PERFILE2"));
    EXPECT_FALSE(matches("\x17\x08\x44tracing6"));
    EXPECT_FALSE(matches(""));
    EXPECT_FALSE(matches("\n"));
}

// Names are bytes: embedded ones that look like fields, not UTF-8, longer than the kernel's 15.
TEST(PerfettoReader, NamesAreBytes) {
    for (const std::string& name : {std::string("\xff\xfe \n==> ["), std::string("12345678"),
                                    std::string("1234567"), std::string("a-very-long-task-name")}) {
        const Read read(Bundle{.cpu = 0, .events = {sched_switch_event(6, {"x", 5, 1, name, 6})}}.packet());
        ASSERT_TRUE(read.status);
        ASSERT_EQ(read.capture.records.size(), 1u);
        EXPECT_EQ(read.name(read.capture.records[0].arg), name.substr(0, 15));
    }
}

TEST(PerfettoReader, TruncatedAnywhereEndsInAnAnswer) {
    test::CompactBuilder compact;
    const std::uint32_t a = compact.name("a");
    for (std::uint64_t i = 1; i < 20; ++i) compact.add_switch(1000 * i, 1, static_cast<std::int32_t>(i), a);
    const std::string whole = small_trace() + Bundle{.cpu = 3, .compact = compact.message()}.packet();
    const Read all(whole);
    ASSERT_TRUE(all.status);
    for (std::size_t size = 1; size < whole.size(); ++size) {
        const Read read(whole.substr(0, size));
        if (!read.status) continue;
        EXPECT_LE(read.capture.records.size(), all.capture.records.size());
    }
}

TEST(PerfettoReader, FlippedBitsEndInAnAnswer) {
    test::CompactBuilder compact;
    const std::uint32_t a = compact.name("a");
    for (std::uint64_t i = 1; i < 20; ++i) compact.add_switch(1000 * i, 1, static_cast<std::int32_t>(i), a);
    const std::string whole = small_trace() + Bundle{.cpu = 3, .compact = compact.message()}.packet();
    for (std::size_t i = 0; i < whole.size() * 8; i += 3) {
        std::string bad = whole;
        bad[i / 8] = static_cast<char>(bad[i / 8] ^ 1 << i % 8);
        const Read read(bad);
        if (!read.status) continue;
        EXPECT_LE(read.capture.records.size(), 60u);
    }
}

}  // namespace
}  // namespace wakelab::trace
