#include "base/prng.hpp"

#include <array>

#include "base/check.hpp"

namespace wakelab {

namespace {

constexpr std::array<std::uint32_t, 1024> kExponentialQ16 = {
#include "base/exponential_table.inc"
};

constexpr std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ull;

}  // namespace

Prng::Prng(std::uint64_t seed, std::uint64_t role, std::uint64_t id)
    : state_(mix(mix(mix(seed + kGolden) ^ (role + kGolden)) ^ (id + kGolden))) {}

std::uint64_t Prng::next() {
    state_ += kGolden;
    return mix(state_);
}

std::uint64_t Prng::below(std::uint64_t n) {
    WK_CHECK(n > 0);
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * n) >> 64);
}

std::int64_t Prng::jitter(std::int64_t value, std::int64_t permille) {
    if (permille == 0 || value == 0) return value;
    const auto span = static_cast<std::uint64_t>(2 * permille * 1000 + 1);
    const auto shift = static_cast<std::int64_t>(below(span)) - permille * 1000;
    return value + value * shift / 1'000'000;
}

std::int64_t Prng::exponential(std::int64_t mean) {
    return mean * static_cast<std::int64_t>(kExponentialQ16[next() >> 54]) / 65536;
}

}  // namespace wakelab
