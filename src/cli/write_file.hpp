// Output files: complete or not there.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace wakelab::cli {

// Writes to a temporary file in the same folder and renames it, so that a reader never sees half a
// file. Error: one line with the path and the reason; nothing is left behind then.
[[nodiscard]] Status write_file(const std::string& path, std::string_view content);

}  // namespace wakelab::cli
