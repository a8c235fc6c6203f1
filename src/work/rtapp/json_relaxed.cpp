#include "work/rtapp/json_relaxed.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/text.hpp"

namespace wakelab::work::rtapp {

namespace {

constexpr int kMaxDepth = 64;
constexpr std::size_t kMaxMessage = 300;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

void append_utf8(std::string& out, std::uint32_t code) {
    const auto put = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
    if (code < 0x80) {
        put(code);
        return;
    }
    if (code < 0x800) {
        put(0xc0 | code >> 6);
    } else if (code < 0x10000) {
        put(0xe0 | code >> 12);
        put(0x80 | (code >> 6 & 0x3f));
    } else {
        put(0xf0 | code >> 18);
        put(0x80 | (code >> 12 & 0x3f));
        put(0x80 | (code >> 6 & 0x3f));
    }
    put(0x80 | (code & 0x3f));
}

class Parser {
 public:
    Parser(std::string_view text, std::string_view origin) : text_(text), origin_(origin) {}

    Result<JsonValue> document() {
        auto root = value(0);
        if (!root) return root;
        if (Status s = skip_blank(); !s) return s.error();
        if (at_ < text_.size()) return expected("the end of the file after the outermost value");
        return root;
    }

 private:
    // '\0' at the end; a NUL in the text fits no rule either.
    [[nodiscard]] char peek(std::size_t ahead = 0) const {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
    }
    bool accept(char c) {
        if (peek() != c) return false;
        ++at_;
        return true;
    }
    bool accept(std::string_view word) {
        if (!text_.substr(at_).starts_with(word)) return false;
        at_ += word.size();
        return true;
    }

    [[nodiscard]] std::string found() const {
        if (at_ >= text_.size()) return "the end of the file";
        const char c = text_[at_];
        if (c == '"') return "a string";
        if (c < ' ' || c > '~') return fmt::format("byte 0x{:02x}", static_cast<unsigned char>(c));
        std::size_t n = 1;
        while (is_letter(c) && n < 20 && is_letter(peek(n))) ++n;
        return fmt::format("'{}'", text_.substr(at_, n));
    }
    [[nodiscard]] Error error(int line, std::string_view message) const {
        return error_at(origin_, line, message);
    }
    [[nodiscard]] Error expected(std::string_view what) const {
        return error(line_, fmt::format("expected {}, found {}", what, found()));
    }

    Status skip_blank();
    Result<JsonValue> value(int depth);
    Status object(JsonValue& out, int depth);
    Status array(JsonValue& out, int depth);
    Status number(JsonValue& out);
    Result<std::string> string();
    Status escape(std::string& out);
    std::optional<std::uint32_t> hex4();

