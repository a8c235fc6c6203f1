#include "report/html/html_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"

namespace wakelab::report::html {

namespace {

constexpr std::string_view kThinSpace = "\u202f";
constexpr std::string_view kMinus = "\u2212";

// "1234567.8" -> "1 234 567.8"; four digits stay together.
std::string with_spaces(const std::string& digits) {
    const std::size_t whole = std::min(digits.find('.'), digits.size());
    if (whole <= 4) return digits;
    std::string text;
    for (std::size_t i = 0; i < whole; ++i) {
        if (i > 0 && (whole - i) % 3 == 0) text += kThinSpace;
        text += digits[i];
    }
    return text + digits.substr(whole);
}

}  // namespace

std::string escaped(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    for (const char c : text) switch (c) {
            case '&':
                result += "&amp;";
                break;
            case '<':
                result += "&lt;";
                break;
            case '>':
                result += "&gt;";
                break;
            case '"':
                result += "&quot;";
                break;
            case '\'':
                result += "&#39;";
                break;
            default:
                result += c;
        }
    return result;
}

std::string shown(std::string_view bytes) {
    return escaped(printable(bytes));
}

std::string for_script(std::string_view json) {
    std::string result;
    result.reserve(json.size());
    for (const char c : json)
        if (c == '<')
            result += "\\u003c";
        else
            result += c;
    return result;
}

std::string number_words(double value, int digits) {
    if (!std::isfinite(value)) return "–";
    const double size = std::abs(value);
    if (size == 0) return "0";
    const int magnitude = static_cast<int>(std::floor(std::log10(size)));
    const int behind = std::clamp(digits - 1 - magnitude, 0, 6);
    std::string text = fmt::format("{:.{}f}", size, behind);
    if (behind > 0) {
        text.erase(text.find_last_not_of('0') + 1);
        if (text.back() == '.') text.pop_back();
    }
    return (value < 0 ? std::string(kMinus) : std::string()) + with_spaces(text);
}

std::string count_words(std::uint64_t value) {
    return with_spaces(fmt::format("{}", value));
}

std::string time_words(double ns) {
    struct Unit {
        double ns;
        const char* name;
    };
    constexpr Unit kUnits[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}};
    for (const Unit& u : kUnits)
        if (std::abs(ns) >= u.ns) return number_words(ns / u.ns, 3) + "\u00a0" + u.name;
    return number_words(ns, 3) + "\u00a0ns";
}

std::string share_words(double share) {
    return fmt::format("{:.1f}\u00a0%", share * 100);
}

std::string change_words(double fraction) {
    return fmt::format("{}{:.1f}\u00a0%", fraction < 0 ? kMinus : "+", std::abs(fraction) * 100);
}

std::string size_words(std::uint64_t bytes) {
    if (bytes >= 1'000'000) return fmt::format("{:.1f}\u00a0MB", static_cast<double>(bytes) / 1e6);
    return fmt::format("{}\u00a0kB", (bytes + 999) / 1000);
}

std::string px(double value) {
    if (!std::isfinite(value)) return "0";
    std::string text = fmt::format("{:.1f}", value);
    if (text.ends_with(".0")) text.resize(text.size() - 2);
    return text == "-0" ? "0" : text;
}

}  // namespace wakelab::report::html
