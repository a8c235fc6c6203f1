// Where the files of the source tree are that tests read.
#pragma once

#include <string>
#include <string_view>

namespace wakelab::test {

// Absolute path of a file or folder, given from the root of the source tree: "tests/data/trace".
[[nodiscard]] std::string source_path(std::string_view relative);

}  // namespace wakelab::test
