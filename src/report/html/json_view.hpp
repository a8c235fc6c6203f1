// Reading result files that anybody may have written: what is missing or of another type is a
// default, never an exception.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace wakelab::report::html {

using Json = nlohmann::ordered_json;

inline const Json& member(const Json& object, const char* key) {
    static const Json kNull;
    if (!object.is_object()) return kNull;
    const auto at = object.find(key);
    return at == object.end() ? kNull : *at;
}

inline std::optional<double> maybe_number(const Json& object, const char* key) {
    const Json& value = member(object, key);
    if (!value.is_number()) return std::nullopt;
    return value.get<double>();
}

inline double number(const Json& object, const char* key) {
    return maybe_number(object, key).value_or(0);
}

// A string as it is, numbers as JSON writes them.
inline std::string plain(const Json& value) {
    if (value.is_string()) return value.get<std::string>();
    return value.is_primitive() && !value.is_null()
               ? value.dump(-1, ' ', false, Json::error_handler_t::replace)
               : std::string();
}

inline std::string words(const Json& object, const char* key) {
    return plain(member(object, key));
}

inline bool flag(const Json& object, const char* key) {
    const Json& value = member(object, key);
    return value.is_boolean() && value.get<bool>();
}

// Elements of a list; nothing of what is no list.
inline const Json& list(const Json& object, const char* key) {
    static const Json kEmpty = Json::array();
    const Json& value = member(object, key);
    return value.is_array() ? value : kEmpty;
}

}  // namespace wakelab::report::html
