// The bytes of a result file. They go to PATH.tmp beside it, which takes the file's place only when all of it
// has been written: who reads PATH sees the old file or the whole new one, never a part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace wakelab::trace {

class OutputFile {
 public:
    // "-" is standard output. Error: PATH is a directory or PATH.tmp cannot be made. What PATH names stays
    // untouched until commit(); a device or pipe (/dev/null, /dev/stdout) is written to directly.
    static Result<OutputFile> create(const std::string& path);

    OutputFile(OutputFile&& other) noexcept;
    OutputFile& operator=(OutputFile&& other) noexcept;
    ~OutputFile();  // removes PATH.tmp unless committed

    // Buffered. A failure (full disk, closed pipe) is kept for commit(); later calls then do nothing, so
    // that a writer need not look at each call. failed() lets a long run stop early.
    void write(std::span<const std::byte> bytes);
    void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
    // Overwrites what was written before, for sizes known late; [offset, offset + size) must be below
    // position(). Only where seekable().
    void write_at(std::uint64_t offset, std::span<const std::byte> bytes);

    [[nodiscard]] std::uint64_t position() const { return position_; }  // bytes written so far
    [[nodiscard]] bool seekable() const { return seekable_; }
    [[nodiscard]] bool failed() const { return !error_.empty(); }
    [[nodiscard]] const std::string& path() const { return path_; }

    // Once, at the end: the file is complete. Error: the first failure, or the rename's.
    Status commit();

 private:
    static constexpr std::size_t kBuffer = 1u << 18;

    OutputFile() = default;
    void flush();
    void fail(const char* what);

    std::string path_;
    std::string temporary_;  // empty: written directly, or committed
    std::string error_;
    int fd_ = -1;
    bool seekable_ = false;
    std::uint64_t position_ = 0;
    std::vector<std::byte> buffer_;
};

}  // namespace wakelab::trace