    std::string_view text_;
    std::string_view origin_;
    std::size_t at_ = 0;
    int line_ = 1;
};

// Blanks and comments. A comment that is never closed is reported where it begins.
Status Parser::skip_blank() {
    while (at_ < text_.size()) {
        const char c = peek();
        if (c == '\n') {
            ++line_;
            ++at_;
        } else if (c == ' ' || c == '\t' || c == '\r') {
            ++at_;
        } else if (accept("//")) {
            while (at_ < text_.size() && peek() != '\n') ++at_;
        } else if (accept("/*")) {
            const int begin = line_;
            while (!accept("*/")) {
                if (at_ >= text_.size()) return error(begin, "this comment is never closed");
                if (text_[at_++] == '\n') ++line_;
            }
        } else {
            return {};
        }
    }
    return {};
}

Result<JsonValue> Parser::value(int depth) {
    if (Status s = skip_blank(); !s) return s.error();
    if (depth > kMaxDepth)
        return error(line_, fmt::format("values are nested deeper than {}", kMaxDepth));
    JsonValue v;
    v.line = line_;
    Status status;
    const char c = peek();
    if (accept('{')) {
        v.kind = JsonKind::kObject;
        status = object(v, depth);
    } else if (accept('[')) {
        v.kind = JsonKind::kArray;
        status = array(v, depth);
    } else if (c == '"') {
        v.kind = JsonKind::kString;
        auto text = string();
        if (!text) return text.error();
        v.text = std::move(*text);
    } else if (c == '-' || is_digit(c)) {
        status = number(v);
    } else if (accept("true") || accept("false")) {
        v.kind = JsonKind::kBool;
        v.flag = c == 't';
    } else if (!accept("null")) {
        return expected("a value");
    }
    if (!status) return status.error();
    return v;
}

// After '{'. A key followed by ',' or '}' has an empty value: "suspend",
Status Parser::object(JsonValue& out, int depth) {
    while (true) {
        if (Status s = skip_blank(); !s) return s;
        if (accept('}')) return {};
        if (peek() != '"') return expected("a key in quotes or '}'");
        JsonMember member;
        member.line = member.value.line = line_;
        auto key = string();
        if (!key) return key.error();
        member.key = std::move(*key);
        if (Status s = skip_blank(); !s) return s;
        if (accept(':')) {
            auto v = value(depth + 1);
            if (!v) return v.error();
            member.value = std::move(*v);
            if (Status s = skip_blank(); !s) return s;
        } else if (peek() != ',' && peek() != '}') {
            return expected(fmt::format("':' and a value after key \"{}\"", member.key));
        }
        out.members.push_back(std::move(member));
        if (!accept(',') && peek() != '}')
            return expected(fmt::format("',' or '}}' after \"{}\"", out.members.back().key));
    }
}

// After '['.
Status Parser::array(JsonValue& out, int depth) {
    while (true) {
        if (Status s = skip_blank(); !s) return s;
        if (accept(']')) return {};
        auto v = value(depth + 1);
        if (!v) return v.error();
        out.items.push_back(std::move(*v));
        if (Status s = skip_blank(); !s) return s;
        if (!accept(',') && peek() != ']') return expected("',' or ']' in a list");
    }
}

Status Parser::number(JsonValue& out) {
    const std::size_t begin = at_;
    const auto digits = [this] {
        const std::size_t first = at_;
        while (is_digit(peek())) ++at_;
        return at_ > first;
    };
    accept('-');
    if (!digits()) return expected("a digit");
    bool real = false;
    if (accept('.')) {
        real = true;
        if (!digits()) return expected("a digit after the decimal point");
    }
    if (accept('e') || accept('E')) {
        real = true;
        if (!accept('+')) accept('-');
        if (!digits()) return expected("a digit of the exponent");
    }
    const std::string_view written = text_.substr(begin, at_ - begin);
    if (real) {
        out.kind = JsonKind::kReal;
        out.text = written;
        return {};
    }
    const auto integer = parse_int(written);
    if (!integer) return error(line_, fmt::format("integer {} is beyond 64 bits", written));
    out.kind = JsonKind::kInteger;
    out.integer = *integer;
    return {};
}

// A string at '"'. It ends on its line, so a missing quote is reported where it is missing.
Result<std::string> Parser::string() {
    std::string out;
    ++at_;
    while (!accept('"')) {
        const char c = peek();
        if (at_ >= text_.size() || c == '\n') return error(line_, "this string is never closed");
        ++at_;
        if (c != '\\') {
            out += c;
        } else if (Status s = escape(out); !s) {
            return s.error();
        }
    }
    return out;
}

// After '\'.
Status Parser::escape(std::string& out) {
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    if (const std::size_t i = kLetters.find(peek()); i != kLetters.npos) {
        ++at_;
        out += kMeanings[i];
        return {};
    }
    if (!accept('u')) return expected("an escape like \\n or \\u00e9");
    auto code = hex4();
    if (!code) return expected("four hexadecimal digits after \\u");
    if (*code >= 0xd800 && *code < 0xe000) {
        const bool paired = *code < 0xdc00 && accept("\\u");
        const auto low = paired ? hex4() : std::nullopt;
        if (!low || *low < 0xdc00 || *low >= 0xe000)
            return error(line_, "a \\u surrogate without its pair");
        code = 0x10000 + ((*code - 0xd800) << 10) + (*low - 0xdc00);
    }
    append_utf8(out, *code);
    return {};
}

std::optional<std::uint32_t> Parser::hex4() {
    std::uint32_t code = 0;
    for (int i = 0; i < 4; ++i) {
        const char c = peek();
        if (is_digit(c))
            code = code * 16 + static_cast<std::uint32_t>(c - '0');
        else if (c >= 'a' && c <= 'f')
            code = code * 16 + static_cast<std::uint32_t>(c - 'a' + 10);
        else if (c >= 'A' && c <= 'F')
            code = code * 16 + static_cast<std::uint32_t>(c - 'A' + 10);
        else
            return std::nullopt;
        ++at_;
    }
    return code;
}

}  // namespace

const JsonMember* JsonValue::find(std::string_view key) const {
    for (const JsonMember& m : members)
        if (m.key == key) return &m;
    return nullptr;
}

Error error_at(std::string_view origin, int line, std::string_view message) {
    std::string text(message.substr(0, kMaxMessage));
    if (message.size() > kMaxMessage) text += "...";
    for (char& c : text)
        if ((c >= 0 && c < ' ') || c == 0x7f) c = '?';
    return Error{fmt::format("{}:{}: {}", origin, line, text)};
}

Result<JsonValue> parse_relaxed_json(std::string_view text, std::string_view origin) {
    return Parser(text, origin).document();
}

}  // namespace wakelab::work::rtapp
