// Reads Perfetto traces: the ftrace events of their packets, in individual and compact form, and what the
// process tree and the system information tell. Everything else is stepped over. Memory: one packet
// (16 MB at most) and the reorder buffer.
#pragma once

#include <cstddef>
#include <span>

#include "base/result.hpp"
#include "trace/input.hpp"
#include "trace/translator.hpp"

namespace wakelab::trace {

// Whole packets with a packet's fields at the beginning.
[[nodiscard]] bool is_perfetto(std::span<const std::byte> head);
// Error: the input cannot be read, or holds no ftrace events.
[[nodiscard]] Status read_perfetto(Input& input, Translator& translator);

}  // namespace wakelab::trace
