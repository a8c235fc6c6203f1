#include "cli/write_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace wakelab::cli {

namespace {

bool write_all(int fd, std::string_view content) {
    while (!content.empty()) {
        const ssize_t n = ::write(fd, content.data(), content.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        content.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

}  // namespace

Status write_file(const std::string& path, std::string_view content) {
    const auto failed = [&] {
        return Error{fmt::format("{}: cannot be written: {}", path, std::strerror(errno))};
    };
    const std::string temporary = fmt::format("{}.{}.tmp", path, ::getpid());
    const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) return failed();
    const bool written = write_all(fd, content) && ::fsync(fd) == 0;
    Status status = written ? Status{} : Status{failed()};
    if (::close(fd) != 0 && status) status = failed();
    if (status && std::rename(temporary.c_str(), path.c_str()) != 0) status = failed();
    if (!status) ::unlink(temporary.c_str());
    return status;
}

}  // namespace wakelab::cli
