// Bytes of a trace: a file, or standard input ("-"). Sequential reading works for both and holds a buffer
// only; reading anywhere needs a file, so standard input is spooled to an unnamed temporary file first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace wakelab::trace {

class Input {
 public:
    // Error: cannot be opened, is a directory, or is empty.
    static Result<Input> open(const std::string& path);
    // For tests and fuzzers: these bytes, as if they were a file.
    static Input of_bytes(std::vector<std::byte> bytes, std::string name = "input");

    Input(Input&&) noexcept;
    Input& operator=(Input&&) noexcept;
    ~Input();

    [[nodiscard]] const std::string& name() const { return name_; }  // for messages
    // The first bytes, at most kHeadBytes; does not consume them.
    static constexpr std::size_t kHeadBytes = 65536;
    [[nodiscard]] std::span<const std::byte> head() const { return head_; }

    // Next bytes in order, as many as fit; fewer only at the end.
    Result<std::size_t> read(std::span<std::byte> out);
    // Allows read_at() and size(). Spools standard input (after which read() starts over).
    Status make_seekable();
    [[nodiscard]] bool is_seekable() const { return seekable_; }
    [[nodiscard]] std::uint64_t size() const { return size_; }
    // Bytes at `offset`, as many as there are; make_seekable() before.
    Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) const;
    // Again from the first byte; make_seekable() before.
    void rewind() { position_ = 0; }

 private:
    Input() = default;
    Status fill_head();
    Result<std::size_t> read_file(std::span<std::byte> out, std::int64_t offset) const;
    [[nodiscard]] Error failed(const char* what) const;

    std::string name_;
    int fd_ = -1;
    bool seekable_ = false;
    std::vector<std::byte> head_;
    std::vector<std::byte> bytes_;  // of_bytes
    bool in_memory_ = false;
    std::uint64_t position_ = 0;
    std::uint64_t size_ = 0;
};

}  // namespace wakelab::trace
