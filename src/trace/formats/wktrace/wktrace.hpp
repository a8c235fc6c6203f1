// Reader of wktrace, wakelab's own format (wktrace_file.hpp): canonical records as they were written, those
// that only simulations have included.
#pragma once

#include <cstddef>
#include <span>

#include "base/result.hpp"
#include "trace/input.hpp"
#include "trace/quality.hpp"
#include "trace/sink.hpp"
#include "trace/translator.hpp"

namespace wakelab::trace {

[[nodiscard]] bool is_wktrace(std::span<const std::byte> head);

// As Format::read_canonical. Of a file that ends early or is damaged, the whole chunks before that are used
// and quality.truncated is set. What a sink may rely on is checked: records in time order, of CPUs and
// tasks that were announced; others are left out and counted as damaged.
// The window counts from the start of the counted part in the file.
// Error: another version, or no whole first chunk.
[[nodiscard]] Status read_wktrace(Input& input, TraceSink& sink, TraceQuality& quality,
                                  const Window& window);

}  // namespace wakelab::trace
