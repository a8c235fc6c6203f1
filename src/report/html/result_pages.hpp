// One page per kind of result file. Each takes the parsed object; what it lacks is left out.
#pragma once

#include <string>

#include "report/html/json_view.hpp"

namespace wakelab::report::html {

[[nodiscard]] std::string compare_page(const Json& result, const std::string& title);
[[nodiscard]] std::string validate_page(const Json& result, const std::string& title);
[[nodiscard]] std::string run_page(const Json& result, const std::string& title);
[[nodiscard]] std::string explain_page(const Json& result, const std::string& title);
[[nodiscard]] std::string search_page(const Json& result, const std::string& title);

}  // namespace wakelab::report::html
