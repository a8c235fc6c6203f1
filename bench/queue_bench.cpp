#include <fmt/format.h>

#include <queue>

#include "base/check.hpp"
#include "base/prng.hpp"
#include "bench/benches.hpp"
#include "sim/event_queue.hpp"

namespace wakelab::bench {

namespace {

constexpr std::uint32_t kOperations = 200'000;

// Delays of the hold model: 25 % zero, 45 % 0.2 .. 6 us, 20 % 50 .. 750 us, the rest ticks and long
// sleeps (spec style.md 5). Drawn before the measurement.
std::vector<std::int64_t> draw_delays() {
    Prng random(1, 0, 0);
    const auto between = [&](std::int64_t lo, std::int64_t hi) {
        return lo + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(hi - lo)));
    };
    std::vector<std::int64_t> delays(kOperations);
    for (std::int64_t& d : delays) {
        const std::uint64_t share = random.below(100);
        if (share < 25)
            d = 0;
        else if (share < 70)
            d = between(200, 6'000);
        else if (share < 90)
            d = between(50'000, 750'000);
        else if (share < 95)
            d = 4'000'000;
        else
            d = between(10'000'000, 1'000'000'000);
    }
    return delays;
}

// ns per pop of the earliest event and push of its successor; `order` takes a checksum of the
// order.
double hold_event_queue(const std::vector<std::int64_t>& delays, std::size_t size,
                        std::uint64_t& order) {
    std::vector<sim::Event> events(size);
    sim::EventQueue queue(size);
    for (std::uint32_t i = 0; i < size; ++i) {
        events[i].subject = i;
        queue.schedule(events[i], Time{delays[i]});
    }
    const std::int64_t start = thread_cpu_ns();
    for (const std::int64_t delay : delays) {
        sim::Event* event = queue.pop();
        order = order * 31 + event->subject;
        queue.schedule(*event, queue.now() + Duration{delay});
    }
    return static_cast<double>(thread_cpu_ns() - start) / kOperations;
}

struct Entry {
    std::int64_t when;
    std::uint64_t sequence;
    std::uint32_t subject;
    bool operator<(const Entry& b) const {  // the top of a priority_queue is the largest
        return when != b.when ? when > b.when : sequence > b.sequence;
    }
};

double hold_priority_queue(const std::vector<std::int64_t>& delays, std::size_t size,
                           std::uint64_t& order) {
    std::priority_queue<Entry> queue;
    std::uint64_t sequence = 0;
    for (std::uint32_t i = 0; i < size; ++i) queue.push({delays[i], sequence++, i});
    const std::int64_t start = thread_cpu_ns();
    for (const std::int64_t delay : delays) {
        const Entry entry = queue.top();
        queue.pop();
        order = order * 31 + entry.subject;
        queue.push({entry.when + delay, sequence++, entry.subject});
    }
    return static_cast<double>(thread_cpu_ns() - start) / kOperations;
}

}  // namespace

std::vector<Figure> queue_figures(std::uint32_t repetitions) {
    const std::vector<std::int64_t> delays = draw_delays();
    std::vector<Figure> figures;
    for (const std::size_t size : {128u, 1'024u, 16'384u}) {
        Figure ours{fmt::format("event queue, hold {}", size), "ns per pop + push", {}};
        Figure theirs{fmt::format("std::priority_queue, hold {}", size), "ns per pop + push", {}};
        for (std::uint32_t i = 0; i < repetitions; ++i) {
            std::uint64_t order_ours = 0;
            std::uint64_t order_theirs = 0;
            ours.samples.push_back(hold_event_queue(delays, size, order_ours));
            theirs.samples.push_back(hold_priority_queue(delays, size, order_theirs));
            WK_CHECK(order_ours == order_theirs);
        }
        figures.push_back(std::move(ours));
        figures.push_back(std::move(theirs));
    }
    return figures;
}

}  // namespace wakelab::bench
