#include "live/unnamed_file.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>

namespace wakelab::live {

Result<Fd> unnamed_file(const std::string& folder) {
    Fd file(::open(folder.c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, 0600));
    if (file) return file;
    // NFS, overlayfs of old kernels and FUSE have no O_TMPFILE.
    std::string name = folder + "/.wakelab-XXXXXX";
    file = Fd(::mkostemp(name.data(), O_CLOEXEC));
    if (!file) return Error{fmt::format("{}: cannot be written: {}", folder, std::strerror(errno))};
    ::unlink(name.c_str());
    return file;
}

Error cannot_hold(const std::string& folder, int error) {
    return Error{fmt::format("{}: cannot hold the recording: {}", folder, std::strerror(error))};
}

}  // namespace wakelab::live
