#include "trace/input.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace wakelab::trace {

Error Input::failed(const char* what) const {
    return {fmt::format("{}: {}: {}", name_, what, std::strerror(errno))};
}

Result<Input> Input::open(const std::string& path) {
    Input input;
    input.name_ = path == "-" ? "standard input" : path;
    input.fd_ = path == "-" ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (input.fd_ < 0) return input.failed("cannot be opened");
    struct stat info {};
    if (::fstat(input.fd_, &info) != 0) return input.failed("cannot be read");
    if (S_ISDIR(info.st_mode)) return Error{input.name_ + ": is a directory; expected a trace file"};
    // A file on standard input is read where the shell left its offset, so it is treated as a pipe.
    input.seekable_ = S_ISREG(info.st_mode) && path != "-";
    input.size_ = input.seekable_ ? static_cast<std::uint64_t>(info.st_size) : 0;
    if (Status s = input.fill_head(); !s) return s.error();
    if (input.head_.empty()) return Error{input.name_ + ": is empty; expected a trace"};
    return input;
}

Input Input::of_bytes(std::vector<std::byte> bytes, std::string name) {
    Input input;
    input.name_ = std::move(name);
    input.bytes_ = std::move(bytes);
    input.in_memory_ = input.seekable_ = true;
    input.size_ = input.bytes_.size();
    input.head_.assign(input.bytes_.begin(),
                       input.bytes_.begin() + static_cast<std::ptrdiff_t>(
                                                  std::min(kHeadBytes, input.bytes_.size())));
    return input;
}

Input::Input(Input&& other) noexcept {
    *this = std::move(other);
}

Input& Input::operator=(Input&& other) noexcept {
    std::swap(name_, other.name_);
    std::swap(fd_, other.fd_);
    std::swap(seekable_, other.seekable_);
    std::swap(head_, other.head_);
    std::swap(bytes_, other.bytes_);
    std::swap(in_memory_, other.in_memory_);
    std::swap(position_, other.position_);
    std::swap(size_, other.size_);
    return *this;
}

Input::~Input() {
    if (fd_ >= 0) ::close(fd_);
}

Status Input::fill_head() {
    head_.resize(kHeadBytes);
    const auto n = read_file(head_, seekable_ ? 0 : -1);
    if (!n) return n.error();
    head_.resize(*n);
    return {};
}

// offset -1: wherever the descriptor stands.
Result<std::size_t> Input::read_file(std::span<std::byte> out, std::int64_t offset) const {
    std::size_t done = 0;
    while (done < out.size()) {
        const ssize_t n = offset < 0 ? ::read(fd_, out.data() + done, out.size() - done)
                                     : ::pread(fd_, out.data() + done, out.size() - done,
                                               offset + static_cast<std::int64_t>(done));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return failed("cannot be read");
        if (n == 0) break;
        done += static_cast<std::size_t>(n);
    }
    return done;
}

Result<std::size_t> Input::read(std::span<std::byte> out) {
    if (seekable_) {
        const auto n = read_at(position_, out);
        if (n) position_ += *n;
        return n;
    }
    std::size_t done = 0;
    if (position_ < head_.size()) {
        done = std::min(out.size(), head_.size() - static_cast<std::size_t>(position_));
        std::copy_n(head_.data() + position_, done, out.data());
    }
    const auto n = read_file(out.subspan(done), -1);
    if (!n) return n;
    position_ += done + *n;
    return done + *n;
}

Result<std::size_t> Input::read_at(std::uint64_t offset, std::span<std::byte> out) const {
    WK_CHECK(seekable_);
    if (!in_memory_) {
        if (offset > INT64_MAX - out.size()) return std::size_t{0};
        return read_file(out, static_cast<std::int64_t>(offset));
    }
    if (offset >= bytes_.size()) return std::size_t{0};
    const std::size_t n = std::min<std::size_t>(out.size(), bytes_.size() - offset);
    std::copy_n(bytes_.data() + offset, n, out.data());
    return n;
}

Status Input::make_seekable() {
    if (seekable_) return {};
    std::FILE* spool = std::tmpfile();
    if (spool == nullptr) return failed("no temporary file to hold what comes in");
    const int fd = ::dup(fileno(spool));
    std::fclose(spool);
    std::vector<std::byte> buffer(1u << 20);
    std::uint64_t total = 0;
    position_ = 0;
    while (true) {
        const auto n = read(buffer);
        if (!n) { ::close(fd); return n.error(); }
        for (std::size_t done = 0; done < *n;) {
            const ssize_t w = ::write(fd, buffer.data() + done, *n - done);
            if (w < 0 && errno == EINTR) continue;
            if (w <= 0) { ::close(fd); return failed("cannot be held in a temporary file"); }
            done += static_cast<std::size_t>(w);
        }
        total += *n;
        if (*n < buffer.size()) break;
    }
    ::close(fd_);
    fd_ = fd;
    size_ = total;
    position_ = 0;
    seekable_ = true;
    return {};
}

}  // namespace wakelab::trace
