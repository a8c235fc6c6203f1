// C++ without what is not code: a small lexer that the checks on tokens and braces need.
#pragma once

#include <string>
#include <vector>

namespace wakelab::tidy {

// The same lines with comments and the inside of string and character literals replaced by blanks,
// so that columns and line numbers stay. The path of an #include line is kept.
[[nodiscard]] std::vector<std::string> strip_code(const std::vector<std::string>& lines);

}  // namespace wakelab::tidy
