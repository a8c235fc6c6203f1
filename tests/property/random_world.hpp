// A random set of programs on an engine: hogs, sleepers, pipes, sockets, forks, with random nice
// levels, affinities and policies. Everything follows from the seed.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "base/prng.hpp"
#include "property/invariant_checker.hpp"
#include "sim/sys.hpp"

namespace wakelab::property {

class RandomWorld {
 public:
    // Creates the tasks; the world must outlive the run. `checker` is told when affinities change.
    RandomWorld(sim::Engine& engine, InvariantChecker& checker, std::uint64_t seed);

    // One line per task that sleeps although what it waits for is there: a lost wake-up.
    [[nodiscard]] std::vector<std::string> lost_wakeups() const;

 private:
    struct PipeUse {
        sim::Pipe pipe;
        const sim::Task* reader = nullptr;
        const sim::Task* writer = nullptr;
        std::int64_t write_bytes = 0;
    };
    struct Star {
        std::deque<sim::SocketPair> connections;
        std::unique_ptr<sim::SelectSet> set;
        const sim::Task* server = nullptr;
        std::vector<const sim::Task*> clients;
    };

    sim::Engine::TaskSpec random_spec(const char* kind);
    sim::Task& add_task(const char* kind) { return engine_.add_task(random_spec(kind)); }
    [[nodiscard]] static topo::CpuMask random_mask(Prng& random, std::uint32_t cpus);
    void add_hog();
    void add_sleeper();
    void add_ring();
    void add_stream();
    void add_star();
    void add_forker();
    void add_wanderer();
    void add_real_time();

    static sim::Workload hog(sim::Sys& sys, Duration chunk);
    static sim::Workload sleeper(sim::Sys& sys, Duration work, Duration rest);
    static sim::Workload ring_member(sim::Sys& sys, PipeUse& in, PipeUse& out, bool starts);
    static sim::Workload producer(sim::Sys& sys, PipeUse& out, Duration work);
    static sim::Workload consumer(sim::Sys& sys, PipeUse& in, Duration work);
    static sim::Workload server(sim::Sys& sys, Star& star);
    static sim::Workload client(sim::Sys& sys, sim::SocketEnd& end, Duration work);
    static sim::Workload forker(sim::Sys& sys, RandomWorld& world);
    static sim::Workload wanderer(sim::Sys& sys, RandomWorld& world);
    static sim::Workload child(sim::Sys& sys, void* world);

    sim::Engine& engine_;
    InvariantChecker& checker_;
    Prng random_;
    std::uint32_t tasks_ = 0;
    std::deque<PipeUse> pipes_;
    std::deque<Star> stars_;
};

}  // namespace wakelab::property
