// The file formats that can be read, and reading a file of any of them. A new format is a reader file
// pair, a declaration here and a line in format.cpp.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "trace/input.hpp"
#include "trace/quality.hpp"
#include "trace/sink.hpp"
#include "trace/translator.hpp"

namespace wakelab::trace {

struct Format {
    std::string_view name;  // of --help and messages: "trace.dat"
    // Could a file that begins so be one? `head` is at most Input::kHeadBytes.
    bool (*matches)(std::span<const std::byte> head);
    // Reads the whole input into the translator, without finish(). An error means that nothing useful can be
    // read; damage inside a file that can be read is counted in the translator's quality.
    Status (*read)(Input& input, Translator& translator);
    // Instead of `read`, of a format that holds canonical records: begin, records and finish go to the
    // sink as they are, `quality` is the one of the recording they were made from.
    Status (*read_canonical)(Input& input, TraceSink& sink, TraceQuality& quality,
                             const Window& window) = nullptr;
};

// In the order in which they are tried.
[[nodiscard]] std::span<const Format> formats();

// Reads a trace of any format into the sink: begin, records, finish. Fills `quality`. A path may be a
// directory of raw pages (raw_pages.hpp).
[[nodiscard]] Status read_trace(const std::string& path, TraceSink& sink, TraceQuality& quality,
                                const Window& window = {});
[[nodiscard]] Status read_trace(Input& input, TraceSink& sink, TraceQuality& quality,
                                const Window& window = {});

}  // namespace wakelab::trace
