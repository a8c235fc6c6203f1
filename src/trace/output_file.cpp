#include "trace/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace wakelab::trace {

namespace {

// The errno of the first failure; 0 if all was written. offset -1: where the descriptor stands.
int write_all(int fd, std::span<const std::byte> bytes, std::int64_t offset) {
    while (!bytes.empty()) {
        const ssize_t n = offset < 0 ? ::write(fd, bytes.data(), bytes.size())
                                     : ::pwrite(fd, bytes.data(), bytes.size(), offset);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return n < 0 ? errno : EIO;
        bytes = bytes.subspan(static_cast<std::size_t>(n));
        if (offset >= 0) offset += n;
    }
    return 0;
}

}  // namespace

Result<OutputFile> OutputFile::create(const std::string& path) {
    OutputFile file;
    file.path_ = path == "-" ? "standard output" : path;
    file.buffer_.reserve(kBuffer);
    struct stat info {};
    const bool exists = path != "-" && ::stat(path.c_str(), &info) == 0;
    if (exists && S_ISDIR(info.st_mode))
        return Error{path + ": is a directory; expected the name of a file to write"};
    if (path == "-") {
        file.fd_ = ::dup(STDOUT_FILENO);
    } else if (exists && !S_ISREG(info.st_mode)) {
        file.fd_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    } else {
        file.temporary_ = path + ".tmp";
        file.fd_ = ::open(file.temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        file.seekable_ = true;
    }
    if (file.fd_ < 0) {
        file.temporary_.clear();
        return Error{fmt::format("{}: cannot be written: {}", file.path_, std::strerror(errno))};
    }
    return file;
}

OutputFile::OutputFile(OutputFile&& other) noexcept {
    *this = std::move(other);
}

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(temporary_, other.temporary_);
    std::swap(error_, other.error_);
    std::swap(fd_, other.fd_);
    std::swap(seekable_, other.seekable_);
    std::swap(position_, other.position_);
    std::swap(buffer_, other.buffer_);
    return *this;
}

OutputFile::~OutputFile() {
    if (fd_ >= 0) ::close(fd_);
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::fail(const char* what) {
    if (error_.empty()) error_ = fmt::format("{}: {}: {}", path_, what, std::strerror(errno));
}

void OutputFile::flush() {
    if (failed()) return;
    errno = write_all(fd_, buffer_, -1);
    if (errno != 0) fail("cannot be written");
    buffer_.clear();
}

void OutputFile::write(std::span<const std::byte> bytes) {
    if (failed()) return;
    position_ += bytes.size();
    while (!bytes.empty()) {
        const std::size_t n = std::min(bytes.size(), kBuffer - buffer_.size());
        buffer_.insert(buffer_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n));
        bytes = bytes.subspan(n);
        if (buffer_.size() == kBuffer) flush();
        if (failed()) return;
    }
}

void OutputFile::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
    WK_CHECK(seekable_ && offset + bytes.size() <= position_);
    flush();
    if (failed()) return;
    errno = write_all(fd_, bytes, static_cast<std::int64_t>(offset));
    if (errno != 0) fail("cannot be written");
}

Status OutputFile::commit() {
    flush();
    if (fd_ >= 0 && ::close(fd_) != 0) fail("cannot be written");  // NFS and quotas tell here
    fd_ = -1;
    if (!failed() && !temporary_.empty()) {
        if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail("cannot take the place of the file");
        else temporary_.clear();
    }
    if (failed()) return Error{error_};
    return {};
}

}  // namespace wakelab::trace
