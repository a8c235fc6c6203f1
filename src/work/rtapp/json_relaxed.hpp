// JSON as rt-app files are written (workloads.md 15): C and C++ comments, trailing commas, keys
// repeated within one object, and keys without a value. The tree keeps the order of members,
// repeated keys included, and the line of everything, because in these files order means time and
// an error needs a place. Reals are kept as text: nothing in the grammar is a real.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace wakelab::work::rtapp {

enum class JsonKind : std::uint8_t { kNothing, kBool, kInteger, kReal, kString, kArray, kObject };

struct JsonMember;

struct JsonValue {
    JsonKind kind = JsonKind::kNothing;  // null, or a key without a value
    int line = 0;                        // where it begins; 1 = first line
    bool flag = false;                   // kBool
    std::int64_t integer = 0;            // kInteger
    std::string text;                    // kString decoded to UTF-8; kReal as written
    std::vector<JsonValue> items;        // kArray
    std::vector<JsonMember> members;     // kObject, in file order

    // First member of that key; null when there is none.
    [[nodiscard]] const JsonMember* find(std::string_view key) const;
};

struct JsonMember {
    std::string key;
    int line = 0;  // of the key
    JsonValue value;
};

// "ORIGIN:LINE: MESSAGE", one line of bounded length whatever text of the file the message quotes.
[[nodiscard]] Error error_at(std::string_view origin, int line, std::string_view message);

// Error: "ORIGIN:LINE: expected ..., found ..." for text that is not JSON even so, integers beyond
// 64 bits and nesting deeper than 64.
[[nodiscard]] Result<JsonValue> parse_relaxed_json(std::string_view text, std::string_view origin);

}  // namespace wakelab::work::rtapp
