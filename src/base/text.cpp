#include "base/text.hpp"

#include <algorithm>
#include <charconv>

namespace wakelab {

namespace {

// Levenshtein distance, case-sensitive; the words are short.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t above = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
            diagonal = above;
        }
    }
    return row[b.size()];
}

// Length of the UTF-8 sequence that begins here and can be printed; 0: none does (RFC 3629).
std::size_t printable_sequence(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned first = byte(0);
    if (first < 0x80) return first >= 0x20 && first != 0x7f && first != '\\' ? 1 : 0;
    const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
    std::uint32_t code = first & (0x7fu >> length);
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0) != 0x80) return 0;
        code = code << 6 | (byte(i) & 0x3f);
    }
    const bool overlong = code < (length == 4 ? 0x10000u : length == 3 ? 0x800u : 0x80u);
    const bool surrogate = code >= 0xd800 && code <= 0xdfff;
    const bool control = code < 0xa0;
    return overlong || surrogate || control || code > 0x10ffff ? 0 : length;
}

}  // namespace

std::string printable(std::string_view bytes) {
    static constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    while (!bytes.empty()) {
        const std::size_t n = printable_sequence(bytes);
        if (n == 0) {
            const auto byte = static_cast<unsigned char>(bytes.front());
            text += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
        }
        text += bytes.substr(0, n);
        bytes.remove_prefix(n == 0 ? 1 : n);
    }
    return text;
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    std::size_t begin = 0;
    while (true) {
        const std::size_t end = text.find(separator, begin);
        parts.emplace_back(text.substr(begin, end == text.npos ? text.npos : end - begin));
        if (end == text.npos) return parts;
        begin = end + 1;
    }
}

std::optional<std::int64_t> parse_int(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return {};
    return value;
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
    std::vector<std::pair<std::size_t, std::string>> ranked;
    for (const std::string& c : candidates) ranked.emplace_back(edit_distance(word, c), c);
    std::ranges::sort(ranked);
    std::string text;
    const std::size_t n = std::min<std::size_t>(3, ranked.size());
    for (std::size_t i = 0; i < n; ++i) {
        if (i > 0) text += i + 1 == n ? " or " : ", ";
        text += ranked[i].second;
    }
    return text;
}

}  // namespace wakelab
