// Text of strangers made fit for an HTML page, and numbers as the pages print them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace wakelab::report::html {

// & < > " ' as entities: for text and for attribute values in quotes.
[[nodiscard]] std::string escaped(std::string_view text);
// Bytes (task names, files): printable() first, then escaped().
[[nodiscard]] std::string shown(std::string_view bytes);

// JSON or other text for a <script> element: no '<' is left in it, so nothing can end the element.
[[nodiscard]] std::string for_script(std::string_view json);

// With about `digits` significant digits and thin spaces between thousands: "31 974", "987.6",
// "0.042".
[[nodiscard]] std::string number_words(double value, int digits = 4);
// All digits of a count: "1 234 567".
[[nodiscard]] std::string count_words(std::uint64_t value);
// "850 ns", "46.9 µs", "1.25 ms", "2.0 s".
[[nodiscard]] std::string time_words(double ns);
// 0.4736 -> "47.4 %".
[[nodiscard]] std::string share_words(double share);
// 0.123 -> "+12.3 %", with a real minus sign.
[[nodiscard]] std::string change_words(double fraction);
// "2.9 MB".
[[nodiscard]] std::string size_words(std::uint64_t bytes);

// A coordinate of an SVG: one digit behind the point, none when it is 0.
[[nodiscard]] std::string px(double value);

}  // namespace wakelab::report::html
