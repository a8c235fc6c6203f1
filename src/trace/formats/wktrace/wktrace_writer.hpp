// Writer of wktrace (wktrace_file.hpp). Streams: holds one chunk.
#pragma once

#include <memory>
#include <string>

#include "base/result.hpp"
#include "trace/formats/writer.hpp"

namespace wakelab::trace {

// As WriterFormat::open.
[[nodiscard]] Result<std::unique_ptr<TraceWriter>> open_wktrace_writer(const std::string& path,
                                                                       const TraceQuality& quality);

}  // namespace wakelab::trace
