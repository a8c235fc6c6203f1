#include "live/page_collector.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "live/unnamed_file.hpp"

namespace wakelab::live {

namespace {

constexpr std::size_t kPage = PageCollector::kPageBytes;

struct Page {
    std::array<char, kPage> bytes{};
    std::size_t used = 16;

    explicit Page(std::uint64_t ns, std::uint32_t flags = 0) {
        std::memcpy(bytes.data(), &ns, 8);
        commit(flags);
    }
    void word(std::uint32_t w) {
        std::memcpy(bytes.data() + used, &w, 4);
        used += 4;
        commit(0);
    }
    void commit(std::uint32_t flags) {
        const std::uint32_t c = static_cast<std::uint32_t>(used - 16) | flags;
        std::memcpy(bytes.data() + 8, &c, 4);
    }
};

// What finish() keeps of these pages, as their times.
std::vector<std::uint64_t> kept_times(const std::vector<Page>& pages,
                                      std::optional<std::int64_t> after) {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
    for (const Page& p : pages) EXPECT_EQ(::write(ends[1], p.bytes.data(), kPage), ssize_t{kPage});
    std::vector<Fd> sources;
    sources.emplace_back(ends[0]);
    const Fd writer(ends[1]);
    auto collector = PageCollector::create(std::move(sources), {0}, "/tmp");
    EXPECT_TRUE(collector);
    const Status done = (*collector)->finish(after);
    EXPECT_TRUE(done);
    CpuPages& cpu = (*collector)->cpus()[0];
    std::vector<std::uint64_t> times(cpu.bytes / kPage);
    for (std::size_t i = 0; i < times.size(); ++i) {
        EXPECT_EQ(::pread(cpu.file.get(), &times[i], 8, static_cast<off_t>(i * kPage)), 8);
        std::uint32_t commit = 0;
        EXPECT_EQ(::pread(cpu.file.get(), &commit, 4, static_cast<off_t>(i * kPage + 8)), 4);
        if (commit >> 30 != 0) times[i] += 1'000'000;  // marks losses before it
    }
    EXPECT_EQ(cpu.first_ns, times.empty() ? -1 : static_cast<std::int64_t>(times[0] % 1'000'000));
    return times;
}

}  // namespace

TEST(PageCollector, KeepsEverythingThatWasLeftInTheBuffer) {
    EXPECT_EQ(kept_times({Page(10), Page(20), Page(30)}, std::nullopt),
              (std::vector<std::uint64_t>{10, 20, 30}));
    EXPECT_TRUE(kept_times({}, std::nullopt).empty());
}

// The page that begins at 20 holds events until 30, so from 25 on it is needed; the one of 10 is
// not.
TEST(PageCollector, AFlightRecorderKeepsThePageInWhichItsTimeBegins) {
    const std::vector<Page> pages = {Page(10), Page(20), Page(30), Page(40)};
    EXPECT_EQ(kept_times(pages, 25), (std::vector<std::uint64_t>{20, 30, 40}));
    EXPECT_EQ(kept_times(pages, 5), (std::vector<std::uint64_t>{10, 20, 30, 40}));
    EXPECT_EQ(kept_times(pages, 99), (std::vector<std::uint64_t>{40}));
}

TEST(PageCollector, WhatAFlightRecorderOverwroteIsNoLossButAnyOtherIs) {
    const std::vector<Page> pages = {Page(10, 1u << 31), Page(20, 1u << 31)};
    EXPECT_EQ(kept_times(pages, 5), (std::vector<std::uint64_t>{10, 1'000'020}));
    EXPECT_EQ(kept_times(pages, std::nullopt), (std::vector<std::uint64_t>{1'000'010, 1'000'020}));
}

// type_len 2: 8 bytes of data (12 in all); 30: a time of 8 bytes, no event; 0: length in the next
// word (8 with itself); 29 with time 0: the rest is padding.
TEST(PageCollector, CountsTheEventsOfAPage) {
    Page page(10);
    for (const std::uint32_t w :
         {2u, 0u, 0u, 30u, 0u, 0u | 5u << 5, 8u, 0u, 1u, 7u, 29u, 0u, 3u, 3u})
        page.word(w);
    EXPECT_EQ(events_in_page(page.bytes.data()), 3u);
    EXPECT_EQ(events_in_page(Page(10).bytes.data()), 0u);
    Page damaged(10);
    for (std::size_t i = 8; i < kPage; ++i) damaged.bytes[i] = static_cast<char>(i * 37);
    EXPECT_LE(events_in_page(damaged.bytes.data()), kPage / 4);  // ends
}

TEST(PageCollector, SaysWhereItCannotWrite) {
    const auto refused = unnamed_file("/nonexistent");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message,
              "/nonexistent: cannot be written: No such file or directory");
}

}  // namespace wakelab::live
