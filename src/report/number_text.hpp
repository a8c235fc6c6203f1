// Numbers as our tables print them: fixed precision, the same on every machine.
#pragma once

#include <string>

namespace wakelab::report {

// A level (rate, time) with about four digits: 31974, 987.6, 45.61, 3.142.
[[nodiscard]] std::string level_text(double value);
// A change in percent with its sign: 0.123 -> "+12.3%".
[[nodiscard]] std::string change_text(double fraction);
// 0.094 -> "9.4 %".
[[nodiscard]] std::string percent_text(double fraction);
// Rounded to six digits behind the point, for JSON.
[[nodiscard]] double json_number(double value);

}  // namespace wakelab::report
