#include "work/rtapp/rtapp_fields.hpp"

#include <fmt/format.h>

namespace wakelab::work::rtapp {

namespace {

std::string describe(const JsonValue& v) {
    switch (v.kind) {
        case JsonKind::kNothing:
            return "nothing";
        case JsonKind::kBool:
            return v.flag ? "true" : "false";
        case JsonKind::kInteger:
            return fmt::format("{}", v.integer);
        case JsonKind::kReal:
            return v.text;
        case JsonKind::kString:
            return "a string";
        case JsonKind::kArray:
            return "a list";
        case JsonKind::kObject:
            return "an object";
    }
    return {};
}

std::string_view noun(JsonKind kind) {
    switch (kind) {
        case JsonKind::kNothing:
            return "nothing";
        case JsonKind::kBool:
            return "true or false";
        case JsonKind::kInteger:
            return "an integer";
        case JsonKind::kReal:
            return "a number";
        case JsonKind::kString:
            return "a string";
        case JsonKind::kArray:
            return "a list";
        case JsonKind::kObject:
            return "an object in braces";
    }
    return {};
}

}  // namespace

Error Fields::error(int line, std::string_view message) const {
    return error_at(origin_, line, message);
}

Error Fields::expected(const JsonMember& m, std::string_view what) const {
    return error(m.value.line,
                 fmt::format("'{}': expected {}, found {}", m.key, what, describe(m.value)));
}

Result<std::int64_t> Fields::integer(const JsonMember& m, const Range& range) const {
    const JsonValue& v = m.value;
    if (v.kind != JsonKind::kInteger || v.integer < range.min || v.integer > range.max)
        return expected(m, fmt::format("an integer {} .. {}{}{}", range.min, range.max,
                                       range.unit.empty() ? "" : " ", range.unit));
    return v.integer;
}

Result<std::int64_t> Fields::integer_or(const JsonMember* m, const Range& range,
                                        std::int64_t otherwise) const {
    if (m == nullptr) return otherwise;
    return integer(*m, range);
}

Result<std::int64_t> Fields::loop_or(const JsonMember* m, std::int64_t otherwise) const {
    if (m == nullptr) return otherwise;
    const JsonValue& v = m->value;
    if (v.kind != JsonKind::kInteger || v.integer < -1 || v.integer == 0 || v.integer > kMaxInt)
        return expected(*m, fmt::format("-1 (for ever) or an integer 1 .. {}", kMaxInt));
    return v.integer;
}

Status Fields::check_kind(const JsonMember& m, JsonKind kind, JsonKind or_kind) const {
    if (m.value.kind == kind || m.value.kind == or_kind) return {};
    if (kind == or_kind) return expected(m, noun(kind));
    return expected(m, fmt::format("{} or {}", noun(kind), noun(or_kind)));
}

Status Fields::check_once(const JsonValue& object, const JsonMember& m) const {
    const JsonMember* first = object.find(m.key);
    if (first == &m) return {};
    return error(m.line,
                 fmt::format("'{}' is given twice (before in line {})", m.key, first->line));
}

}  // namespace wakelab::work::rtapp
