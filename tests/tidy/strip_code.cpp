#include "tidy/strip_code.hpp"

#include <string_view>

#include "tidy/source_file.hpp"

namespace wakelab::tidy {

namespace {

class Stripper {
 public:
    std::string strip(std::string_view line) {
        if (state_ == State::kCode && line.starts_with("#include")) return std::string(line);
        std::string out(line.size(), ' ');
        for (std::size_t i = 0; i < line.size();) i = step(line, i, out);
        // Neither a literal nor a // comment goes on in the next line.
        if (state_ == State::kString || state_ == State::kChar) state_ = State::kCode;
        return out;
    }

 private:
    enum class State { kCode, kBlockComment, kString, kChar, kRawString };

    std::size_t step(std::string_view line, std::size_t i, std::string& out) {
        switch (state_) {
            case State::kCode:
                return in_code(line, i, out);
            case State::kBlockComment:
                return until(line, i, "*/");
            case State::kRawString:
                return until(line, i, raw_end_);
            case State::kString:
                return in_literal(line, i, '"', out);
            case State::kChar:
                return in_literal(line, i, '\'', out);
        }
        return line.size();
    }

    std::size_t in_code(std::string_view line, std::size_t i, std::string& out) {
        const std::string_view rest = line.substr(i);
        if (rest.starts_with("//")) return line.size();
        if (rest.starts_with("/*")) {
            state_ = State::kBlockComment;
            return i + 2;
        }
        const bool word_before = i > 0 && is_word_char(line[i - 1]);
        if (rest.starts_with("R\"") && !word_before) {
            const std::size_t open = line.find('(', i);
            if (open == std::string_view::npos) return line.size();
            raw_end_ = ")" + std::string(line.substr(i + 2, open - i - 2)) + "\"";
            state_ = State::kRawString;
            return open + 1;
        }
        out[i] = line[i];
        if (line[i] == '"') state_ = State::kString;
        // 1'000 is a number, not the start of a character.
        if (line[i] == '\'' && !word_before) state_ = State::kChar;
        return i + 1;
    }

    std::size_t until(std::string_view line, std::size_t i, std::string_view end) {
        const std::size_t at = line.find(end, i);
        if (at == std::string_view::npos) return line.size();
        state_ = State::kCode;
        return at + end.size();
    }

    std::size_t in_literal(std::string_view line, std::size_t i, char quote, std::string& out) {
        if (line[i] == '\\') return i + 2;
        if (line[i] == quote) {
            out[i] = quote;
            state_ = State::kCode;
        }
        return i + 1;
    }

    State state_ = State::kCode;
    std::string raw_end_;
};

}  // namespace

std::vector<std::string> strip_code(const std::vector<std::string>& lines) {
    Stripper stripper;
    std::vector<std::string> code;
    code.reserve(lines.size());
    for (const std::string& line : lines) code.push_back(stripper.strip(line));
    return code;
}

}  // namespace wakelab::tidy
