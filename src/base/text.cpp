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

}  // namespace

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
