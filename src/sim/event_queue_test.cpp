#include "sim/event_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/prng.hpp"

namespace wakelab::sim {
namespace {

TEST(EventQueue, ServesEqualTimesInInsertionOrder) {
    EventQueue q;
    Event a, b, c;
    q.schedule(b, Time{5});
    q.schedule(a, Time{5});
    q.schedule(c, Time{4});
    EXPECT_EQ(q.pop(), &c);
    EXPECT_EQ(q.pop(), &b);
    EXPECT_EQ(q.pop(), &a);
    EXPECT_EQ(q.pop(), nullptr);
}

TEST(EventQueue, RankComesBeforeInsertionOrder) {
    EventQueue q;
    Event tick{.kind = EventKind::kTick};
    Event work{.kind = EventKind::kWorkDone};
    q.schedule(tick, Time{5});
    q.schedule(work, Time{5});
    EXPECT_EQ(q.pop(), &work);
    EXPECT_EQ(q.pop(), &tick);
}

TEST(EventQueue, CancelledEventNeverComes) {
    EventQueue q;
    Event a, b;
    q.schedule(a, Time{1});
    q.schedule(b, Time{2});
    q.cancel(a);
    EXPECT_FALSE(a.queued());
    EXPECT_EQ(q.pop(), &b);
    q.schedule(a, Time{3});      // fills the hole the pop left
    q.cancel(a);
    EXPECT_EQ(q.pop(), nullptr);
}

// Model-based: the naive list sorted by (when, sequence) must serve the same order under a random mix of
// schedule, cancel, reschedule and pop.
TEST(EventQueue, AgreesWithASortedList) {
    struct Naive {
        std::int64_t when;
        std::uint64_t seq;
        Event* event;
        auto operator<=>(const Naive&) const = default;
    };
    Prng rng(1, 2, 3);
    EventQueue q;
    std::vector<Event> events(200);
    std::vector<Naive> naive;
    std::uint64_t seq = 0;
    for (int step = 0; step < 100'000; ++step) {
        Event& e = events[rng.below(events.size())];
        const Time when{q.now().ns + static_cast<std::int64_t>(rng.below(50))};
        const bool insert = rng.below(100) < 60;
        const auto drop = [&] { std::erase_if(naive, [&](auto& n) { return n.event == &e; }); };
        if (insert && !e.queued()) {
            q.schedule(e, when);
            naive.push_back({when.ns, seq++, &e});
        } else if (insert) {
            q.reschedule(e, when);
            drop();
            naive.push_back({when.ns, seq++, &e});
        } else if (rng.below(4) == 0) {
            q.cancel(e);
            drop();
        } else {
            Event* got = q.pop();
            ASSERT_EQ(got == nullptr, naive.empty());
            if (got == nullptr) continue;
            const auto least = std::ranges::min_element(naive);
            ASSERT_EQ(got, least->event);
            ASSERT_EQ(q.now().ns, least->when);
            naive.erase(least);
        }
        ASSERT_EQ(q.size(), naive.size());
    }
}

}  // namespace
}  // namespace wakelab::sim
