// Numbers and names as they stand in sentences.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/place_rule.hpp"

namespace wakelab::diag {

// 11234 -> "11 200": three digits, thousands apart; below 100 one decimal if there is one.
[[nodiscard]] std::string rate_words(double value);
// 11234 -> "11 234"
[[nodiscard]] std::string count_words(std::uint64_t value);
// 0.974 -> "97 %", 0.0042 -> "0.4 %", 0.0002 -> "less than 0.1 %"
[[nodiscard]] std::string share_words(double share);
// "840 ns", "17.3 µs", "3.2 ms", "1.5 s"
[[nodiscard]] std::string duration_words(double ns);
// {0, 2, 3, 4} -> "CPUs 0, 2-4"
[[nodiscard]] std::string cpu_words(const std::vector<std::uint32_t>& cpus);
// A moment since the start: "0.001234 s"
[[nodiscard]] std::string moment_words(std::int64_t ns);
// "1 task", "8 tasks"
[[nodiscard]] std::string plural(std::uint64_t count, std::string_view noun);
// What the rule does, as a clause that follows "because" or "by".
[[nodiscard]] std::string_view rule_words(PlaceRule rule);

}  // namespace wakelab::diag
