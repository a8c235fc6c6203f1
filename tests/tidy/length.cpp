#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "tidy/checks.hpp"

namespace wakelab::tidy {

namespace {

constexpr std::size_t kFileLines = 600;
constexpr std::size_t kFunctionLines = 90;
constexpr std::size_t kLineColumns = 110;

bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

std::string_view last_word(std::string_view text) {
    std::size_t begin = text.size();
    while (begin > 0 && is_word_char(text[begin - 1])) --begin;
    return text.substr(begin);
}

// Finds function bodies by their braces. It knows no grammar: a '{' after a parameter list opens a
// body, one after class, namespace, '=' and the like does not.
class FunctionFinder {
 public:
    FunctionFinder(const SourceFile& file, Findings& found) : file_(file), found_(found) {}

    void run() {
        for (line_ = 0; line_ < file_.code.size(); ++line_) {
            const std::string& code = file_.code[line_];
            if (code.starts_with('#')) continue;
            for (const char c : code) see(c);
            if (depth_in_body_ == 0 && !statement_.empty()) statement_ += ' ';
        }
    }

 private:
    void see(char c) {
        if (depth_in_body_ > 0) {
            if (c == '{') ++depth_in_body_;
            if (c == '}' && --depth_in_body_ == 0) end_body();
            return;
        }
        if (initializer_depth_ > 0) {
            if (c == '{') ++initializer_depth_;
            // Its name has been used up: the next '{' may be the body.
            if (c == '}' && --initializer_depth_ == 0) statement_ += ')';
            return;
        }
        if (c == '{') {
            open();
        } else if (c == ';' || c == '}') {
            statement_.clear();
        } else {
            if (statement_.empty()) statement_line_ = line_;
            if (!statement_.empty() || !is_blank(c)) statement_ += c;
        }
    }

    void open() {
        std::string_view text = statement_;
        while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
        if (text.find('(') == std::string_view::npos || text.ends_with('=')) {
            statement_.clear();
        } else if (is_member_initializer(text)) {
            initializer_depth_ = 1;
        } else {
            depth_in_body_ = 1;
        }
    }

    // Foo() : a_{1} { ... }
    static bool is_member_initializer(std::string_view text) {
        const std::size_t colon = text.find(") : ");
        if (colon == std::string_view::npos) return false;
        const std::string_view word = last_word(text);
        return !word.empty() && word != "const" && word != "noexcept" && word != "override";
    }

    void end_body() {
        const std::size_t lines = line_ - statement_line_ + 1;
        if (lines > kFunctionLines)
            found_.push_back(
                {file_.path, statement_line_ + 1,
                 fmt::format("function of {} lines; expected at most {}", lines, kFunctionLines)});
        statement_.clear();
    }

    const SourceFile& file_;
    Findings& found_;
    std::size_t line_ = 0;
    std::size_t statement_line_ = 0;
    std::string statement_;
    int depth_in_body_ = 0;
    int initializer_depth_ = 0;
};

// Columns, not bytes: continuation bytes of UTF-8 take none.
std::size_t columns(std::string_view line) {
    return static_cast<std::size_t>(
        std::ranges::count_if(line, [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

Findings check_file_length(const SourceFile& file) {
    if (!is_cpp(file) || file.lines.size() <= kFileLines) return {};
    return {{file.path, file.lines.size(), fmt::format("expected at most {} lines", kFileLines)}};
}

Findings check_line_length(const SourceFile& file) {
    if (!is_cpp(file)) return {};
    Findings found;
    for (std::size_t i = 0; i < file.lines.size(); ++i)
        if (const std::size_t n = columns(file.lines[i]); n > kLineColumns)
            found.push_back({file.path, i + 1,
                             fmt::format("{} columns; expected at most {}", n, kLineColumns)});
    return found;
}

Findings check_function_length(const SourceFile& file) {
    Findings found;
    if (is_cpp(file)) FunctionFinder(file, found).run();
    return found;
}

}  // namespace wakelab::tidy
