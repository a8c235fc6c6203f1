// Reader of trace.dat, versions 6 and 7, as trace-cmd and KernelShark write it: trace-cmd.dat.v6(5), .v7(5).
//
// Reads both byte orders, any page size and kernel long size, files compressed with zstd or zlib. Of a file
// with several tracing instances the main one is read, or, if that is empty, the first with events; a note
// names the others. Files of latency tracers (text inside) are refused. Memory: one block of pages per CPU.
// Times are what `trace-cmd report` prints: with the offsets and the TSC scale of the file applied.
#pragma once

#include <cstddef>
#include <span>

#include "base/result.hpp"
#include "trace/input.hpp"
#include "trace/translator.hpp"

namespace wakelab::trace {

[[nodiscard]] bool matches_trace_dat(std::span<const std::byte> head);

// Spools an input that is no file. Error: not of these versions, no formats or events, text only, or
// compressed by something else. Damaged pages are counted, and what they held is reported as lost.
[[nodiscard]] Status read_trace_dat(Input& input, Translator& translator);

}  // namespace wakelab::trace
