// A number in the bytes of a file.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

namespace wakelab::test {

[[nodiscard]] inline std::uint64_t u64_at(const std::string& bytes, std::size_t at) {
    std::uint64_t v = 0;
    std::memcpy(&v, bytes.data() + at, sizeof v);
    return v;
}

}  // namespace wakelab::test
