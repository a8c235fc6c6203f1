#include <fmt/format.h>

#include "bench/allocation_counter.hpp"
#include "bench/benches.hpp"
#include "bench/pgbench_world.hpp"

namespace wakelab::bench {

namespace {

constexpr Duration kWarmup = 500_ms;
constexpr Duration kMeasured = 1_s;

struct Variant {
    const char* name;
    const char* scheduler;
    std::vector<std::string> features;
};

// What one repetition of a run costs.
struct Cost {
    double ns_per_event = 0;
    double dispatches_per_s = 0;
    double simulated_s_per_s = 0;
    double allocations_per_event = 0;
};

// A repetition builds its world anew: every one serves the same events.
Result<Cost> measure(const PgbenchSpec& spec) {
    auto world = PgbenchWorld::create(spec);
    if (!world) return world.error();
    sim::Engine& engine = (*world)->engine();
    if (!engine.run_until(Time{} + kWarmup)) return Error{engine.exit_message()};
    engine.reset_counters();
    const std::uint64_t allocated = allocations();
    const std::int64_t start = thread_cpu_ns();
    if (!engine.run_until(Time{} + kWarmup + kMeasured)) return Error{engine.exit_message()};
    const auto ns = static_cast<double>(thread_cpu_ns() - start);
    const auto news = static_cast<double>(allocations() - allocated);
    const auto events = static_cast<double>(engine.counters().events);
    std::uint64_t dispatches = 0;
    for (const sim::Task& t : engine.tasks()) dispatches += t.stats.switches;
    return Cost{.ns_per_event = ns / events,
                .dispatches_per_s = static_cast<double>(dispatches) * 1e9 / ns,
                .simulated_s_per_s = static_cast<double>(kMeasured.ns) / ns,
                .allocations_per_event = news / events};
}

}  // namespace

Result<std::vector<Figure>> engine_figures(std::uint32_t repetitions) {
    const std::vector<Variant> variants{
        {"cfs-2.6.26", "cfs-2.6.26", {}},
        {"cfs-2.6.26-rc3 --features 863", "cfs-2.6.26-rc3", {"863"}},
        {"o1-2.6.22", "o1-2.6.22", {}}};
    std::vector<Figure> events;
    std::vector<Figure> dispatches;
    std::vector<Figure> speed;
    Figure allocated{"allocations per event after warm-up, most of all runs", "", {0}};
    for (const Variant& v : variants) {
        for (const std::int32_t clients : {1, 8, 50}) {
            const std::string what = fmt::format("{}, pgbench {}", v.name, clients);
            Figure e{"event: " + what, "ns", {}};
            Figure d{"dispatches: " + what, "M/s", {}};
            Figure s{"simulated seconds: " + what, "per CPU second", {}};
            for (std::uint32_t i = 0; i < repetitions; ++i) {
                auto cost = measure({v.scheduler, v.features, clients});
                if (!cost) return Error{what + ": " + cost.error().message};
                e.samples.push_back(cost->ns_per_event);
                d.samples.push_back(cost->dispatches_per_s / 1e6);
                s.samples.push_back(cost->simulated_s_per_s);
                allocated.samples[0] = std::max(allocated.samples[0], cost->allocations_per_event);
            }
            events.push_back(std::move(e));
            dispatches.push_back(std::move(d));
            speed.push_back(std::move(s));
        }
    }
    for (auto* rest : {&dispatches, &speed})
        events.insert(events.end(), rest->begin(), rest->end());
    events.push_back(std::move(allocated));
    return events;
}

}  // namespace wakelab::bench
