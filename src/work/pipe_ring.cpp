#include "work/pipe_ring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "work/cost_file.hpp"

namespace wakelab::work {

namespace {

using sim::Sys;
using sim::Workload;

constexpr std::string_view kFile = "pipe_ring";
constexpr auto kFields = std::to_array<CostField<PipeRingCosts>>({
    {"token_bytes", &PipeRingCosts::token_bytes},
    {"hop_user", &PipeRingCosts::hop_user},
    {"sample_laps", &PipeRingCosts::sample_laps},
});

constexpr std::size_t kSamplesMax = 1 << 16;  // later laps are not looked at

std::string microseconds(std::int64_t ns) {
    return fmt::format("{}.{:02}", ns / 1000, ns % 1000 / 10);
}

}  // namespace

Result<PipeRingCosts> load_pipe_ring_costs() {
    return load_costs<PipeRingCosts>(kFields, kFile);
}

Status set_pipe_ring_value(PipeRingCosts& costs, std::string_view key, std::int64_t value) {
    return set_cost<PipeRingCosts>(kFields, kFile, costs, key, value);
}

PipeRing::PipeRing(const PipeRingCosts& costs, RingProgram program, std::uint32_t members)
    : costs_(costs), program_(program), members_(members), pipes_(members) {
    samples_ns_.reserve(kSamplesMax);
}

// The first member forks the others, so that the kernel's own fork balancing places them.
void PipeRing::build(sim::Engine& engine, TaskChoices& choices) {
    sim::Engine::TaskSpec spec{.name = program_ == RingProgram::kLatCtx ? "lat_ctx" : "pipe-test",
                               .cpu = CpuId{0},
                               .allowed = topo::CpuMask::first_n(engine.machine().cpus)};
    choices.apply(spec);
    for (std::uint32_t i = 1; i < members_; ++i)
        others_.push_back({.ring = this, .index = i, .name = fmt::format("{}-{}", spec.name, i)});
    sim::Task& task = engine.add_task(spec);
    engine.set_program(task, first(*task.sys, *this));
}

// lat_ctx first takes the overhead: as many writes and reads through the same pipes, by one process
// that never has to wait.
Workload PipeRing::first(Sys& sys, PipeRing& ring) {
    const PipeRingCosts& c = ring.costs_;
    const std::int64_t laps = c.sample_laps;
    const std::int64_t hops = laps * ring.members_;
    if (ring.program_ == RingProgram::kLatCtx) {
        const std::int64_t start = co_await sys.now();
        for (std::int64_t hop = 0; hop < hops; ++hop) {
            sim::Pipe& pipe = ring.pipes_[static_cast<std::size_t>(hop % ring.members_)];
            co_await sys.write(pipe, c.token_bytes);
            co_await sys.read(pipe, c.token_bytes);
            sys.run({c.hop_user});
        }
        ring.overhead_ns_ = (co_await sys.now() - start) / hops;
    }
    for (Member& m : ring.others_) co_await sys.fork(m.name.c_str(), &PipeRing::other, &m);
    const std::int64_t per_lap = ring.program_ == RingProgram::kLatCtx ? ring.members_ : 1;
    while (true) {
        const std::int64_t start = co_await sys.now();
        for (std::int64_t lap = 0; lap < laps; ++lap) {
            co_await sys.write(ring.pipes_[1], c.token_bytes);
            co_await sys.read(ring.pipes_[0], c.token_bytes);
            sys.run({c.hop_user});
            sys.work_done(static_cast<std::uint64_t>(per_lap));
        }
        const std::int64_t sample = (co_await sys.now() - start) / (laps * per_lap);
        if (ring.samples_ns_.size() < kSamplesMax) ring.samples_ns_.push_back(sample);
    }
}

Workload PipeRing::other(Sys& sys, void* member) {
    const Member& m = *static_cast<const Member*>(member);
    PipeRing& ring = *m.ring;
    sim::Pipe& in = ring.pipes_[m.index];
    sim::Pipe& out = ring.pipes_[(m.index + 1) % ring.members_];
    while (true) {
        co_await sys.read(in, ring.costs_.token_bytes);
        sys.run({ring.costs_.hop_user});
        co_await sys.write(out, ring.costs_.token_bytes);
    }
}

std::string_view PipeRing::unit() const {
    return program_ == RingProgram::kLatCtx ? "hops" : "loops";
}

std::int64_t PipeRing::latency_ns() const {
    if (samples_ns_.empty()) return 0;
    std::vector<std::int64_t> sorted = samples_ns_;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::ranges::nth_element(sorted, middle);
    return std::max<std::int64_t>(0, *middle - overhead_ns_);
}

std::string PipeRing::log_table() const {
    if (samples_ns_.empty()) return {};
    const std::string latency = microseconds(latency_ns());
    if (program_ == RingProgram::kPipeTest) return latency + " usecs/loop.\n";
    return fmt::format("size=0k ovr={}\n{} {}\n", microseconds(overhead_ns_), members_, latency);
}

}  // namespace wakelab::work
