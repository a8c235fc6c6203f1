// Reads what perf script prints of tracepoints: its own choice of fields, or any with tid, cpu, time, event
// and trace. Times have six digits, so latencies a resolution of 1 us; with perf script --ns nine.
#pragma once

#include <cstddef>
#include <span>

#include "base/result.hpp"
#include "trace/input.hpp"
#include "trace/translator.hpp"

namespace wakelab::trace {

[[nodiscard]] bool is_perf_script(std::span<const std::byte> head);
// As Format::read. Error: no CPU in the lines, or not one event in the whole text.
[[nodiscard]] Status read_perf_script(Input& input, Translator& translator);

}  // namespace wakelab::trace
