// A trace of any format that can be read to one of any format that can be written.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "trace/quality.hpp"
#include "trace/translator.hpp"

namespace wakelab::trace {

struct ConvertOptions {
    std::optional<std::string> format;  // name of a writer; nothing: by the extension of the target
    // Only events in the window are written. The first task of a CPU is then known from its first switch.
    Window window;
};

// "-" is standard input or output. Fills `quality` with what is known of the source.
// Error: no such format, `from` cannot be read, `to` cannot be written; `to` is as it was then.
[[nodiscard]] Status convert(const std::string& from, const std::string& to, TraceQuality& quality,
                             const ConvertOptions& options = {});

}  // namespace wakelab::trace
