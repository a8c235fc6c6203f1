// A file descriptor that closes itself.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <utility>

namespace wakelab::live {

class Fd {
 public:
    Fd() = default;
    explicit Fd(int fd) : fd_(fd) {}
    Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Fd& operator=(Fd&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~Fd() { reset(); }

    void reset() {
        if (fd_ >= 0) ::close(std::exchange(fd_, -1));
    }
    [[nodiscard]] int get() const { return fd_; }
    explicit operator bool() const { return fd_ >= 0; }

 private:
    int fd_ = -1;
};

// A system call again for as long as signals interrupt it.
template <class Call>
auto retried(Call call) {
    auto result = call();
    while (result < 0 && errno == EINTR) result = call();
    return result;
}

// False: errno says why not all of it was written.
inline bool write_whole(const Fd& fd, const void* bytes, std::size_t size) {
    const auto* at = static_cast<const char*>(bytes);
    while (size > 0) {
        const ssize_t n = retried([&] { return ::write(fd.get(), at, size); });
        if (n == 0) errno = EIO;
        if (n <= 0) return false;
        at += n;
        size -= static_cast<std::size_t>(n);
    }
    return true;
}

// The whole of a file of /proc, /sys or tracefs (whose sizes are not known before they are read);
// `error` is its errno if it cannot be read. At most `limit` bytes.
inline std::string read_pseudo_file(const std::string& path, int& error,
                                    std::size_t limit = 1u << 22) {
    std::string text;
    error = 0;
    const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd) {
        error = errno;
        return text;
    }
    char buffer[16384];
    while (text.size() < limit) {
        const ssize_t n = ::read(fd.get(), buffer, sizeof buffer);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) error = errno;
        if (n <= 0) break;
        text.append(buffer, static_cast<std::size_t>(n));
    }
    return text;
}

inline std::string read_pseudo_file(const std::string& path) {
    int error = 0;
    return read_pseudo_file(path, error);
}

}  // namespace wakelab::live
