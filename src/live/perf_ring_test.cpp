#include "live/perf_ring.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "live/perf_layout.hpp"

namespace wakelab::live {

namespace {

// A ring of 64 bytes.
struct Ring {
    std::vector<std::byte> bytes = std::vector<std::byte>(64);

    // As the kernel writes downwards: returns the new head.
    std::uint64_t push(std::uint64_t head, std::uint16_t size, std::uint32_t type) {
        head -= size;
        const perf_event_header header{.type = type, .misc = 0, .size = size};
        for (std::size_t i = 0; i < size; ++i) bytes[(head + i) & 63] = std::byte{0xee};
        std::memcpy(bytes.data() + (head & 63), &header, sizeof header);
        return head;
    }
    [[nodiscard]] RingBytes view() const { return RingBytes(bytes); }
};

std::vector<std::uint32_t> types_newest_first(const Ring& ring, const OverwrittenRecords& found) {
    std::vector<std::uint32_t> types;
    for (const auto& [at, size] : found.newest_first)
        types.push_back(view_perf_record(ring.view().between(at, at + 8)[0]).type);
    return types;
}

}  // namespace

// 64 bytes of ring: [120, 136) is 8 bytes at its end and 8 at its beginning.
TEST(PerfRing, AStretchOverTheEndIsTwo) {
    const Ring ring;
    const auto parts = ring.view().between(120, 136);
    EXPECT_EQ(parts[0].data(), ring.bytes.data() + 56);
    EXPECT_EQ(parts[0].size(), 8u);
    EXPECT_EQ(parts[1].data(), ring.bytes.data());
    EXPECT_EQ(parts[1].size(), 8u);
    EXPECT_EQ(ring.view().between(64, 128)[0].size(), 64u);
    EXPECT_EQ(ring.view().between(64, 128)[1].size(), 0u);
    EXPECT_EQ(ring.view().between(64, 64)[0].size(), 0u);
}

TEST(PerfRing, ListsAllOfARingThatWasNotFilled) {
    Ring ring;
    EXPECT_TRUE(list_overwritten(ring.view(), 0).newest_first.empty());
    std::uint64_t head = ring.push(0, 24, 1);
    head = ring.push(head, 16, 2);
    const OverwrittenRecords found = list_overwritten(ring.view(), head);
    EXPECT_EQ(types_newest_first(ring, found), (std::vector<std::uint32_t>{2, 1}));
    EXPECT_FALSE(found.forgot);
}

// 24 + 16 + 16 + 24 = 80 bytes: the first 16 of the oldest record's 24 are still there, its end is
// not.
TEST(PerfRing, LeavesOutTheRecordThatIsHalfOverwritten) {
    Ring ring;
    std::uint64_t head = ring.push(0, 24, 1);
    for (const auto& [size, type] : {std::pair{16, 2}, {16, 3}, {24, 4}})
        head = ring.push(head, static_cast<std::uint16_t>(size), static_cast<std::uint32_t>(type));
    const OverwrittenRecords found = list_overwritten(ring.view(), head);
    EXPECT_EQ(types_newest_first(ring, found), (std::vector<std::uint32_t>{4, 3, 2}));
    EXPECT_TRUE(found.forgot);
}

// 4 x 16: full to the byte; nobody knows whether others were there.
TEST(PerfRing, AFullRingMayHaveForgotten) {
    Ring ring;
    std::uint64_t head = 0;
    for (std::uint32_t type = 1; type <= 4; ++type) head = ring.push(head, 16, type);
    const OverwrittenRecords found = list_overwritten(ring.view(), head);
    EXPECT_EQ(types_newest_first(ring, found), (std::vector<std::uint32_t>{4, 3, 2, 1}));
    EXPECT_TRUE(found.forgot);
}

}  // namespace wakelab::live
