// Load weights of CFS and the fixed-point arithmetic on them (cfs.md 1.2, 1.3). All products wrap
// at 64 bits as the kernel's do; nothing here may be "simplified" into a division.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace wakelab::policy::cfs {

inline constexpr std::uint64_t kNice0Load = 1024;
// Inverse of a nice-0 weight as tabulated, not as inverse() computes it.
inline constexpr std::uint64_t kNice0Inverse = 4194304;

// A weight with its cached 2^32/weight. Weights of tasks come with a tabulated inverse; that of a
// queue's sum is 0 until cdm() needs it.
struct LoadWeight {
    std::uint64_t weight = 0;
    std::uint64_t inv = 0;

    void add(std::uint64_t w) {
        weight += w;
        inv = 0;
    }
    void sub(std::uint64_t w) {
        weight -= w;
        inv = 0;
    }
};

// prio_to_weight and prio_to_wmult, index nice + 20.
inline constexpr std::array<LoadWeight, 40> kNiceLoad = {{
    {88761, 48388},  {71755, 59856},  {56483, 76040},  {46273, 92818},  {36291, 118348},
    {29154, 147320}, {23254, 184698}, {18705, 229616}, {14949, 287308}, {11916, 360437},
    {9548, 449829},  {7620, 563644},  {6100, 704093},  {4904, 875809},  {3906, 1099582},
    {3121, 1376151}, {2501, 1717300}, {1991, 2157191}, {1586, 2708050}, {1277, 3363326},
    {1024, 4194304}, {820, 5237765},  {655, 6557202},  {526, 8165337},  {423, 10153587},
    {335, 12820798}, {272, 15790321}, {215, 19976592}, {172, 24970740}, {137, 31350126},
    {110, 39045157}, {87, 49367440},  {70, 61356676},  {56, 76695844},  {45, 95443717},
    {36, 119304647}, {29, 148102320}, {23, 186737708}, {18, 238609294}, {15, 286331153},
}};

// A real-time task in the load of its runqueue.
inline constexpr LoadWeight kRtLoad = {2 * 88761, 48388 >> 1};

// SCHED_IDLE. Up to 2.6.28 the inverse is a negative 32-bit constant that a 64-bit kernel
// sign-extends: one accounting step throws an idle-policy task seconds to days ahead (cfs.md 1.2).
inline constexpr LoadWeight kIdlePolicyLoadSignExtended = {2, 0xffff'ffff'8000'0000};
inline constexpr LoadWeight kIdlePolicyLoad = {3, 1431655765};

// How a version computes the inverse of a weight that has none tabulated (cfs.md 1.3).
enum class InverseRule : std::uint8_t {
    kExact,         // V23, V24
    kShort,         // V25: divides by W + 1
    kShortPlusOne,  // V26A and later
};

constexpr std::uint64_t inverse_of(std::uint64_t weight, InverseRule rule) {
    const std::uint64_t numerator = (1ull << 32) - weight / 2;
    if (rule == InverseRule::kExact) return numerator / weight + 1;
    const std::uint64_t quotient = numerator / (weight + 1);
    return rule == InverseRule::kShort ? quotient : quotient + 1;
}

constexpr std::uint64_t shift_right_rounded(std::uint64_t x, unsigned shift) {
    return (x + (1ull << (shift - 1))) >> shift;
}

// calc_delta_mine(): about delta * weight / lw.weight. Fills lw.inv when it is missing.
constexpr std::uint64_t cdm(std::uint64_t delta, std::uint64_t weight, LoadWeight& lw,
                            InverseRule rule) {
    if (lw.inv == 0) [[unlikely]]
        lw.inv = inverse_of(lw.weight, rule);
    const std::uint64_t product = delta * weight;
    const std::uint64_t result =
        product > (1ull << 32) ? shift_right_rounded(shift_right_rounded(product, 16) * lw.inv, 16)
                               : shift_right_rounded(product * lw.inv, 32);
    return std::min<std::uint64_t>(result, INT64_MAX);
}

// calc_delta_fair(): wall time to virtual time of an entity. lw.inv must be known.
constexpr std::uint64_t fair_delta(std::uint64_t delta, LoadWeight& lw) {
    if (lw.weight == kNice0Load) return delta;
    return cdm(delta, kNice0Load, lw, InverseRule::kExact);
}

// Virtual times wrap: a is before b when the signed difference is negative (cfs.md 0.2).
constexpr bool before(std::uint64_t a, std::uint64_t b) {
    return static_cast<std::int64_t>(a - b) < 0;
}
constexpr std::uint64_t vruntime_max(std::uint64_t a, std::uint64_t b) {
    return before(a, b) ? b : a;
}
constexpr std::uint64_t vruntime_min(std::uint64_t a, std::uint64_t b) {
    return before(b, a) ? b : a;
}

}  // namespace wakelab::policy::cfs
