#include "trace/formats/event_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/text.hpp"

namespace wakelab::trace {

namespace {

std::string_view trimmed(std::string_view s) {
    const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
    while (!s.empty() && is_space(s.front())) s.remove_prefix(1);
    while (!s.empty() && is_space(s.back())) s.remove_suffix(1);
    return s;
}

std::string_view next_line(std::string_view& text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
}

// "offset:8;" of a field line.
std::optional<std::uint32_t> number_after(std::string_view line, std::string_view key) {
    const std::size_t at = line.find(key);
    if (at == line.npos) return std::nullopt;
    const std::string_view rest = trimmed(line.substr(at + key.size()));
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error != std::errc{} || end == rest.data()) return std::nullopt;
    return value;
}

// "field:char prev_comm[16];	offset:8;	size:16;	signed:0;"
std::optional<EventField> parse_field(std::string_view line) {
    const std::size_t colon = line.find(':');
    const std::size_t semicolon = line.find(';');
    if (colon == line.npos || semicolon == line.npos || semicolon < colon) return std::nullopt;
    std::string_view declaration = trimmed(line.substr(colon + 1, semicolon - colon - 1));
    EventField field;
    field.is_data_loc = declaration.starts_with("__data_loc");
    field.is_rel_loc = declaration.starts_with("__rel_loc");
    if (declaration.ends_with(']')) {
        field.is_array = true;
        // "__data_loc char[] name" has its brackets before the name.
        declaration = declaration.substr(0, declaration.rfind('['));
    }
    const std::size_t space = declaration.find_last_of(" \t*");
    field.name = trimmed(space == declaration.npos ? declaration : declaration.substr(space + 1));
    const auto offset = number_after(line, "offset:");
    const auto size = number_after(line, "size:");
    if (!offset || !size) return std::nullopt;
    field.offset = *offset;
    field.size = *size;
    field.is_signed = number_after(line, "signed:").value_or(0) != 0;  // absent before 2.6.32
    return field;
}

// { 0x00000001, "S" }, { 0x00000002, "D" } of the print format of sched_switch.
std::vector<std::pair<std::uint64_t, std::string>> parse_letters(std::string_view print) {
    std::vector<std::pair<std::uint64_t, std::string>> letters;
    for (std::size_t at = print.find('{'); at != print.npos; at = print.find('{', at + 1)) {
        std::string_view rest = trimmed(print.substr(at + 1));
        const bool hex = rest.starts_with("0x");
        if (hex) rest.remove_prefix(2);
        std::uint64_t bit = 0;
        const auto [end, error] =
            std::from_chars(rest.data(), rest.data() + rest.size(), bit, hex ? 16 : 10);
        rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
        const std::size_t open = rest.find('"');
        const std::size_t close = open == rest.npos ? rest.npos : rest.find('"', open + 1);
        if (error != std::errc{} || close == rest.npos || open > 4) continue;
        letters.emplace_back(bit, std::string(rest.substr(open + 1, close - open - 1)));
    }
    return letters;
}

}  // namespace

const EventField* EventFormat::find(std::string_view field) const {
    const auto at = std::ranges::find(fields, field, &EventField::name);
    return at == fields.end() ? nullptr : &*at;
}

std::vector<EventField> parse_fields(std::string_view text) {
    std::vector<EventField> fields;
    while (!text.empty()) {
        const std::string_view line = trimmed(next_line(text));
        if (!line.starts_with("field:")) continue;
        if (auto field = parse_field(line)) fields.push_back(std::move(*field));
    }
    return fields;
}

Result<EventFormat> parse_event_format(std::string_view text) {
    EventFormat format;
    bool has_id = false;
    for (int number = 1; !text.empty(); ++number) {
        const std::string_view line = trimmed(next_line(text));
        if (line.starts_with("name:")) {
            format.name = trimmed(line.substr(5));
        } else if (line.starts_with("ID:")) {
            const auto id = number_after(line, "ID:");
            if (!id) return Error{fmt::format("line {}: expected a number after ID:", number)};
            format.id = *id;
            has_id = true;
        } else if (line.starts_with("field:")) {
            auto field = parse_field(line);
            if (!field)
                return Error{fmt::format("line {}: expected field:TYPE NAME; offset:N; size:N;", number)};
            format.fields.push_back(std::move(*field));
        } else if (line.starts_with("print fmt:") && format.name == "sched_switch") {
            format.prev_state_letters = parse_letters(line);
        }
    }
    if (format.name.empty()) return Error{"event format without a name: line"};
    if (!has_id) return Error{"event format " + printable(format.name) + " without an ID: line"};
    return format;
}

}  // namespace wakelab::trace
