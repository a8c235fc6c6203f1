// Text of the kernel's tracer: the files trace and trace_pipe of tracefs, what trace-cmd report prints, and
// systrace (atrace) as text or as HTML. Timestamps of trace have six digits, so latencies have a
// resolution of 1 us; trace-cmd report -t prints nine.
#pragma once

#include <cstddef>
#include <span>

#include "base/result.hpp"
#include "trace/input.hpp"
#include "trace/translator.hpp"

namespace wakelab::trace {

[[nodiscard]] bool is_ftrace_text(std::span<const std::byte> head);
// As Format::read. Error: a format without the time of each event, or not one event in the whole text.
[[nodiscard]] Status read_ftrace_text(Input& input, Translator& translator);

}  // namespace wakelab::trace
