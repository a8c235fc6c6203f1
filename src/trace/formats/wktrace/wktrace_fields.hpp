// TraceInfo and TraceQuality in wktrace: a list of named fields with their sizes, so that a reader skips what
// it does not know and a missing field keeps its default.
#pragma once

#include "trace/formats/wktrace/wktrace_bytes.hpp"
#include "trace/quality.hpp"
#include "trace/sink.hpp"

namespace wakelab::trace {

void write_info(const TraceInfo& info, ByteWriter& out);
void write_quality(const TraceQuality& quality, ByteWriter& out);

// False: damaged, or numbers out of range (more CPUs than kMaxCpus, masks or caches of nobody).
[[nodiscard]] bool read_info(ByteReader& in, TraceInfo& info);
[[nodiscard]] bool read_quality(ByteReader& in, TraceQuality& quality);

}  // namespace wakelab::trace
