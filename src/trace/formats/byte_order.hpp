// Loads of numbers in the byte order of the traced machine, from addresses of any alignment.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace wakelab::trace {

[[nodiscard]] constexpr bool needs_swap(bool big_endian) {
    return big_endian != (std::endian::native == std::endian::big);
}

[[nodiscard]] inline std::uint16_t load_u16(const std::byte* at, bool swap) {
    std::uint16_t v;
    std::memcpy(&v, at, sizeof v);
    return swap ? __builtin_bswap16(v) : v;
}

[[nodiscard]] inline std::uint32_t load_u32(const std::byte* at, bool swap) {
    std::uint32_t v;
    std::memcpy(&v, at, sizeof v);
    return swap ? __builtin_bswap32(v) : v;
}

[[nodiscard]] inline std::uint64_t load_u64(const std::byte* at, bool swap) {
    std::uint64_t v;
    std::memcpy(&v, at, sizeof v);
    return swap ? __builtin_bswap64(v) : v;
}

}  // namespace wakelab::trace
