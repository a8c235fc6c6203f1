#include "report/finding_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "diag/words.hpp"
#include "report/text_table.hpp"

namespace wakelab::report {

namespace {

using diag::share_words;

constexpr std::size_t kWidth = 96;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Length of the first word; "97 %" and "11 200" are one.
std::size_t word_length(std::string_view text) {
    std::size_t end = text.find(' ');
    while (end != std::string_view::npos && end > 0 && end + 1 < text.size()) {
        const char next = text[end + 1];
        if (!is_digit(text[end - 1]) || (next != '%' && !is_digit(next))) return end;
        end = text.find(' ', end + 1);
    }
    return std::min(end, text.size());
}

std::string joined(const std::vector<std::string>& sentences) {
    std::string text;
    for (const std::string& s : sentences) text += (text.empty() ? "" : " ") + s;
    return text;
}

}  // namespace

std::string paragraph(std::string_view text, std::string_view first, std::string_view indent) {
    std::string result{first};
    std::size_t column = display_width(first);
    bool line_start = true;
    while (!text.empty()) {
        const std::string_view word = text.substr(0, word_length(text));
        const std::size_t width = display_width(word);
        if (!line_start && column + 1 + width > kWidth) {
            result += fmt::format("\n{}", indent);
            column = display_width(indent);
            line_start = true;
        }
        if (!line_start) result += ' ';
        column += width + (line_start ? 0 : 1);
        result += word;
        line_start = false;
        text.remove_prefix(std::min(word.size() + 1, text.size()));
    }
    return result + "\n";
}

std::string finding_text(const diag::Finding& f, std::size_t number, bool with_cases) {
    std::string note = fmt::format("confidence {}", diag::to_string(f.confidence));
    if (f.explains && *f.explains > 0)
        note += fmt::format(", costs {} of the machine", share_words(*f.explains));
    std::string text =
        paragraph(printable(fmt::format("{} ({})", f.title, note)), fmt::format("{}. ", number), "   ");
    text += paragraph(printable(joined(f.symptom)), "   ", "   ");
    if (with_cases)
        for (const diag::ConcreteCase& c : f.cases)
            text += paragraph(printable(fmt::format("{}: {}.", diag::moment_words(c.at_ns), c.words)),
                              "   At ", "      ");
    for (const diag::Experiment& e : f.experiments)
        text += paragraph(printable(fmt::format("{} - {}", e.arguments(), e.why)), "   Try: ", "        ");
    return text;
}

}  // namespace wakelab::report
