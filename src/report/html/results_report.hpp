// A page of the result file of another command.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace wakelab::report {

// `json`: what `wakelab compare`, `validate`, `run`, `explain` or `search` print with --json; the
// kind is found by content. `title`: bytes; empty: chosen. The page needs neither network nor
// scripts. Error: not JSON, or none of these.
[[nodiscard]] Result<std::string> results_report(std::string_view json, const std::string& title);

// Could a file that begins so be a result file (and not a trace)?
[[nodiscard]] bool looks_like_results(std::string_view beginning);

}  // namespace wakelab::report
