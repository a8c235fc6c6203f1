// Counts the calls of the global operator new of the program it is linked into.
#pragma once

#include <cstdint>

namespace wakelab::bench {

// Since the program started, all threads.
[[nodiscard]] std::uint64_t allocations();

}  // namespace wakelab::bench
