// What perf calls its record types, for the count of those that are not used.
#pragma once

#include <cstdint>
#include <string>

namespace wakelab::trace {

// "PERF_RECORD_MMAP2", or "perf record type 99".
[[nodiscard]] std::string perf_record_name(std::uint32_t type);

}  // namespace wakelab::trace
