// The file formats that can be written. A new format is a writer file pair with an open function and a
// line in writer.cpp.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "trace/quality.hpp"
#include "trace/sink.hpp"

namespace wakelab::trace {

// A sink that makes a file. Nothing is at its place before close().
class TraceWriter : public TraceSink {
 public:
    // Once, after finish(). Error: the first thing that could not be written; there is no file then.
    virtual Status close() = 0;
};

struct WriterFormat {
    std::string_view name;                          // of --to and messages: "perfetto"
    std::span<const std::string_view> extensions;   // ".pftrace"; a path ends with one of them
    // `path` "-" is standard output. `quality` is what is known of the recording: source, clock and kernel
    // when begin() comes, all of it when close() comes; it must outlive the writer.
    Result<std::unique_ptr<TraceWriter>> (*open)(const std::string& path, const TraceQuality& quality);
};

[[nodiscard]] std::span<const WriterFormat> writer_formats();

// By name, else by the extension of `path`. Error: neither is known; lists what is.
[[nodiscard]] Result<const WriterFormat*> find_writer(const std::string& path,
                                                      const std::optional<std::string>& name = {});

}  // namespace wakelab::trace
