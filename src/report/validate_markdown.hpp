// A validation for the documentation: every cell, in Markdown.
#pragma once

#include <string>

#include "judge/validate.hpp"

namespace wakelab::report {

// Scores, then one section per experiment with one line per cell. Has no title of its own, so that
// a page can put its own words before it.
[[nodiscard]] std::string validate_markdown(const judge::ValidationReport& report);

}  // namespace wakelab::report
