#include "metrics/kernel_threads.hpp"

#include <algorithm>

namespace wakelab::metrics {

namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

}  // namespace

std::optional<std::uint32_t> cpu_in_name(std::string_view name) {
    constexpr std::size_t kMaxDigits = 4;
    const std::size_t slash = name.find('/');
    if (slash == 0 || slash == std::string_view::npos) return {};
    const auto is_lower = [](char c) { return (c >= 'a' && c <= 'z') || c == '_' || c == '-'; };
    if (!std::ranges::all_of(name.substr(0, slash), is_lower)) return {};
    std::string_view rest = name.substr(slash + 1);
    std::uint32_t cpu = 0;
    std::size_t digits = 0;
    for (; digits < rest.size() && is_digit(rest[digits]); ++digits) {
        if (digits == kMaxDigits) return {};
        cpu = cpu * 10 + static_cast<std::uint32_t>(rest[digits] - '0');
    }
    if (digits == 0) return {};
    rest.remove_prefix(digits);
    // Of workers a number and the kind of pool follow.
    if (!rest.empty() && (rest[0] != ':' || !name.starts_with("kworker/"))) return {};
    return cpu;
}

}  // namespace wakelab::metrics
