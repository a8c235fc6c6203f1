#include "property/random_world.hpp"

#include <fmt/format.h>

namespace wakelab::property {

namespace {

constexpr std::uint64_t kRoleWorld = 77;

Duration us_below(Prng& random, std::uint64_t limit) {
    return Duration{1000 * static_cast<std::int64_t>(1 + random.below(limit))};
}

bool sleeps_in(const sim::Task* task, const void* object) {
    return task->state == policy::TaskState::kInterruptible && !task->on_rq && task->call == object;
}

}  // namespace

RandomWorld::RandomWorld(sim::Engine& engine, InvariantChecker& checker, std::uint64_t seed)
    : engine_(engine), checker_(checker), random_(seed, kRoleWorld, 0) {
    const std::uint64_t groups = 2 + random_.below(5);
    for (std::uint64_t g = 0; g < groups; ++g) {
        switch (random_.below(8)) {
            case 0:
                add_hog();
                break;
            case 1:
                add_sleeper();
                break;
            case 2:
                add_ring();
                break;
            case 3:
                add_stream();
                break;
            case 4:
                add_star();
                break;
            case 5:
                add_wanderer();
                break;
            case 6:
                add_real_time();
                break;
            default:
                add_forker();
                break;
        }
    }
}

// One or two CPUs.
topo::CpuMask RandomWorld::random_mask(Prng& random, std::uint32_t cpus) {
    topo::CpuMask mask;
    mask.set(CpuId{static_cast<std::uint32_t>(random.below(cpus))});
    mask.set(CpuId{static_cast<std::uint32_t>(random.below(cpus))});
    return mask;
}

// Every fourth task is confined to a random set of CPUs, every eighth is SCHED_BATCH. The nice
// levels stay in a range where the least favoured task still has a turn within the waiting limit of
// the checker.
sim::Engine::TaskSpec RandomWorld::random_spec(const char* kind) {
    const std::uint32_t cpus = engine_.machine().cpus;
    topo::CpuMask allowed = topo::CpuMask::first_n(cpus);
    if (random_.below(4) == 0) allowed = random_mask(random_, cpus);
    const bool batch = random_.below(8) == 0;
    return {.name = fmt::format("{}-{}", kind, tasks_++),
            .cpu = allowed.first(),
            .allowed = allowed,
            .policy = batch ? policy::SchedPolicy::kBatch : policy::SchedPolicy::kNormal,
            .nice = static_cast<std::int8_t>(static_cast<int>(random_.below(7)) - 3),
            .rt_priority = 0,
            .footprint_bytes = static_cast<std::int64_t>(random_.below(128)) * 1024,
            .start = Time{} + us_below(random_, 5000)};
}

sim::Workload RandomWorld::hog(sim::Sys& sys, Duration chunk) {
    for (;;) {
        sys.run(chunk);
        co_await sys.now();
    }
}

void RandomWorld::add_hog() {
    sim::Task& t = add_task("hog");
    engine_.set_program(t, hog(*t.sys, us_below(random_, 20'000)));
}

sim::Workload RandomWorld::sleeper(sim::Sys& sys, Duration work, Duration rest) {
    for (;;) {
        sys.run(Duration{sys.random().exponential(work.ns)});
        co_await sys.sleep(rest);
        if (sys.random().below(16) == 0) co_await sys.yield();
    }
}

void RandomWorld::add_sleeper() {
    sim::Task& t = add_task("sleeper");
    engine_.set_program(t, sleeper(*t.sys, us_below(random_, 3000), us_below(random_, 10'000)));
}

sim::Workload RandomWorld::ring_member(sim::Sys& sys, PipeUse& in, PipeUse& out, bool starts) {
    if (starts) co_await sys.write(out.pipe, 1);
    for (;;) {
        co_await sys.read(in.pipe, 1);
        sys.run(Duration{sys.random().exponential(20'000)});
        co_await sys.write(out.pipe, 1);
    }
}

// A token that two to four tasks hand on through pipes.
void RandomWorld::add_ring() {
    const std::uint64_t n = 2 + random_.below(3);
    const std::size_t first = pipes_.size();
    for (std::uint64_t i = 0; i < n; ++i) pipes_.emplace_back().write_bytes = 1;
    for (std::uint64_t i = 0; i < n; ++i) {
        sim::Task& t = add_task("ring");
        PipeUse& in = pipes_[first + i];
        PipeUse& out = pipes_[first + (i + 1) % n];
        in.reader = &t;
        out.writer = &t;
        engine_.set_program(t, ring_member(*t.sys, in, out, i == 0));
    }
}

sim::Workload RandomWorld::producer(sim::Sys& sys, PipeUse& out, Duration work) {
    for (;;) {
        sys.run(Duration{sys.random().exponential(work.ns)});
        co_await sys.write(out.pipe, out.write_bytes);
    }
}

sim::Workload RandomWorld::consumer(sim::Sys& sys, PipeUse& in, Duration work) {
    for (;;) {
        const std::int64_t got = co_await sys.read(in.pipe, 4096);
        sys.run(Duration{work.ns * got / 4096});
    }
}

// Both sides block in turn: the producer on a full pipe, the consumer on an empty one.
void RandomWorld::add_stream() {
    PipeUse& use = pipes_.emplace_back();
    use.write_bytes = static_cast<std::int64_t>(1 + random_.below(100'000));
    sim::Task& from = add_task("producer");
    sim::Task& to = add_task("consumer");
    use.writer = &from;
    use.reader = &to;
    engine_.set_program(from, producer(*from.sys, use, us_below(random_, 1000)));
    engine_.set_program(to, consumer(*to.sys, use, us_below(random_, 200)));
}

sim::Workload RandomWorld::server(sim::Sys& sys, Star& star) {
    for (;;) {
        co_await sys.select(*star.set);
        for (std::uint32_t i = 0; i < star.set->size(); ++i) {
            if (!star.set->was_ready(i)) continue;
            co_await sys.recv(star.connections[i].a);
            sys.run(Duration{sys.random().exponential(15'000)});
            co_await sys.send(star.connections[i].a, 100);
        }
    }
}

sim::Workload RandomWorld::client(sim::Sys& sys, sim::SocketEnd& end, Duration work) {
    for (;;) {
        sys.run(Duration{sys.random().exponential(work.ns)});
        co_await sys.send(end, 100);
        co_await sys.recv(end);
    }
}

// One server with select() in the middle, up to eight clients.
void RandomWorld::add_star() {
    const std::uint64_t n = 1 + random_.below(8);
    Star& star = stars_.emplace_back();
    sim::Task& s = add_task("server");
    star.server = &s;
    star.set = std::make_unique<sim::SelectSet>(s, n);
    for (std::uint64_t i = 0; i < n; ++i) {
        sim::SocketPair& pair = star.connections.emplace_back();
        star.set->add(pair.a);
        sim::Task& c = add_task("client");
        star.clients.push_back(&c);
        engine_.set_program(c, client(*c.sys, pair.b, us_below(random_, 200)));
    }
    engine_.set_program(s, server(*s.sys, star));
}

sim::Workload RandomWorld::child(sim::Sys& sys, void*) {
    sys.run(Duration{sys.random().exponential(500'000)});
    if (sys.random().below(2) == 0) co_await sys.exec();
    co_await sys.sleep(1_ms);
    sys.run(Duration{sys.random().exponential(500'000)});
}

sim::Workload RandomWorld::forker(sim::Sys& sys, RandomWorld& world) {
    for (;;) {
        co_await sys.fork("child", &RandomWorld::child, &world);
        co_await sys.clone_thread("child", &RandomWorld::child, &world);
        co_await sys.wait_child();
        co_await sys.wait_child();
        co_await sys.sleep(20_ms);
    }
}

void RandomWorld::add_forker() {
    sim::Task& t = add_task("forker");
    engine_.set_program(t, forker(*t.sys, *this));
}

// The checker sees records late: it allows both masks from before the call until after its return.
sim::Workload RandomWorld::wanderer(sim::Sys& sys, RandomWorld& world) {
    for (;;) {
        const topo::CpuMask next = random_mask(sys.random(), world.engine_.machine().cpus);
        world.engine_.flush_trace();
        world.checker_.set_allowed(sys.task().id.v, sys.task().allowed | next);
        co_await sys.set_affinity(next);
        world.engine_.flush_trace();
        world.checker_.set_allowed(sys.task().id.v, next);
        sys.run(Duration{sys.random().exponential(800'000)});
        if (sys.random().below(2) == 0) co_await sys.sleep(2_ms);
    }
}

void RandomWorld::add_wanderer() {
    sim::Task& t = add_task("wanderer");
    engine_.set_program(t, wanderer(*t.sys, *this));
}

// FIFO or RR, busy for a tenth of the time at most.
void RandomWorld::add_real_time() {
    sim::Engine::TaskSpec spec = random_spec("rt");
    spec.policy = random_.below(2) == 0 ? policy::SchedPolicy::kFifo : policy::SchedPolicy::kRr;
    spec.nice = 0;
    spec.rt_priority = static_cast<std::uint8_t>(1 + random_.below(98));
    sim::Task& t = engine_.add_task(spec);
    engine_.set_program(t, sleeper(*t.sys, us_below(random_, 500), 5_ms));
}

std::vector<std::string> RandomWorld::lost_wakeups() const {
    std::vector<std::string> lost;
    const auto report = [&](const sim::Task* task, std::string_view what) {
        lost.push_back(fmt::format("{} sleeps although {}", task->name, what));
    };
    for (const PipeUse& use : pipes_) {
        if (sleeps_in(use.reader, &use.pipe) && use.pipe.queued_bytes() > 0)
            report(use.reader, "its pipe has data");
        if (sleeps_in(use.writer, &use.pipe) && use.pipe.queued_bytes() == 0)
            report(use.writer, "its pipe is empty");
    }
    for (const Star& star : stars_) {
        for (std::size_t i = 0; i < star.clients.size(); ++i) {
            const sim::SocketPair& pair = star.connections[i];
            if (sleeps_in(star.clients[i], &pair.b) && pair.b.queued > 0)
                report(star.clients[i], "a reply waits");
            if (sleeps_in(star.server, star.set.get()) && pair.a.queued > 0)
                report(star.server, "a request waits");
        }
    }
    return lost;
}

}  // namespace wakelab::property
