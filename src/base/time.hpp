// Simulated time: integer nanoseconds since the start of the run. A Time is an instant, a Duration a
// distance; mixing them up does not compile. Range: +-292 years, so no sum in a run can overflow.
#pragma once

#include <compare>
#include <cstdint>

namespace wakelab {

struct Duration {
    std::int64_t ns = 0;
    auto operator<=>(const Duration&) const = default;
};

struct Time {
    std::int64_t ns = 0;
    auto operator<=>(const Time&) const = default;
};

constexpr Duration operator+(Duration a, Duration b) { return {a.ns + b.ns}; }
constexpr Duration operator-(Duration a, Duration b) { return {a.ns - b.ns}; }
constexpr Duration operator*(Duration a, std::int64_t n) { return {a.ns * n}; }
constexpr Duration& operator+=(Duration& a, Duration b) { return a = a + b; }
constexpr Duration& operator-=(Duration& a, Duration b) { return a = a - b; }
constexpr Time operator+(Time t, Duration d) { return {t.ns + d.ns}; }
constexpr Time operator-(Time t, Duration d) { return {t.ns - d.ns}; }
constexpr Duration operator-(Time a, Time b) { return {a.ns - b.ns}; }

inline namespace literals {
constexpr Duration operator""_ns(unsigned long long n) { return {static_cast<std::int64_t>(n)}; }
constexpr Duration operator""_us(unsigned long long n) {
    return {static_cast<std::int64_t>(n) * 1'000};
}
constexpr Duration operator""_ms(unsigned long long n) {
    return {static_cast<std::int64_t>(n) * 1'000'000};
}
constexpr Duration operator""_s(unsigned long long n) {
    return {static_cast<std::int64_t>(n) * 1'000'000'000};
}
}  // namespace literals

}  // namespace wakelab
