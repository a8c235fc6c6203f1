// Reads perf.data, as a file or from a pipe (perf record -o -): tracepoints (perf record -e 'sched:*', perf
// sched record) and, without sched_switch among them, the context switches of perf record --switch-events.
#pragma once

#include <cstddef>
#include <span>

#include "base/result.hpp"
#include "trace/input.hpp"
#include "trace/translator.hpp"

namespace wakelab::trace {

[[nodiscard]] bool is_perf_data(std::span<const std::byte> head);
// Error: no scheduler events can be read from it; says what is missing. See format.hpp.
[[nodiscard]] Status read_perf_data(Input& input, Translator& translator);

}  // namespace wakelab::trace
