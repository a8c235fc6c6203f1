#include "trace/formats/trace_dat/ring_buffer_page.hpp"

#include <gtest/gtest.h>

#include "support/trace_dat_builder.hpp"

namespace wakelab::trace {

namespace {

using test::PageBuilder;

struct Seen {
    std::vector<std::uint64_t> stamps;
    std::vector<std::string> bytes;
    bool started = false, damaged = false, lost = false;
    std::uint64_t lost_count = 0;
};

Seen walk(const std::string& page, bool big = false, std::size_t local_bytes = 8) {
    const auto layout = parse_ring_buffer_layout(test::header_page_text(local_bytes), big);
    EXPECT_TRUE(layout);
    Seen seen;
    RingBufferPage p;
    seen.started = p.start(*layout, std::as_bytes(std::span(page)));
    RingBufferRecord r;
    while (p.next(r)) {
        seen.stamps.push_back(r.stamp);
        seen.bytes.emplace_back(reinterpret_cast<const char*>(r.bytes.data()), r.bytes.size());
    }
    seen.damaged = p.damaged();
    seen.lost = p.lost();
    seen.lost_count = p.lost_count();
    return seen;
}

using Stamps = std::vector<std::uint64_t>;

}  // namespace

// 1000 + 5 = 1005; a time extend of 2 * 2^27 + 3 and the event's own 4: 1005 + 268435459 + 4.
TEST(RingBufferPage, AddsDeltasAndTimeExtends) {
    const std::string page = PageBuilder(false, 8, 1000)
                                 .event(5, "abcd")
                                 .head(30, 3).word(2)
                                 .event(4, "efghijkl")
                                 .page();
    const Seen seen = walk(page);
    EXPECT_EQ(seen.stamps, (Stamps{1005, 268436468}));
    EXPECT_EQ(seen.bytes, (std::vector<std::string>{"abcd", "efghijkl"}));
    EXPECT_FALSE(seen.damaged);
}

TEST(RingBufferPage, ReadsBothByteOrdersAndLocalSizes) {
    for (const bool big : {false, true}) {
        for (const std::size_t local : {std::size_t{4}, std::size_t{8}}) {
            const std::string page = PageBuilder(big, local, 7).event(1, "abcd").event(2, "efgh").page();
            EXPECT_EQ(walk(page, big, local).stamps, (Stamps{8, 10})) << big << local;
        }
    }
}

// An absolute stamp replaces the time: 3 * 2^27 + 9, then the event's delta of 1.
TEST(RingBufferPage, TakesAbsoluteStamps) {
    const std::string page = PageBuilder(false, 8, 1000).head(31, 9).word(3).event(1, "abcd").page();
    EXPECT_EQ(walk(page).stamps, (Stamps{3 * (1ull << 27) + 10}));
}

// The stamp has 59 bits. The page began at 0x10 << 56 | 5; the stamp of 4 is earlier, so the 59 bits have
// wrapped: (0x10 << 56) + 2^59 + 4.
TEST(RingBufferPage, AbsoluteStampsKeepTheUpperBitsOfThePage) {
    const std::uint64_t msb = 0x10ull << 56;
    const std::string page = PageBuilder(false, 8, msb | 5).head(31, 4).word(0).event(0, "abcd").page();
    EXPECT_EQ(walk(page).stamps, (Stamps{msb + (1ull << 59) + 4}));
}

// A discarded event (padding that tells its length of 8) is stepped over, its time counts.
TEST(RingBufferPage, StepsOverDiscardedEvents) {
    const std::string page =
        PageBuilder(false, 8, 100).head(29, 3).word(8).word(0).event(2, "abcd").page();
    EXPECT_EQ(walk(page).stamps, (Stamps{105}));
}

TEST(RingBufferPage, PaddingWithoutTimeEndsThePage) {
    const std::string page = PageBuilder(false, 8, 100).event(1, "abcd").head(29, 0).event(2, "efgh").page();
    const Seen seen = walk(page);
    EXPECT_EQ(seen.stamps, (Stamps{101}));
    EXPECT_FALSE(seen.damaged);
}

// 116 bytes do not fit type_len * 4 <= 112; their length of 116 + 4 stands before them.
TEST(RingBufferPage, ReadsLongEvents) {
    const std::string page = PageBuilder(true, 8, 0).long_event(1, std::string(116, 'x')).page();
    const Seen seen = walk(page, true);
    ASSERT_EQ(seen.bytes.size(), 1u);
    EXPECT_EQ(seen.bytes[0], std::string(116, 'x'));
}

TEST(RingBufferPage, TellsMissedEvents) {
    constexpr std::uint64_t kMissed = 1u << 31, kStored = 1u << 30;
    EXPECT_FALSE(walk(PageBuilder(false, 8, 0).event(1, "abcd").page()).lost);
    const Seen some = walk(PageBuilder(false, 8, 0).event(1, "abcd").page(kMissed));
    EXPECT_TRUE(some.lost);
    EXPECT_EQ(some.lost_count, 0u);
    const Seen counted = walk(PageBuilder(true, 4, 0).event(1, "abcd").page(kMissed | kStored, 77), true, 4);
    EXPECT_TRUE(counted.lost);
    EXPECT_EQ(counted.lost_count, 77u);
    EXPECT_EQ(counted.stamps, (Stamps{1}));
}

TEST(RingBufferPage, LengthsThatLieEndThePage) {
    for (const std::uint32_t word : {0u, 3u, 4096u, 0xffffffffu}) {
        const Seen seen = walk(PageBuilder(false, 8, 0).event(1, "abcd").head(0, 1).word(word).page());
        EXPECT_EQ(seen.stamps.size(), 1u) << word;
        EXPECT_TRUE(seen.damaged) << word;
    }
    EXPECT_TRUE(walk(PageBuilder(false, 8, 0).head(28, 1).word(0).page()).damaged);  // 112 bytes of 4
    EXPECT_TRUE(walk(PageBuilder(false, 8, 0).head(30, 1).page()).damaged);
}

// The commit count says 4092 of the 4080 bytes that a page of 4096 has for data.
TEST(RingBufferPage, RefusesAPageThatIsFullerThanItCanBe) {
    std::string page = PageBuilder(false, 8, 0).page();
    page[8] = static_cast<char>(0xfc);
    page[9] = 0x0f;
    EXPECT_FALSE(walk(page).started);
    EXPECT_FALSE(walk(page.substr(0, 10)).started);
}

TEST(RingBufferPage, HeaderPageMustMakeSense) {
    EXPECT_FALSE(parse_ring_buffer_layout("", false));
    EXPECT_FALSE(parse_ring_buffer_layout("field: u64 timestamp; offset:0; size:8;", false));
    const std::string good = test::header_page_text(8);
    ASSERT_TRUE(parse_ring_buffer_layout(good, false));
    EXPECT_EQ(parse_ring_buffer_layout(good, false)->page_bytes, 4096u);
    std::string overlap = good;
    overlap.replace(overlap.find("offset:16"), 9, "offset:12");
    EXPECT_FALSE(parse_ring_buffer_layout(overlap, false));
}

}  // namespace wakelab::trace
