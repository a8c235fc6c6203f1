#include "trace/formats/reorder_buffer.hpp"

#include <gtest/gtest.h>

#include "base/prng.hpp"

namespace wakelab::trace {
namespace {

KernelEvent at(std::int64_t ns, std::int64_t value = 0) {
    KernelEvent e;
    e.ns = ns;
    e.value = value;
    return e;
}

struct Out {
    std::vector<std::int64_t> ns, values;
    void operator()(const KernelEvent& e) {
        ns.push_back(e.ns);
        values.push_back(e.value);
    }
};

TEST(ReorderBuffer, MergesRunsUpToATimeAndKeepsTheRest) {
    ReorderBuffer buffer;
    Out out;
    for (const int ns : {10, 30, 50}) buffer.push(0, at(ns), out);
    for (const int ns : {20, 40, 60}) buffer.push(1, at(ns), out);
    EXPECT_TRUE(out.ns.empty());
    EXPECT_EQ(buffer.max_ns(), 60);
    buffer.flush(40, out);
    EXPECT_EQ(out.ns, (std::vector<std::int64_t>{10, 20, 30, 40}));
    EXPECT_EQ(buffer.held(), 2u);
    buffer.push(0, at(55), out);
    buffer.flush_all(out);
    EXPECT_EQ(out.ns, (std::vector<std::int64_t>{10, 20, 30, 40, 50, 55, 60}));
    EXPECT_EQ(buffer.forced(), 0u);
}

TEST(ReorderBuffer, EqualTimesLeaveByRunAndThenByArrival) {
    ReorderBuffer buffer;
    Out out;
    buffer.push(1, at(5, 3), out);
    buffer.push(0, at(5, 1), out);
    buffer.push(1, at(5, 4), out);
    buffer.push(0, at(5, 2), out);
    buffer.flush_all(out);
    EXPECT_EQ(out.values, (std::vector<std::int64_t>{1, 2, 3, 4}));
}

TEST(ReorderBuffer, AnEventThatIsLateInItsRunComesInTime) {
    ReorderBuffer buffer;
    Out out;
    for (const int ns : {10, 40, 20, 30, 50, 15}) buffer.push(0, at(ns), out);
    buffer.push(ReorderBuffer::kMaxRuns + 7, at(25), out);  // no such CPU, still in order
    buffer.flush(30, out);
    EXPECT_EQ(out.ns, (std::vector<std::int64_t>{10, 15, 20, 25, 30}));
    buffer.flush_all(out);
    EXPECT_EQ(out.ns.back(), 50);
    EXPECT_EQ(buffer.held(), 0u);
}

// Four fit. The fifth makes the older two leave; 1 and 2 are gone when 0 comes, which leaves after them.
TEST(ReorderBuffer, AFullBufferLetsTheOlderHalfGo) {
    ReorderBuffer buffer(4);
    Out out;
    for (const int ns : {4, 3, 2, 1}) buffer.push(static_cast<std::uint32_t>(ns), at(ns), out);
    buffer.push(0, at(0), out);
    EXPECT_EQ(out.ns, (std::vector<std::int64_t>{1, 2}));
    EXPECT_EQ(buffer.forced(), 1u);
    buffer.flush_all(out);
    EXPECT_EQ(out.ns, (std::vector<std::int64_t>{1, 2, 0, 3, 4}));
}

TEST(ReorderBuffer, SortsRandomEventsOfManyRunsAsAStableSortDoes) {
    Prng random(7, 0, 0);
    ReorderBuffer buffer;
    Out out;
    std::vector<std::int64_t> expected, now(70);
    for (int i = 0; i < 20000; ++i) {
        const auto run = static_cast<std::uint32_t>(random.below(70));
        now[run] += static_cast<std::int64_t>(random.below(20));
        const auto back = static_cast<std::int64_t>(random.below(10) == 0 ? random.below(30) : 0);
        const std::int64_t ns = now[run] - back;
        expected.push_back(ns);
        buffer.push(run, at(ns), out);
        if (i % 1000 == 999) {
            // No run will go back further than this.
            buffer.flush(*std::ranges::min_element(now) - 30, out);
        }
    }
    buffer.flush_all(out);
    std::ranges::sort(expected);
    EXPECT_EQ(out.ns, expected);
}

}  // namespace
}  // namespace wakelab::trace
