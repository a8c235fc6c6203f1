// Where a recording waits while it runs: files without names, so that nothing is left behind
// however the recorder ends.
#pragma once

#include <string>

#include "base/result.hpp"
#include "live/fd.hpp"

namespace wakelab::live {

// A file without a name in `folder`, open for reading and writing.
[[nodiscard]] Result<Fd> unnamed_file(const std::string& folder);
// It could not be written to: a full disk.
[[nodiscard]] Error cannot_hold(const std::string& folder, int error);

}  // namespace wakelab::live
