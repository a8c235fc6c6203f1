// Deterministic random numbers: SplitMix64 (Steele, Lea, Flood 2014; public-domain constants). A stream
// is derived from (seed, role, id), so adding a task never shifts another task's draws.
// No floats: exponential draws come from a committed integer table.
#pragma once

#include <cstdint>

namespace wakelab {

class Prng {
 public:
    Prng() = default;
    Prng(std::uint64_t seed, std::uint64_t role, std::uint64_t id);

    std::uint64_t next();
    // Uniform in [0, n); n > 0. Multiply-shift; the bias is below n / 2^64.
    std::uint64_t below(std::uint64_t n);
    // value * uniform(1 - permille/1000 .. 1 + permille/1000), in whole units of value.
    std::int64_t jitter(std::int64_t value, std::int64_t permille);
    // Exponential with the given mean, from 1024 equally likely strata (mean exact to 0.1 %).
    std::int64_t exponential(std::int64_t mean);

 private:
    std::uint64_t state_ = 0;
};

}  // namespace wakelab
