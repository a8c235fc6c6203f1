// Small text helpers for error lines and arguments.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wakelab {

// Fields between separators; an empty text has one empty field.
[[nodiscard]] std::vector<std::string> split(std::string_view text, char separator);
// The whole text as a decimal integer; nothing if it is anything else or out of range.
[[nodiscard]] std::optional<std::int64_t> parse_int(std::string_view text);
// "a, b or c" of the candidates closest to `word`, at most three; for "did you mean" lines.
[[nodiscard]] std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

// Bytes that a stranger chose (task names), fit for a terminal, a table or JSON: valid UTF-8 that prints
// stays, every other byte and the backslash become \xNN.
[[nodiscard]] std::string printable(std::string_view bytes);

}  // namespace wakelab
