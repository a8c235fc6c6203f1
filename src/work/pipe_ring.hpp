// A ring of processes over pipes that pass a token (workloads.md 6): lmbench's lat_ctx, and Ingo
// Molnar's pipe-test, which is a ring of two. One task runs at a time, so all that is measured is
// the wake-up, the switch and the way of the token.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "work/workload.hpp"

namespace wakelab::work {

// From data/workloads/pipe_ring.toml; user times in ns on the reference machine (Q6600).
struct PipeRingCosts {
    std::int64_t token_bytes = 0;
    std::int64_t hop_user = 0;     // user code from read() to write()
    std::int64_t sample_laps = 0;  // laps between two looks at the clock
};

[[nodiscard]] Result<PipeRingCosts> load_pipe_ring_costs();
// Sets one value by its name in the file. Error: no such name, or negative.
Status set_pipe_ring_value(PipeRingCosts& costs, std::string_view key, std::int64_t value);

enum class RingProgram : std::uint8_t {
    kLatCtx,    // time per hop, less what the same calls cost in one process without a switch
    kPipeTest,  // time per round trip
};

class PipeRing final : public WorkloadModel {
 public:
    // `members` >= 2; 2 for pipe-test.
    PipeRing(const PipeRingCosts& costs, RingProgram program, std::uint32_t members);
    void build(sim::Engine& engine, TaskChoices& choices) override;
    [[nodiscard]] std::string_view unit() const override;
    // The median sample.
    [[nodiscard]] std::int64_t latency_ns() const override;
    // As the program prints it.
    [[nodiscard]] std::string log_table() const override;

 private:
    struct Member {
        PipeRing* ring = nullptr;
        std::uint32_t index = 0;
        std::string name;
    };

    static sim::Workload first(sim::Sys& sys, PipeRing& ring);
    static sim::Workload other(sim::Sys& sys, void* member);

    PipeRingCosts costs_;
    RingProgram program_;
    std::uint32_t members_;
    std::deque<sim::Pipe> pipes_;  // [i]: read by member i
    std::deque<Member> others_;
    std::int64_t overhead_ns_ = 0;          // per hop
    std::vector<std::int64_t> samples_ns_;  // per hop, per round trip
};

}  // namespace wakelab::work
